// Package slots asks who holds the slots of a batch.
//
// # Question
//
// Eight requests run in one batch of eight slots, one token of each in every
// pass, and none leaves before all have ended. They generate 5, 8, 6, 120, 7, 9,
// 6 and 11 tokens. What share of the slot-steps is used? And over many requests,
// few of which are very long: how many passes does it take if a slot is given to
// the next request as soon as it is free? What if the end of a sequence is only
// noticed after the pass that follows?
//
// # Axioms
//
// A pass gives each slot at most one token, and a slot holds one sequence. A
// sequence has as many tokens as it has, and nobody knows the number beforehand.
// Of the lab's 512 requests one in k generates k tokens or more, and none over
// 200; the prompts follow the same law. A core makes about 100 GFLOP/s.
//
// # Division
//
// 5 + 8 + 6 + 120 + 7 + 9 + 6 + 11 = 172 tokens in 8 x 120 = 960 slot-steps:
// 18 %. It is the mean of the lengths over their maximum, 21.5 / 120.
//
// The mean of the law is 1 + 1/2 + ... + 1/200 = 5.88 tokens, and the longest of
// eight comes to 29.5 on average. So a static batch takes 29.5 passes for what
// full slots would do in 5.88: a share of 0.20, and the end on top, when the last
// long sequences have the slots to themselves: of 512 requests, 512 x 5.88 / 8 =
// 377 passes and up to 200 more.
//
// A slot that is freed a pass late has computed one row for nothing: one more
// row for each request, 180 for the question's 172 tokens, 512 for the 3,013 of
// all requests, which is 17 %.
//
// # Measurement
//
// The engine is small, and real. A slot keeps a row of 128 activations. A pass
// gathers the rows of all slots that are held, multiplies them by a matrix of
// 128 x 128 weights in one product, takes the largest element of each row of
// the result for the token, and squashes that row and adds the token's own for
// the next pass. A prompt is read as the sum of its tokens' rows, without a
// pass. All requests wait from the start, and are admitted in their order.
//
// The static scheduler fills its slots, and fills them again when the last
// sequence of the batch has ended; until then it computes the rows of the ended
// ones too, as a padded batch does. The continuous one looks after every pass.
//
// Passes and rows are counted by the engine as it runs; for other orders of the
// requests than the run's own they are counted without it. The clock compares
// whole episodes of 128 requests. Such an episode is short, and its end has a
// larger part in it.
//
// A trace of one's own is simulated beside that, without arithmetic: a CSV file
// with a header and the columns TIMESTAMP, ContextTokens and GeneratedTokens in
// any order, as the public Azure LLM inference traces have them. The times must
// be times, and are not used. Outputs are 1 to 10,000,000 tokens, prompts 0 to
// 10,000,000, lines up to 1,024 bytes, requests up to 50,000,000, files up to
// 4 GB; the first line that is otherwise is an error. No claim rests on a trace.
//
// # Claims
//
// static-occupancy-is-the-mean-over-the-max: for the question's eight, in eight
// orders.
//
// continuous-needs-under-60-percent-of-the-passes: for the run's own order of
// the requests and 64 others.
//
// every-token-is-the-same: whoever shared the batch, and whoever had the slot
// before. A scheduler that changed what is said would be no scheduler.
//
// late-eviction-costs-one-step-each: whatever the length, so it costs short
// answers most.
//
// the-clock-agrees: the only claim about this machine.
//
// # Limits
//
// The weights lie in a cache, so a row costs the same whether it comes alone or
// with others, and a dead row costs what a live one does. Where weights come
// from memory, a pass costs about the same with one row as with eight: then the
// ratio of the passes is what the clock shows, and not that of the rows.
//
// Reading a prompt is work as well, and a long prompt that is read between two
// passes holds up all who are waiting for their next token; here it costs both
// schedulers the same. Nothing is said of the memory that a sequence needs
// while it holds a slot, of requests that come while others run, or of who
// should go first.
//
// With equal lengths a static batch wastes nothing, and the ratio is 1.
package slots
