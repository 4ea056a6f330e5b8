// Package launch asks what handing operations over costs, and whether that is
// what keeps a program from its floor.
//
// # Question
//
// A model takes 280 operations for each token. Its bytes alone would take 3 ms,
// and it takes 8. Is its memory slower than thought, or is it something that is
// paid 280 times? What does handing over one operation cost, what do 280 cost if
// they are handed over at once, and what becomes of the difference when each
// operation is given less to do?
//
// # Axioms
//
// Of the launch study: 1.19 GB of weights read for each token, at 380 GB/s, in 280
// operations; a token takes 7.8 ms. Assumed: a system call takes 0.5 to 5 µs, to
// wake a sleeping thread 5 µs, to hand a kernel to a graphics driver 2.7 µs, and
// memory is copied at 10 GB/s.
//
// # Division
//
// 1.19 GB / 380 GB/s = 3.13 ms. The other 4.67 ms would be 1.77 GB, more than the
// whole model; divided by 280 they are 16.7 µs for each operation, which is about
// right for a program that hands work over and waits. Operations that were
// recorded once and are handed over as one pay it once: 3.13 ms and little more.
// Here, 280 reads of 16 KiB at 10 GB/s take 0.46 ms whoever makes them; one by one,
// 280 system calls of 2 µs add 0.56 ms, and 280 times there and back between
// threads 280 x 2 x 5 µs = 2.8 ms.
//
// # Measurement
//
// Two mechanisms. Through io_uring an operation is done by the kernel: one system
// call for each operation, which returns when it is done, against one for all. A
// worker thread is woken for each operation through a pipe and wakes its sleeping
// caller through another, against one such turn for all. An empty operation does
// nothing; one with work reads random bytes that lie in the page cache, of which
// there are at least four times as many as the last-level cache holds. Everybody
// who reads takes the next ones, so nobody finds them in a cache. What is read is
// compared once with what was written.
//
// A dispatch can be seen beside a read that takes not many times as long, and a
// floor in a read that takes many times what an operation takes without its
// bytes. So gaps are measured with reads of 16 and 8 KiB and the floor with reads
// of 128 KiB.
//
// Caller and worker are bound to the same processor. Between two, the price of
// waking depends on where the scheduler puts the thread and how deeply that
// processor sleeps, and is 4 µs in one minute and 40 in the next.
//
// The file is made in the directory that is measured, without a name, and is never
// synced. Where its file system can't read from the page cache without
// waiting (tmpfs and network file systems for example), the kernel would do the
// reads of io_uring in threads of its own. That is another mechanism: those claims
// are void, and the worker reads a file that lies in memory alone. So it is where
// memory is so short that writing the file would wait for the disk.
//
// # Claims
//
// For each device, uring and thread:
//
// one-submission-beats-280: empty operations, one by one over together.
//
// the-gap-divides-into-dispatches: the gap is what 280 reads take longer one by
// one than together. Less the time of 280 empty operations one by one, which is
// measured in turn with it, and in dispatches for each: 0 where the division is
// right.
//
// the-floor-stays: together, reads take what their bytes take, when the caller
// reads them in a few large pieces itself.
//
// faster-kernels-leave-the-gap: the gap of reads of half the bytes, less that of
// whole ones, in dispatches for each: 0 where it has nothing to do with bytes.
//
// # Limits
//
// A dispatch is one that is waited for. A program that hands over the next
// operation before the last is done hides what it costs, until there are none to
// hand over. On one processor nothing runs beside the caller, so what is measured
// is work and switching; to wake another processor costs more, and is not claimed.
// Two gaps that differ by less than half of a dispatch are the same for this
// lab: a memory that is slow by so little would not be found.
package launch
