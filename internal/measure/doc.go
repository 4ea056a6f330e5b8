// Package measure owns everything between a lab's operations and a verdict:
// the clock, warm-up, the order in which arms are run, how many blocks are
// taken, the pace of a load, percentiles, intervals, and the one rule that
// turns an interval and a region into held, failed or void.
//
// # Blocks
//
// A timing claim compares two arms, A and B. Single pairs are misleading,
// because an arm pays for what the other one left behind, so the unit of
// observation is a block: A B B A and B A A B in alternation, after an untimed
// A B A B. A block gives one observation, (A1+A2)/(B1+B2). The blocks of all
// claims of a lab are dealt round-robin in shuffled order, so that a slow spell
// of the machine falls on all of them instead of on one.
//
// # Looks
//
// Blocks are judged by a sign test at 16, 32, 64 and 128 blocks and once more
// when the budget ends. The probability of ever crossing by chance, summed over
// all looks, is at most 5 % (two-sided) for held and 0.1 % for failed; it is
// computed exactly, by dynamic programming over the number of blocks on the
// wrong side. The same limits read as order statistics give the interval of the
// median that is shown, so "at most k blocks on the wrong side" and "the
// interval lies inside the region" are one statement.
//
// # Loads
//
// A Schedule sends arrivals at times fixed beforehand and counts latency from
// those times, so that a stall shows in every arrival that it held up.
//
// # What can't be judged
//
// The zero value of Verdict is Void: a claim that nobody reported on has not
// held. See Judge for the reasons.
package measure
