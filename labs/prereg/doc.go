// Package prereg asks whether a result that was found by looking is skill.
//
// # Question
//
// Ten trading strategies are worth nothing. Each is tried on a year of data, and
// the best is shown: what is its Sharpe ratio? How many studies that keep the
// best of twenty find skill at an error of 5 %? How often does a test at 5 %
// find a mean that is zero, if each day correlates with the last by 0.3? What do
// fees take from a strategy that trades every day? And how many registered
// results has a holdout that was half read when its study was killed?
//
// # Axioms
//
// Given: a worthless strategy has a mean return of zero, so that its Sharpe
// ratio of a year is spread around zero by 1. A test at 5 % asks for 1.645
// standard errors on one side, or 1.96 on either. Fees are 15 bps of what is
// bought or sold. Nothing of it is a number of this machine.
//
// # Division
//
// The largest of n normal numbers is on average about (1 - g) z(1 - 1/n) + g z(1
// - 1/(n e)), with z the normal quantile and g = 0.577: 1.575 for 10, 1.901 for
// 20, 2.276 for 50. It is an approximation. The integral gives 1.539, 1.867 and
// 2.249, so it is too large by 2.3 %, 1.8 % and 1.2 %, and by 2.5 % for 5 and
// 0.9 % for 100.
//
// The best of 20 passes a test at 5 % unless all 20 fail: 1 - 0.95^20 = 64 %.
//
// If days correlate by 0.3^k, their mean has (1 + 0.3) / (1 - 0.3) = 1.86 times
// the variance. 1.96 / sqrt(1.86) = 1.44 standard errors are passed 15.0 % of
// the time. The weights of five lags, 5/6 to 1/6, leave 1.65 of the 1.86: 6.4 %.
//
// Two places drawn on a line from -1 to 1 are 2/3 apart on average, and each is
// 1/2 from the middle. A strategy whose ranks know nothing of the day before
// trades (2/3) / (1/2) = 1.333 of its capital a day; times 15 bps and 365, 73 %
// a year. (With 1.311 a day, as in the study that this lab comes from, 71.8 %.)
//
// # Measurement
//
// The records are random, the statistics the package's own: moments, the
// probabilistic and the deflated Sharpe ratio, the variance of Newey and West,
// rank correlation. Every number of draws is chosen so that a claim that is true
// fails less than once in a million runs; the derivations stand beside the code.
//
// The market is built: each day a signal adds to the returns in the order of its
// ranks, a little, and on every fifth, on average, one of the ten lowest
// doubles. Ranks are held as positions. The control takes each day's returns,
// keeps their ranks and gives them thin tails: the same rank correlation, and a
// gain.
//
// The features are those of an ordinary signal: momentum, volatility and
// relative volume over 20 days, scaled on each day over a universe that is
// chosen on each day. From each day on everything is exchanged for another
// history, and then taken away.
//
// The lock is the record in which predict keeps its predictions, and the study a
// process. What it may look at is kept by its parent, who hears the hash of the
// registration and every question for the data. The study is killed with SIGKILL
// before each step of the record that changes the disk, and with part of the
// data read; then another study comes, with another idea. At last the record of
// two studies is edited: each field of the first registration, with four degrees
// of care about the hashes that would give it away.
//
// # Claims
//
// luckiest-of-n-looks-skilled: half of what is allowed is the formula's own
// error.
//
// deflation-restores-the-error-rate: to less than it was meant to be. The best
// of 20 spreads less than one record, and its own size goes into the spread that
// it is held against, so that 0.05 % of studies find skill and not 5 %. The price
// is paid by skill: of 20,000 studies with one record of three standard errors
// 12 % found it, and 59 % with a test of the best at 1 - 0.95^(1/20), which has
// the 5 % and is printed beside it.
//
// autocorrelation-fakes-confidence: and five lags take most of that away, not
// all: 6.9 % over two years of days. More lags lose less to the weights and more
// to chance, and no number of them brings back the 5 %.
//
// ranks-can-be-right-and-lose: before any fee. A rank is worth the same whether
// what stands behind it is 1 % or 100 %, and money is not.
//
// the-future-is-invisible: to the features and the universe of all days before.
//
// the-lock-allows-one-look: whoever read a part of the data has looked. A
// registration that agrees with itself in every hash is found out by nobody but
// those who got the hash before the look.
//
// # Limits
//
// Trials that resemble each other count for fewer than they are, and the formula
// does not know it: with three quarters in common the best of n comes to half.
// Nor does it know of trials that were never written down.
//
// The deflated ratio needs the spread of all trials. Here it is taken from the
// same twenty, as it would be. That 20 is the right number is assumed.
//
// A market in which what is sold short jumps once in a while was built to make
// the point; how common it is, this lab can't say. Perturbing finds what a
// feature takes from later days. It does not find that a whole idea was chosen
// by somebody who knew how the years went.
//
// The lock is as good as its key. It counts attempts by a question's wording,
// and the wording of this study names the data by their hash and nothing of the
// idea. Had it named the idea, each new idea would have a first look. Nothing
// keeps somebody from another directory, or from data that he has elsewhere. A
// SIGKILL shows the order of what was written, and nothing of what a power cut
// leaves (lab ladder).
package prereg
