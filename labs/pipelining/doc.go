// Package pipelining asks how many commands of a server share a system call, and
// what else they share.
//
// # Question
//
// Fifty clients send a server one small command at a time, and then 128 before they
// wait for replies. How many reads and writes does the server make for each command,
// and how many times more commands does it carry out? When its log must be on the
// disk before a reply leaves, how many fsyncs do fifty SETs take that wait together,
// and how long does a SET take whose client is alone?
//
// # Axioms
//
// Assumed: a byte there and back over a Unix socket between two threads takes about
// 15 µs, a load from memory about 100 ns, an fsync about 1 ms on consumer flash. All
// three can be measured here (envelope axioms --measure), and then the division
// takes what was measured.
//
// # Division
//
// Half of a round trip is the server's: to be woken, to read, to write. A command
// that comes alone pays 7.5 µs of it, one of 128 pays 59 ns. What nobody shares is
// finding the key and its value, two loads that miss: 200 ns. So (7.5 + 0.2) /
// (0.059 + 0.2) = 30 times. Fifty clients with 128 commands each have 6,400 in
// flight, and at 259 ns a command each of them waits 1.7 ms: Little's law, in flight =
// throughput x latency, turned round.
//
// An fsync covers what was written before it. A loop that carries out all that has
// come, then writes, then syncs, then answers, makes one for all of them: 20 µs a SET
// for fifty on consumer flash, 1 ms for one.
//
// # Measurement
//
// The server is a process of its own, this program again: one thread, one event loop
// (epoll; kqueue on macOS), RESP2 over a Unix socket, keys with a time to live, a log
// of changes with checksums. Its clients are one thread of this process. It counts
// the reads and writes that it makes on its connections, refused ones too, and the
// fsyncs of its log.
//
// Clients are a closed loop: a batch of SETs and GETs in one write, the next when
// all replies were there and right. Little's law takes three counts from one
// episode, which begins and ends with nothing in flight: commands answered by its
// length; their time from send to reply; and the commands in flight at random
// instants, 2 µs apart in the mean, that were chosen without regard to the load.
//
// Nothing is timed that can be arranged. To have fifty SETs wait together the loop
// is held until they were sent; what is written to a Unix socket is there when the
// call returns. Keys get old because the server's clock is set forward, and cycles of
// active expiry run when they are asked for. Half of the servers that are killed had
// stopped at a step of their loop; the others run, and die when a random number of
// acknowledgements has come. What they had sent until then is read, and counts.
//
// A Redis is taken from --redis, or a redis-server in PATH is started on a socket in
// the scratch directory. One that listens on its usual port is somebody's, and left
// alone. A scenario whose replies differ is put to both again, twice at most: between
// SET and TTL a second may end.
//
// # Claims
//
// calls-per-command-fall-with-depth: the server makes one read and one write for a
// batch, whatever its size. The control writes each reply by itself.
//
// depth-multiplies-throughput: batches of 128 carry at least 5 times the commands per
// second of batches of one. The control reads and writes for each command.
//
// littles-law-holds: at depths 1, 16 and 128, throughput x latency is what is in
// flight. The law has no exceptions, so what is on trial is the instrument: the
// control divides a batch's latency by its commands, as many reports do.
//
// one-fsync-covers-everyone: one for fifty that wait together, one for each that
// comes alone. The control syncs for each record.
//
// acked-writes-survive-sigkill: under each policy, since SIGKILL takes what the
// process has and leaves what the kernel has. The control replies before it writes the
// log.
//
// only-a-torn-tail-is-forgiven: a record cut short at the end is an unfinished write;
// a record that is wrong in front of whole ones is damage, and to cut there would
// throw away what was acknowledged. The control cuts anywhere.
//
// dead-keys-are-bounded: samples of twenty, repeated while more than two of them are
// dead, leave a tenth. The control deletes only what a command meets.
//
// a-paused-client-is-served: a server that stops reading has requests in memory that
// no event will tell of. The control waits for one.
//
// same-replies-as-the-real-one: byte for byte, errors too. Void (unreachable) where
// there is no Redis of version 7 or later. The control changes a byte.
//
// # Limits
//
// Client and server share this machine's processors, and no network lies between
// them: over one a round trip is longer, and depth worth more. Commands are small and
// keys few; with large values the copying counts, and depth buys less.
//
// The log is not compacted, and it is synced in the loop: while an fsync lasts nobody
// is served. A power cut may leave whole records behind a hole in what was never
// synced, and the server refuses such a log, though nothing acknowledged under policy
// always is lost; it can't tell that from damage. Of the failures of lab ladder
// SIGKILL is the only one that these trials cause.
package pipelining
