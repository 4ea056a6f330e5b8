// Package writeahead asks what a store may promise, and from which moment on.
//
// # Question
//
// A program writes 65,536 bytes, and fsync returns EIO. It calls fsync again,
// and gets 0. How many of the bytes are on the disk, and how many does a read
// show? In how many ways can the write of a page of 8 sectors be torn, and how
// many of them does a store find that reads each page back after the write and
// keeps the checksum of what it has read?
//
// # Axioms
//
// The kernel reports a failed write-back once, then marks the pages clean. A
// drive writes a sector of 512 bytes whole or not at all. A random alteration
// passes a 32-bit check once in 4,294,967,296. The order of a promise: the log
// record is written, the log is synced, the client is told, and the pages are
// changed at leisure. Pages can be derived from the log, the log from nothing.
//
// # Division
//
// An fsync writes what is dirty. After the failed one 0 of 16 pages are: 0 x
// 4 KiB = 0 B, and a return of 0 for it. Each of 8 sectors is old or new, which
// makes 2^8 pages, two of them no tear: 254. A page compared with a copy of
// itself differs in no bit, so 0 of the 254 are found; one compared with what
// should have been written differs each time, and 254 / 2^32 slip through.
//
// # Measurement
//
// The store is the package's own. A log record is a group of operations behind
// one barrier: CRC-32C over length, sequence number and operations. Eight
// pages of 4 KiB are changed in memory once a group is acknowledged, and
// written back when three are dirty, one of them in two halves; they are never
// synced. Recovery reads the log, cuts off an unfinished record, puts all
// operations over the pages as they are, writes the last record once more (its
// barrier may have failed, and the cache does not tell), and appends a record of
// its own, by the same protocol, before it touches the page file.
//
// A trial is a process that says through a pipe which step of the protocol it
// has reached, and blocks; it is killed there. A second one recovers, and is
// killed at the same step of that. Then the lab recovers, and compares the page
// file with a plain model. Nobody sleeps and nothing is timed.
//
// Torn pages and half-written page files are enumerated: every mixture of
// sectors, every sector at which the writing can stop.
//
// For the failed fsync a process serves a FUSE file system with write-back
// caching whose backing store refuses every write, another one writes to it,
// and a third watches over both: it aborts the connection should they hang, and
// takes the mount away when they are done or the run is gone. The backing files
// differ from what is written in every byte, and are read behind the mount's
// back. As root the mount lives in a namespace of its own, else in a user
// namespace, or fusermount3 makes it.
//
// # Claims
//
// state-is-exact-at-every-step: what comes back is the state after the last
// acknowledged group, or that and the one in flight, and what a killed recovery
// had announced is not taken back. The control acknowledges before the log
// write, which the kill ahead of that write exposes.
//
// redo-is-idempotent: records that say what bytes become can be replayed any
// number of times over any mixture of old and new sectors. The control's records
// add 1 instead, and count twice what was there already.
//
// retry-after-eio-lies: three facts for each file, each an observation: EIO from
// the first fsync, 0 from the second, none of the bytes in the backing file.
// Over a healthy store, the control, the first and the third are otherwise.
//
// circular-reference-certifies-damage: a checksum of what was read back accepts
// each of 254 torn images, one of what was meant rejects each. The control
// exchanges the two.
//
// # Limits
//
// SIGKILL takes the process and leaves the page cache, so no trial shows that
// the barrier was needed: a record that was written, not synced, comes back
// too. What a power cut can take is played through against the model by the
// package's tests, and not on a disk.
//
// The claim about EIO is about this kernel's page cache above FUSE. Its other
// file systems share the code that reports an error once, and differ in what
// the next read shows; other kernels keep the page dirty. A program that has to
// run on all of them must assume the worst.
//
// Redo makes torn pages whole here because the log goes back to the first
// operation and says what bytes become. A log that is cut at checkpoints, or
// whose records need a sound page to be applied to, must keep an image of the
// page. This store has neither checkpoints nor concurrent clients.
package writeahead
