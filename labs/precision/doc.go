// Package precision asks whether two programs differ by a fault or by rounding.
//
// # Question
//
// Two programs for one network are written independently and train from the same
// weights on the same data. After 1,000 steps their weights differ. Is one of the
// programs wrong? How much further apart do they end in float32 than in float64,
// if it is rounding, and how much if it is a fault? How closely can a gradient be
// held against differences at all? And what does a gradient lose when the last of
// the rows that meet in one place replaces the others?
//
// # Axioms
//
// An operation in float32 is off by at most 2^-24 of its result, one in float64 by
// 2^-53. AdamW keeps 0.9 of its mean of the gradient and 0.999 of its mean of the
// square.
//
// # Division
//
// Rounding enters at each operation in proportion to the roundoff, and what
// training then makes of it depends on the network and not on the type. So the
// two types differ by the quotient of their roundoffs, 2^-24 / 2^-53 = 2^29 =
// 5.4e8. A fault is as large in one type as in the other: a quotient of 1.
//
// A central difference with step h cuts off h^2 / 6 of the third derivative, and
// divides what both values were rounded by, up to 2^-53, by h. The sum is least
// where h is the cube root of 3 x 2^-53, 6.9e-6: there it is 2.4e-11.
//
// The mean that has seen one gradient of ten holds a tenth of it, and the root of
// the mean of squares the root of a thousandth: uncorrected, the first step of
// AdamW is 0.1 / 0.0316 = 3.2 times as long.
//
// 1,024 tokens on 64 rows leave one token in each row when the last one wins: 64 /
// 1,024. To add 256 rows where they belong takes 256 additions of a row; the
// product of zeros and ones with them adds each to all of 128 rows, 128 times as
// many.
//
// # Measurement
//
// The engine is internal/autograd: reverse-mode differentiation over arrays, in
// either type. Each operation is used over shapes of all kinds, twice on the same
// arguments, and its gradient along a random direction compared with central
// differences of step 2^-17, each element of each argument. Arguments keep off
// kinks and poles.
//
// A plain sum is the direction of ones, and in it a fault can cancel: three
// gradients that are wrong, in an order or altogether, are right in their sum.
//
// The network sums rows of a table, one for each of the last characters, and goes
// on through a layer norm and a SiLU to logits and their cross-entropy. Its twin
// is written out by hand, without a graph: one example after another, all sums
// from the last element to the first, the optimizer in another form. Both train on
// a random text in which two characters determine the third three times in four.
// In the engine and in the twin every product is rounded before it is added, also
// where the machine could do both at once.
//
// The same network, wider and in float32, learns the documentation of all labs of
// this suite, of which pieces are held out. The bigram gets the smoothing that
// suits those pieces best.
//
// No claim rests on a time. That of the one-hot product and of the loop is
// measured for the question alone.
//
// # Claims
//
// every-gradient-matches-differences: all operations, repeated along every set of
// axes, with axes of size 1 and 0, and three programs in which gradients meet.
//
// projection-catches-a-transpose: a transposed gradient has the same sum.
//
// repeated-rows-accumulate: against sums of integers, which have no order.
//
// doubles-agree: not at all would mean that the twin is no other program; by more
// than 1e-11, that one of the two is wrong.
//
// singles-drift-and-it-is-rounding: a fault that both types share would bring them
// equally far apart.
//
// deep-graphs-do-not-recurse: a chain, and a ladder with 2^13,333 ways to its foot.
//
// it-learns: what the whole is for.
//
// # Limits
//
// Equal gradients are no proof that a program computes what was meant: twins may
// share a misunderstanding, and differences are taken of the very function that
// may be the wrong one. That it learns is evidence of another kind.
//
// Differences say nothing at a kink, and little of a gradient far smaller than the
// others of its array: the error is one of norms.
//
// That rounding grows alike in both types holds while it stays small. Trained
// longer, or at a higher rate, float32 forks: a study of another network found
// 0.3 after ten epochs in float32 where float64 was at 5e-14, far more than 2^29
// apart. A difference of that size alone can't be told from a fault; the float64
// run tells it.
//
// The one-hot product loses to a loop that is compiled. Where each turn of the
// loop costs a call of an interpreter it has been seen to win 17 times over.
//
// Exponentials and logarithms are the standard library's, and differ in the last
// bit from one machine to another: the drifts do too, the claims don't.
//
// The text is short, and grows with the suite; 0.85 leaves room for that. It says
// that the engine learns, not that the network is a good one.
package precision
