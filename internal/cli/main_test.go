package cli

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"envelope/axioms"
	"envelope/internal/child/childtest"
	"envelope/internal/driver"
	"envelope/internal/host"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/labs"
)

// TestMain makes the test binary five programs: the tests, envelope over the
// labs of fakes_test.go on a machine of which nothing is known, noisy and slow,
// which are the same on one that is never quiet and on one that never comes to an
// end with its axioms, and real, which is envelope over the registry on this one.
func TestMain(m *testing.M) {
	if code, child := driver.Dispatch(labs.All, os.Args[1:]); child {
		os.Exit(code)
	}
	testscript.Main(m, map[string]func(){
		"envelope": func() { command(quickMachine(), fakes()) },
		"noisy":    func() { command(loudMachine(), fakes()) },
		"slow":     func() { command(slowMachine(), fakes()) },
		"real":     func() { command(driver.Machine{}, labs.All) },
	})
}

// command is a program, run by another user where ENVELOPE_TEST_UID says so.
func command(m driver.Machine, labs []*lab.Lab) {
	if uid, err := strconv.Atoi(os.Getenv("ENVELOPE_TEST_UID")); err == nil {
		if err := childtest.Confine(0, uid); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(99)
		}
	}
	os.Exit(mainOn(m, Program{
		Labs: labs, Sources: sourcesOf(labs),
		Rules:      []byte(cards[0]),
		Challenges: []byte(cards[1]),
	}, os.Args[1:]))
}

// cards are one rule and one challenge, as RULES.md and CHALLENGES.md hold them.
var cards = [2]string{`# Rules

## Rule 1

Cross where the bridge is.

Earned by: good

### Derivation

1. The bridge is 10 m long.
2. The river is 30 m wide beside it.
3. So the bridge is three times shorter.

### Claims

- ` + "`good/it-holds`" + `
`, `# Challenges

## good

### without-a-bridge

How would you cross?

Check: ` + "`envelope run good`" + `
`}

// sourcesOf has one source file for each lab.
func sourcesOf(labs []*lab.Lab) fs.FS {
	out := fstest.MapFS{"main.go": {Data: []byte("package main\n")}}
	for _, l := range labs {
		out["labs/"+l.Name+"/"+l.Name+".go"] = &fstest.MapFile{Data: []byte("package " + l.Name + "\n")}
	}
	return out
}

// quickMachine measures nothing.
func quickMachine() driver.Machine {
	return driver.Machine{
		Barrier: func(*measure.Clock, string, *rand.Rand) (time.Duration, error) { return time.Millisecond, nil },
		Axioms: func(context.Context, *measure.Clock, string, *rand.Rand, time.Duration) ([]axioms.Measured, error) {
			return nil, nil
		},
		Everything: func(context.Context, *measure.Clock, string, *rand.Rand, time.Duration) ([]axioms.Measured, []error, error) {
			q := axioms.Seconds(20e-9)
			return []axioms.Measured{{Name: "mutex", Quantity: q, Low: q, High: q, N: 9, Method: "given", Bounds: "nothing"}}, nil, nil
		},
		Environment: func(dir string) host.Environment {
			e := host.Here(dir)
			e.Target.Options = host.Missing[[]string]("a test")
			e.Target.Boundary = host.Known("none", "", "a test")
			return e
		},
	}
}

// loudMachine is never quiet.
func loudMachine() driver.Machine {
	m := quickMachine()
	m.Volatile = func() host.Volatile { return host.Volatile{Load1: host.Known(1e6, "1", "a test")} }
	quick := m.Environment
	m.Environment = func(dir string) host.Environment {
		e := quick(dir)
		e.Load = m.Volatile()
		return e
	}
	return m
}

// slowMachine says that it has begun to measure its axioms, and never ends.
func slowMachine() driver.Machine {
	m := quickMachine()
	m.Axioms = func(context.Context, *measure.Clock, string, *rand.Rand, time.Duration) ([]axioms.Measured, error) {
		fmt.Fprintln(os.Stderr, "at work")
		select {}
	}
	return m
}
