// Package ladder finds out who owns bytes on their way from a program to the
// medium, and what a killed process takes with it.
//
// # Question
//
// A process puts 65,536 bytes into a buffered writer and is killed with SIGKILL
// before any flush: how many are in the file? How many if it was killed after
// the write, but before an fsync? After the fsync? And if it had stored them
// through a shared mapping instead?
//
// # Axioms
//
// None is a number. Bytes have four owners, one after another: the process (a
// buffer in its memory), the kernel (the page cache), the device (its cache),
// the medium. A failure takes what its victim owned, and what lies above that:
// SIGKILL the first owner's bytes, a kernel crash the second's too, a power cut
// the third's too, unless the drive has power-loss protection.
//
// # Division
//
// How many trials does a rate take? With n trials and no failure, the largest
// rate that 95 % confidence leaves possible is 1 - 0.05^(1/n): 1 in 3,339 for
// n = 10,000, 1 in 333,809 for 1,000,000. With n = 0 it is 1 - 0 = 100 %, and
// trials of another failure do not count: a hundred thousand kills say nothing
// about one power cut.
//
// # Measurement
//
// Each trial is a process of its own, this program again. It takes a random
// payload to a rung, says through a pipe that it is there, and blocks; this
// process kills it, reaps it, and reads the file. Nothing is timed and nobody
// sleeps: a kill that is aimed by sleeping misses its window more often than
// not.
//
// The second part is a writer that appends numbered records, each in two
// writes, and acknowledges each through the pipe once it is written. Half of
// the kills find the writer stopped at a step of a random record: before the
// write, inside the record at a random byte, after the write, after the
// acknowledgement. The other half hit it as it runs, when a random number of
// acknowledgements has been read; those that it sent until its death are read
// afterwards and count. Every byte of the stream follows from a seed, so the
// file is compared with what it must hold, byte by byte.
//
// # Claims
//
// userspace-buffer-dies: nothing of the buffer is in the file. The control
// flushes it first.
//
// page-cache-survives-the-process: after write(2), all 65,536 bytes are. The
// control leaves them in the buffer.
//
// mapped-page-survives-the-process: so are those stored through MAP_SHARED with
// no msync, though the process was never asked to hand them over. They are
// compared with the payload: ftruncate alone gives a file the same size. Under
// the control, MAP_PRIVATE, about 256 bytes are equal, by chance, because one
// in 256 bytes of the payload is zero. Where the file system refuses shared
// mappings, the claim is void (unreachable).
//
// fsync-adds-nothing-here: with an fsync behind the write, not one byte more
// survives. The control gives the fsync credit for the flush: it leaves the
// bytes in the buffer where there is no fsync.
//
// acked-bytes-survive-sigkill: no acknowledged record is lost or damaged, in
// any kill. The control acknowledges first and writes then, which each kill
// between the two exposes.
//
// kills-land-everywhere: each of the four steps was hit. A crash test that never
// reaches the step that it is about holds for ever, so coverage is a claim of
// its own. The control kills at one step only.
//
// # Limits
//
// SIGKILL reaches the first owner only, and all six claims are about it. That
// fsync adds nothing here is no reason to leave it out: it is there for the
// failures that no trial of this lab causes, and the table says 100 % for each
// of them. After fsync returns, the device has the bytes or the medium has; no
// program can tell which.
//
// A kill that hits a running writer after an acknowledgement and one ahead of
// the next write leave the same traces, and count as the former. Kills inside
// one write(2) are not aimed at: the two writes of a record stand for a write
// that the kernel cuts short.
package ladder
