// Package groupcommit asks who should choose how many records share an fsync.
//
// # Question
//
// At a low arrival rate, how many times later does a log that waits until a page
// is full of records acknowledge than one that closes its batch when the fsync in
// flight returns? How many fsync times does the second take? And how many records
// come to share an fsync once the load is high, though nobody set a number?
//
// # Axioms
//
// Assumed of a class of hardware: an fsync takes about 100 µs on a drive with
// power-loss protection, about 1 ms on consumer flash, about 10 ms on a spinning
// disk. All loads are made from this directory's own fsync time F, measured under
// the same load: fsyncs far apart may take several times as long as fsyncs on end.
//
// # Division
//
// A count fills in count / rate: 1000 records take 10 ms at 100,000/s and 100 s at
// 10/s. One constant, 10,000 times apart. A page of 4 KiB holds 64 records of 64
// bytes. With one arrival to 2F, the median of them waits for half of the other
// 63, 63/2 x 2F, and an fsync: 64F. The adaptive one waits for its fsync alone, F.
// While that fsync is in flight, rate x F more arrive, and the next batch takes
// them all: max(1, rate x F).
//
// # Measurement
//
// Records are appended to one file and synced by a committer that has one fsync
// in flight at most. They are handed to it without a lock, so that no arrival
// waits for an fsync. Arrivals come by an absolute schedule, and latency counts
// from the intended arrival: a stall shows in every record that it held up. A
// load that misses its rate by over a fifth is played again, and after eight times
// the claim is void (instrument).
//
// Low load is one arrival to 2F; high load is 50 to an F, but not more than
// 200,000 a second. Where those are under 6 to an F, nothing here is a high load.
// The fixed count is 64, and 32 at low load where the disk leaves no time for
// more. One episode of each kind makes a round, and all claims look at the same
// rounds.
//
// A twin in virtual time does the same by arithmetic, from the arrivals and the
// fsyncs that were measured; the table sets the two side by side. The picture has
// every policy under every load: fixed count, fixed window, adaptive, and adaptive
// but held open until 4F after the batch before.
//
// # Claims
//
// fixed-count-collapses-at-low-load: the count that suits a high load costs many
// fsync times at a low one.
//
// adaptive-pays-only-the-barrier: a record that finds the disk idle pays for one
// fsync, measured in the same episode, and not much besides.
//
// batch-follows-the-load: without a setting, batches grow with the load; arrivals
// are goroutines of their own.
//
// adaptive-never-loses: under the load that the count was made for, the adaptive
// batch is not later either.
//
// hold-open-caps-the-barriers: at moderate load batches fall to one and every
// record has an fsync of its own; a batch held open bounds their number by the
// clock.
//
// every-ack-follows-its-barrier: the order of calls at the file, in every episode
// of every policy.
//
// # Limits
//
// Arrivals are evenly spaced and records are all of one size. Real ones come in
// bursts, which makes a fixed count look better for a while and worse between.
// The arrivals and the committer share this machine's processors: where those are
// busy with something else, an fsync seems to take as long as its thread has to
// wait for one. One file, one committer: two of them on one disk wait for each
// other, and none of this says what they would do.
package groupcommit
