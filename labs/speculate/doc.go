// Package speculate asks what may be guessed without changing what is said.
//
// # Question
//
// A small proposer puts forward four tokens, and the model verifies all of them
// in one pass, in place of generating one. Each is accepted seven times in ten,
// and nothing counts behind the first that is rejected. How many tokens does a
// pass give? What does a token cost then? What is lost with a proposer that is
// nearly always wrong, and what happens to the text if a rejected token is
// simply drawn again from the model?
//
// # Axioms
//
// An A100 makes 312 TFLOP/s and reads 2 TB/s. A 7B model in 16 bits has 14 GB of
// weights, read once a pass, and computes 14 GFLOP a position. A proposal is
// accepted with probability 0.7, whatever came before it.
//
// # Division
//
// Five positions in one pass are 5 x 14 GFLOP over 14 GB, 5 FLOP/B; the ridge is
// at 312 TFLOP/s / 2 TB/s = 156, 31 times further on. Computing them takes 5 x 45
// µs = 0.22 ms while the weights take 7 ms, so a pass costs what it did.
//
// The i-th proposal counts if all up to it were accepted, a^i, and one token
// always comes from the model: 1 + a + ... + a^K, which is 2.773 for K = 4, 3.199
// for 8, 3.326 for 16, and never over 1 / (1 - a) = 3.333. So 7 ms / 2.773 = 2.5
// ms a token.
//
// Let p be the model's distribution and q the proposer's. A proposal t is
// accepted with min(1, p(t) / q(t)), so it is proposed and accepted with min(p,
// q). What p still lacks is p - min(p, q) = max(0, p - q), and a rejection is as
// likely as all of that together: drawn from it, normalized, the replacement
// makes up for the difference, and the token is distributed as p, whatever q is.
// The acceptance is what p and q have in common, the sum of min(p, q).
//
// # Measurement
//
// The model is a random Markov chain over eight tokens: behind each of them the
// next has the same eight probabilities in another order. That is small enough
// to know every probability, and to count all 64 pairs of tokens; and a second
// token that is judged behind the wrong first one shows.
//
// The decoder is real. It proposes K tokens one behind the other, accepts or
// rejects each in turn, and replaces the first rejected one. For the first claim
// it generates two tokens behind one prompt, 2^21 times for each of three
// proposers and two numbers of proposals: a good one, which is a flatter version
// of the model, a bad one, which is another model, and one that proposes only
// what the model finds unlikely. The counts give the total variation from the
// model, and with McDiarmid's inequality an upper bound that assumes nothing of
// the decoder. For the second, the proposers are made so that they have exactly
// a in common with the model, behind every token, and 2^21 passes are counted.
//
// The n-gram proposer looks for the last place at which the latest three words
// stood (or two, or one), and proposes the eight that followed there. The text
// is this lab's own source, tests left out, in words and signs; the model that is
// certain of each next word stands in for one that would write it.
//
// Nothing is timed. What a verified position costs on this machine is the claim
// below-the-ridge-more-is-nearly-free of lab ridge: verifying K tokens of one
// sequence is the same product as one token each of K sequences.
//
// # Claims
//
// output-is-distributed-as-p: at most 0.01 from the model over two tokens, with
// 95 % confidence for all proposers at once.
//
// yield-follows-the-formula: for K = 4, 8, 16 and a = 0.7, 0.9.
//
// a-bad-proposer-costs-only-speed: one that names nothing but the model's least
// likely token. The distribution is the model's all the same, and a pass still
// gives a token.
//
// copying-code-is-predictable: the same words in random order have the same
// frequencies, so what is left over is order.
//
// # Limits
//
// Below the ridge a verified position is nearly free; beside a large batch it is
// not, since the batch has spent the idle arithmetic already. The proposer's own
// time is left out: with one that takes a share c of a pass for each token, a
// pass gives its tokens in 1 + K c of the time, and there is a best K.
//
// Acceptance is taken as the same for every position, and in a real text it is
// not: it comes in runs. The formula then holds for no single a, but the
// distribution is the model's as before. That needs p and q as they were used
// for drawing: a proposer that reports another q than it drew from changes what
// is said, as does a model whose p differs between one row and many.
//
// A total variation of 0.01 over two tokens is what 2^21 draws can show. It says
// nothing of longer texts than the algebra says, and the tests go through every
// way that a pass over small vocabularies can take, without drawing anything.
//
// The source that is copied from is short, and no other text is claimed to be
// like it.
package speculate
