// Package compare puts runs side by side: claims by their names, the axioms that
// each run measured, and what else differs that could explain why the figures do.
// It reads no file and prints nothing; a [Comparison] is its own JSON.
//
// # What is compared
//
// A claim is compared under one method version only: another version may measure
// something else. Its runs are held against the first that has it. Exact claims
// are equal or they differ. Of any other the intervals overlap or lie apart, and
// the ratio of the values is given where neither interval holds zero: beside one
// that does, a ratio may be anything.
//
// Predictions are not compared: they are about people.
//
// # What an interval says
//
// An interval holds the median, or the share, of its own run with 95 % confidence
// at least; the judge, who may look several times, leaves it more at the first
// look. Fewer than 6 samples of an axiom have no such interval: their range stands
// in its place, with the confidence that it has.
//
// Where nothing differs but chance, one pair of 20,000 lay apart in a simulation
// (TestApartByChance). So intervals that lie apart say that the runs differ: by the
// neighbours, the state of caches and disks, where the kernel has put the process,
// or by what somebody has changed. They don't say by which, nor that they would
// again.
package compare
