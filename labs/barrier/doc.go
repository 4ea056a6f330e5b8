// Package barrier asks what a program pays for when it calls fsync.
//
// # Question
//
// Eight bytes are appended to a file and synced. How long does that take? Then
// 8 MiB, a million times as much: how many times dearer is it? And if a
// thousand records need to be safe, what does each cost alone, and what does
// each cost in company?
//
// # Axioms
//
// Assumed of a class of hardware: an fsync takes about 100 µs on a drive with
// power-loss protection, about 1 ms on consumer flash, about 10 ms on a spinning
// disk. Measured on this machine before the lab starts: sequential writing to
// the directory under test.
//
// # Division
//
// 8 B at 2 GB/s are 4 ns. A barrier of 100 µs is 25,000 times that, so the bytes
// are not what is charged for. If the price were the bytes, 8 MiB would cost
// 1,048,576 times as much as 8 B.
//
// # Measurement
//
// Every arm issues the system call that it names, raw. Appending arms grow a
// file of their own; overwriting arms rewrite blocks that have been written and
// synced before, since blocks that are only allocated cost more. Payloads are
// random. Flushes are counted by the kernel on every whole disk under the
// directory; the count is everyone's, so an equally long idle window is taken
// off. Files are deleted after the last measurement: an unlink makes the next
// fsync dearer.
//
// # Claims
//
// eight-bytes-miss-the-bandwidth-floor, small-payloads-cost-the-same,
// cost-is-not-bandwidth-bound, one-barrier-for-a-thousand,
// barrier-reaches-the-device, overwrite-is-no-dearer-than-append,
// full-flush-costs-more.
//
// # Limits
//
// A flush that reaches the disk of a virtual machine has reached the
// hypervisor, which may keep it. Whether bytes survive a power cut can't be
// found out from inside. On macOS fsync does not ask the drive to empty its
// cache, which is what full-flush-costs-more is about; elsewhere there is no
// stronger call, and the claim is void.
package barrier
