// Envelope is a suite of small labs for back-of-the-envelope systems
// engineering. A lab takes one number that engineers carry in their heads, has
// the user commit to a prediction, measures a ratio or an exact invariant on
// this machine, and says whether the claims that rest on it hold here.
//
//	envelope run [LAB or GROUP...]   measure, judge, append to results.json
//	envelope list                    the labs
//	envelope show LAB                a lab's question, axioms, division, claims
//	envelope controls [LAB...]       break each claim and demand that it fails
//	envelope doctor                  the machine, and whether DIR is fit to measure
//	envelope verify FILE...          judge a manifest again from its samples
//	envelope compare FILE[#RUN]...   runs side by side, and what else differs
//	envelope rerun FILE[#RUN]        what a given run has run, here, and the two compared
//	envelope report FILE[#RUN]       one HTML page of a run, with pictures
//	envelope predict [LAB...]        commit to a number before each lab measures it
//	envelope calibration             how far off the predictions were
//	envelope drill                   rules and challenges by retrieval
//	envelope axioms [--measure]      the constants, beside this machine's own
//	envelope divide EXPR             arithmetic with units
//	envelope floor SIZE [--took T]   the least time at every layer of this machine
//	envelope kv CONFIG [--memory M]  what a model's cache takes, and how many sequences fit
//
// Exit codes: 0 every reachable claim held, machine claims among them; 1 a
// claim failed; 2 usage, or a measurement could not be made; 3 nothing failed,
// but a reachable claim could not be judged, or no machine claim was judged at
// all; 130 interrupted.
package main

import (
	"embed"
	"os"

	"envelope/internal/cli"
	_ "envelope/internal/descriptors" // before anything opens one
	"envelope/internal/driver"
	"envelope/labs"
)

// sources is the text of the program that is running: its hashes go into every
// manifest, and stay with the binary wherever it is copied.
//
//go:embed go.mod *.go axioms/*.go internal/*/*.go internal/*/*.s labs/*.go labs/*/*.go manifest/*.go manifest/*.json predict/*.go predict/*/*.go
var sources embed.FS

//go:embed RULES.md
var rules []byte

//go:embed CHALLENGES.md
var challenges []byte

func main() {
	// A lab's child comes first: a kill trial should not pay for a command line.
	if code, child := driver.Dispatch(labs.All, os.Args[1:]); child {
		os.Exit(code)
	}
	os.Exit(cli.Main(cli.Program{Labs: labs.All, Sources: sources, Rules: rules, Challenges: challenges}, os.Args[1:]))
}
