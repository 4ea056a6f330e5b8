// Package paging asks what a page table does for a cache of tokens.
//
// # Question
//
// A server reserves place for 2048 tokens of each sequence, and a sequence ends
// after 350 of them. What share of the place is never used? How many tokens of
// place does it waste if it takes blocks of 16 as it grows? A card has 66 GB
// beside the weights, and the cache of 2048 tokens takes 1 GB: how many such
// sequences fit? And what does it cost that attention must look up where each
// block lies?
//
// # Axioms
//
// Given: 2048 tokens are the longest context, 350 is where sequences end, 16
// tokens make a block; a card of 80 GB with 14 GB of weights. Assumed: one read
// that misses every cache takes about 100 ns. Measured on this machine before
// the lab starts: copying in memory, 10 GB/s where it is not.
//
// # Division
//
// 1 - 350/2048 = 83 %. ceil(350/16) = 22 blocks, 352 tokens, so 2 too many.
// 66 GB / 1 GB = 66 reservations; 66 x 2048 / 352 = 384 sequences, 5.8 times as
// many. (With 1 GiB for 2048 tokens it is 61 and 357: the ratio has no unit.) On
// average a sequence wastes half a block less half a token: nothing in blocks of
// one, which have a table of 350 entries; 7.5 in blocks of 16; 127.5 in blocks
// of 256, and then only 264 fit in place of the 384.
//
// 256 KiB / 10 GB/s = 26 µs. Should each of them begin with a miss of 100 ns, a
// table makes 1.004 of 1. For pieces of 512 B, 51 ns, it would make 3.
//
// # Measurement
//
// The allocator is the package's own. Blocks without an owner are a stack. A
// sequence has a table of blocks and grows token by token; it takes a block when
// its last one is full. A block counts the tables that it stands in. A fork
// shares every block, and whoever writes to a shared block first copies it and
// gives it up afterwards. A block that is full goes into the prefix cache, under
// a hash of all tokens up to its end; when it has lost its last owner it stays
// there until a block is needed and no other has been idle for longer.
//
// A million random operations hold it against a reference made of a map and a
// list, which knows no block numbers, no hash of its own and no list of free
// blocks; after each thousand an audit counts everything again from the tables.
// Beside it stands a scheme that reserves. Both are filled until they refuse.
//
// Attention has softmax(q k / sqrt(128)) v for each head, in float32. What is
// timed reads a layer of 32 heads: 128 tokens a call, 4 MiB, out of a pool of
// 128 MiB that both arms read whole, in turn. One arm finds it in eight blocks,
// scattered by an allocator that has been in use, the other in one piece. The
// loops are plain Go: they read some 10 GB/s, less than the memory of most
// machines gives.
//
// # Claims
//
// waste-is-under-one-block: for every sequence of a server's random day, in
// blocks of 1, 16 and 256 tokens.
//
// six-times-as-many-fit: for sequences of 350 tokens, and for lengths from 1 to
// 688, which take 22 blocks on average as well.
//
// allocator-agrees-with-a-model: refusals, evictions, copies and merges among
// the operations; one that never occurred counts as a difference.
//
// shared-prefix-is-stored-once: by a prompt that was seen before, and by forks.
//
// prefix-identity-is-the-whole-prefix: a hash only says where to look. What is
// compared is the tokens and the block before them, so no collision can give
// anybody a part of another's conversation. (Equal whole prefixes are shared
// between users; that a prompt starts quickly can tell one that another has
// sent it. Servers that mind put the user into the hash.)
//
// indirection-is-nearly-free: the only claim about this machine.
//
// same-answer-through-the-table: after forks, copies, evictions and prompts
// found in the cache, for blocks of 1, 16 and 256 tokens.
//
// # Limits
//
// One layer and one query on one thread stand for a model. A kernel on a card
// reads its blocks with many threads at once and hides a miss better, or worse
// where a block is too small for a wide load.
//
// Where the last-level cache holds 128 MiB, both arms read it instead of memory,
// a miss is cheap, and pieces of 512 B may not cost enough for their control.
//
// The allocator is for one goroutine. When the pool is full in the middle of a
// generation it refuses, and the server must send a sequence away or swap it
// out; which one is the server's business, and no claim's. Tables, counts and
// tokens take memory too, about 110 B for a block of 16: next to 8 MiB of keys and
// values nothing, next to blocks of one token of a small model something.
package paging
