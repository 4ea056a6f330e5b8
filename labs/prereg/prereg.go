package prereg

import (
	_ "embed"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

//go:embed doc.go
var doc string

// Names of claims that the measurement reports on.
const (
	looksSkilled = "luckiest-of-n-looks-skilled"
	restores     = "deflation-restores-the-error-rate"
	fakes        = "autocorrelation-fakes-confidence"
	canLose      = "ranks-can-be-right-and-lose"
	invisible    = "the-future-is-invisible"
	once         = "the-lock-allows-one-look"
)

// Names of controls.
const (
	oneTrial       = "one-trial"
	variants       = "variants-of-one-idea"
	noDeflation    = "no-deflation"
	noChoice       = "no-choice"
	annualSpread   = "annual-spread"
	independent    = "independent-days"
	subtracted     = "lags-subtracted"
	thinTails      = "thin-tails"
	noSignal       = "no-signal"
	centredWindow  = "centred-window"
	wholeSample    = "whole-sample-scale"
	survivorsOnly  = "survivors-only"
	lockLast       = "lock-written-last"
	sealFromRecord = "seal-from-the-record"
)

// Lab asks what a result may be taken for that was found by looking.
var Lab = &lab.Lab{
	Name: "prereg", Title: "was it skill?", Group: lab.Studies, Doc: doc,
	Questions: questions,
	Claims:    claims,
	Controls:  controls,
	Seconds:   0.1, // it times nothing
	Measure:   measureAll,
	Children:  map[string]func([]string) int{"study": studyChild},
}

// exact is a claim about the suite's own programs of which every observation must
// lie in the region. Where it rests on random draws, what is observed is the end
// of an interval that speaks against the claim, and where it has several bounds,
// the share of each that is used up: the contract's binomial kind has one share and
// one region. Failed then means that the end lies outside; how seldom that is true
// of an honest program is derived beside what observes it.
func exact(name string, region measure.Region, text, observed string) lab.Claim {
	return lab.Claim{Name: name, Text: text, Version: 1, Scope: lab.Program, Kind: measure.Exact,
		Unit: "1", Region: region, Observed: observed}
}

var claims = []lab.Claim{
	exact(looksSkilled, measure.Within(0.95, 1.05),
		"the best of n worthless records has on average the Sharpe ratio that the formula for the expected maximum gives, within 5 %, for n from 5 to 100",
		"both ends of the 95 % interval of the mean best Sharpe ratio of a year / formula, for n = 5, 10, 20, 50, 100, all intervals together"),
	exact(restores, measure.AtMost(1),
		"a plain test at 5 % finds skill in at least 15 % of the best of 20 worthless records, a deflated one in at most 7.5 %, and in at least half of those with skill: none uses up more than 1 of what is allowed",
		"15 % / plain, deflated / 7.5 %, 50 % / deflated with skill, each with the unfavourable end of its 95 % interval, for normal returns and for returns with rare crashes, all intervals together"),
	exact(fakes, measure.AtMost(1),
		"where each day correlates with the last by 0.3, a plain test at 5 % rejects a true mean of zero at least 10 % of the time, and with the variance of Newey and West at lag 5 at most 8 %: neither uses up more than 1 of what is allowed",
		"10 % / plain, Newey-West / 8 %, each with the unfavourable end of its 95 % interval, both together"),
	exact(canLose, measure.Equal(0),
		"a signal whose rank correlation with returns is over 2 standard errors above zero loses money before fees, where what it sells short can jump: 0 of these two facts are otherwise",
		"for each market: 1 if t of the mean rank correlation is not over 2, 1 if the gain before fees is not under 0"),
	exact(invisible, measure.Equal(0),
		"everything from day T on exchanged or taken away leaves each feature and the universe of all days before T as they were: 0 differences",
		"features and memberships before each day that differ when it and all behind it are exchanged, and then when they are gone; 1 more if nothing differs behind it"),
	exact(once, measure.Equal(0),
		"under the lock of predict a holdout has one registered look: a second is never it, a look that was killed half way was it, an edited registration is detected: 0 exceptions",
		"for each study that was killed and the one behind it, facts that the keeper of the holdout heard otherwise than the record says; then 1 for each edit of a record that is not detected"),
}

var controls = []lab.Control{
	{Name: oneTrial, Breaks: []string{looksSkilled}, Text: "the first record is taken for the best of n"},
	{Name: variants, Breaks: []string{looksSkilled}, Text: "the records are variants of one idea: three quarters of their variance are the same days"},
	{Name: noDeflation, Breaks: []string{restores}, Text: "the deflated test asks for a Sharpe ratio above zero, as the plain one does"},
	{Name: noChoice, Breaks: []string{restores}, Text: "the first record is tested instead of the best"},
	{Name: annualSpread, Breaks: []string{restores}, Text: "the spread of the Sharpe ratios is that of a year, and the ratio under test that of a week"},
	{Name: independent, Breaks: []string{fakes}, Text: "the days are independent"},
	{Name: subtracted, Breaks: []string{fakes}, Text: "what the days have in common is subtracted from the variance instead of added"},
	{Name: thinTails, Breaks: []string{canLose}, Text: "each day's returns keep their ranks and get the tails of a normal distribution"},
	{Name: noSignal, Breaks: []string{canLose}, Text: "the signal adds nothing to the returns"},
	{Name: centredWindow, Breaks: []string{invisible}, Text: "the window of a feature lies around its day"},
	{Name: wholeSample, Breaks: []string{invisible}, Text: "features are scaled by the mean and spread of all days"},
	{Name: survivorsOnly, Breaks: []string{invisible}, Text: "the universe holds only what is still listed on the last day"},
	{Name: lockLast, Breaks: []string{once}, Text: "the registration is written after the holdout was evaluated"},
	{Name: sealFromRecord, Breaks: []string{once}, Text: "the audit takes the seal from the record instead of what was said before the look"},
}
