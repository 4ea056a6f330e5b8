// Package buffered asks where a megabyte is when the call that wrote it has
// returned.
//
// # Question
//
// A program hands 1 MiB to a buffered writer and the call returns. Between that
// program and a medium that keeps bytes without power lie four layers: a buffer
// in the process, the page cache of the kernel, the cache of the drive, the
// medium. How long does the call take, and which of the four can have been
// reached in that time? The same for 4 KiB, one layer at a time.
//
// # Axioms
//
// Assumed of a class of hardware: a copy through memory moves 10 GB/s, a copy
// that stays in the caches 30 to 50 GB/s, an NVMe drive takes 2 GB/s, a
// spinning disk 150 MB/s, a function call costs 1 to 5 ns, a system call 0.5 to
// 5 µs. Measured on this machine before the lab starts: the clock, a system
// call, both copies, and sequential writing to the directory under test.
//
// # Division
//
// 1 MiB over a bandwidth is the least time in which a layer can have taken the
// bytes: its floor. At 10 GB/s that is 105 µs, at 2 GB/s 524 µs, at 150 MB/s
// 7.0 ms. A call that returns sooner than a layer's floor did not wait for that
// layer, whatever its name promises. The floor works in both directions: it
// also finds work that was skipped.
//
// # Measurement
//
// Write calls are counted by the kernel for this thread
// (/proc/thread-self/io), window by window; a window in which the Go scheduler
// put the thread to sleep is taken again, because waking it writes to a file
// descriptor of the scheduler's own. Times are blocks of two arms dealt
// round-robin over the claims. The buffer is reused: a fresh one costs page
// faults, which hide what buffering does. The payload is random, and the same
// in both arms.
//
// # Claims
//
// buffered-write-makes-no-syscall, write-is-one-syscall-each,
// nothing-beats-the-floor, page-cache-write-pays-for-its-copy,
// floor-test-catches-skipped-work, layers-cost-more-going-down,
// measuring-real-storage.
//
// # Limits
//
// measuring-real-storage says that an fsync is not free here. It does not say
// that anything is durable: a hypervisor or a drive may acknowledge a flush and
// keep the bytes in memory. Where even a bare write waits for the device (a
// mount with the sync option), the ratio says nothing, and the claim is void.
package buffered
