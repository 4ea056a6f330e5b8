// Package torntail asks where a log's truth stops after a crash.
//
// # Question
//
// The last record of a log says that it is 200 bytes long, and 71 of them are
// real. How many does recovery keep? What is the CRC-32 of no bytes at all? How
// many of 2^25 altered messages pass a 16-bit checksum, and what share of torn
// records passes a reader that looks at lengths alone?
//
// # Axioms
//
// CRC-32 of "123456789" is CBF43926, and CRC-32C is E3069283. 1101011011 with
// four zeros behind it, divided by 10011, leaves 1110. An altered message
// passes a check of n bits once in 2^n: once in 65,536 for 16 bits, once in
// 4,294,967,296 for 32.
//
// # Division
//
// A check covers a record or none of it: 71 / 200 makes 0 whole records, and 0
// bytes. The register of a CRC starts with ones and ends inverted, so nothing
// gives ones XOR ones, 0. 2^25 / 2^16 = 512 altered messages pass 16 bits;
// 2^25 / 2^32 is one in 128 runs with 32. A length and a sequence number hold
// no bit that depends on the payload, so they refuse no payload: 1 / 2^0 = 1.
//
// # Measurement
//
// The log is the package's own: a checksum (CRC-32C, standard seed, over all
// that follows), a length, a sequence number, a payload. Recovery reads from
// the start to the first record that is not whole and says why it stopped. At
// the end of the log the end is clean. Where a whole record with a later
// sequence number lies anywhere behind, the log is corrupt: nothing is
// truncated, and it is not opened. Otherwise the tail is torn, and cut off
// before anything is appended.
//
// Recovery is held against a plain model that compares bytes and computes no
// checksum. Cuts, holes, second crashes and damage are enumerated in memory;
// some of the cuts, crashes and damages are played through in files of the
// directory under test as well. Stale tails and altered messages are drawn at
// random, from the run's seed: a count per 2^25 rests on 2^26 alterations, or the
// interval of an honest count would leave the region now and then. Nothing is
// timed.
//
// # Claims
//
// checksum-known-answers: the published values, the division by hand, and a
// bitwise implementation over all lengths up to 1,024.
//
// every-cut-is-caught: the last record is cut at every byte, and followed by the
// end of the file, zeros, stale records or random bytes.
//
// stale-tail-fools-framing: a whole header with a payload that ends in an older
// record passes by its framing, and never by its checksum.
//
// zero-seed-accepts-zeros: a register that starts at zero stays there.
//
// empty-record-still-passes: the standard seed does not help where the checksum
// covers the payload alone and there is none.
//
// damage-before-good-records-is-not-a-tear: all 255 changes of every byte that
// has a good record behind it.
//
// crc-match-after-a-hole-proves-nothing: a right checksum says that a record is
// whole, not that it is the next one.
//
// second-crash-is-as-good-as-the-first: a recovery that leaves the torn tail in
// place loses what is appended behind it.
//
// sixteen-bits-is-not-enough: the 16-bit check accepts about 512 alterations of
// 2^25, CRC-32C at most one.
//
// # Limits
//
// Damage to the last record looks like a tear, and no log of this form can tell
// them apart: if it had been acknowledged, it is lost in silence. So is damage
// to all of the records from some point on. Writes that reached the medium out
// of order, none of them acknowledged, look like corruption: this log refuses
// to start, and a person must decide.
//
// What recovery cuts off may come back behind the next crash without harm. Should
// a medium mix what several crashes left at one place, unfinished writes of one
// sequence number can complete each other, zeros most easily; a log that must
// bear that numbers its recoveries, and covers that number too.
//
// A payload that holds an image of this same log, cut short, can be taken for a
// newer record; such a log refuses to start. A CRC finds accidents. Whoever can
// write to the file can make a record with the right checksum.
//
// The alterations are random patterns over the whole message. A CRC finds every
// burst shorter than its width, and real damage is often one.
package torntail
