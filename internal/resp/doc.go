// Package resp is a small server of keys and values that speaks RESP2, the
// protocol of Redis: one thread, one event loop, a log of changes.
//
// # A turn of the loop
//
// The loop waits until something is ready, reads once from each connection that
// is, carries out every whole request of what it read, writes the log once for
// all of them, syncs it if it has to, and only then writes the replies, once to
// each connection. So a call is shared by all commands that were there when the
// loop woke, and no reply leaves before its change is in the log.
//
// # Time
//
// The clock is read once a turn. A key whose time is over is deleted when a
// command meets it, and otherwise by samples of twenty, as long as more than
// two of them were dead. Either writes a DEL to the log: the log says what
// happened, and replaying it looks at no clock.
//
// # Bounds
//
// A connection holds one unfinished request, of at most 2 MiB and 65,536
// arguments, one read of 64 KiB and the replies to it. When replies wait that its client does not take,
// nothing more of it is read or carried out until they are gone. What a
// server stores is bounded by its clients alone.
//
// # What it lacks
//
// It has strings and nothing else, no transactions, no replicas, no rewriting
// of the log, which is read into memory when the server starts.
package resp
