// Package kvcache asks what a sequence costs while it is being generated, and
// how many of them a memory takes.
//
// # Question
//
// A model of 7 billion parameters has 32 layers, 4096 wide, and keeps keys and
// values in 16 bits. How much memory does a token take? How many sequences of
// 2048 tokens fit beside 14 GB of weights on a card of 80 GB? How many with
// values of 8 bits, and what does it save if heads share their keys and values?
//
// # Axioms
//
// The shape of the model, and 2 bytes for 16 bits. A card of "80 GB" is one of
// 80,000,000,000 B by its name; its driver reports about 81,920 MiB, which is
// 85,899,345,920 B.
//
// # Division
//
// Each layer keeps a key and a value as wide as the model: 2 x 32 x 4096 x 2 B =
// 524,288 B a token, and x 2048 = 1,073,741,824 B a sequence, which is 1 GiB and
// 1.07 GB. The weights leave 80 GB - 14 GB = 66 GB. Whoever divides 66 GB by "1
// GB" gets 66; 66,000,000,000 B / 1,073,741,824 B is 61.5, so 61 fit. Of 81,920
// MiB the weights leave enough for 66.96. Three numbers for one question, and
// the difference between them is a unit.
//
// Of heads that share, only those that keep anything count: 32 over 4 are 8
// times less. A value of 8 bits is half of one of 16; block formats add scales,
// 34 B for 32 values.
//
// # Measurement
//
// A child process takes a cache from the kernel, tensor by tensor, and writes
// it with numbers that do not repeat: a page that was not written is not there.
// What the kernel says that it has, in memory or swapped out, is read before
// and after, from a walk of its page tables. Collections and huge pages are off
// meanwhile. Two lengths give a slope, which is the bytes of a token whatever
// the process takes beside it.
//
// For the ceiling a child lowers its own RLIMIT_DATA to what it has and F bytes
// more, or RLIMIT_AS on a kernel that knows no other. That needs no privilege,
// and holds in containers and out of them; a memory cgroup would need rights
// that few have. Then the child takes and writes sequences until it is refused
// one, and says how many it got. The first trial is the question's own, card and
// tokens divided by 1,024, so that it takes 61 MiB and not 61 GiB; the others
// have limits at random. A trial in which the process took so much for itself
// that it changes the quotient, or was refused what would have fit, is made
// again, at most five times.
//
// # Claims
//
// cache-costs-what-it-multiplies-to: what is counted is the product, and next
// to nothing else.
//
// grouped-heads-divide-by-the-group: who asks costs nothing, who keeps does.
//
// ceiling-is-where-division-says: the number of sequences is a quotient of
// bytes, rounded down.
//
// one-byte-cache-doubles-the-ceiling: so half of the bytes is twice the number.
//
// # Limits
//
// The cache of a real engine lies on a card, in blocks, with room kept for the
// activations and for the engine itself: a card that reports 81,920 MiB was seen
// to stop at 64 sequences, where the division says 66. That room is in no
// product, and only the engine can be asked for it.
//
// All sequences have one length here. What it takes to reserve nothing for the
// longest is lab paging.
//
// On a system other than Linux the kernel neither tells exactly what a process
// has nor holds it to a limit, and all claims are void (unreachable); so they
// are where a limit that is set already leaves too little.
package kvcache
