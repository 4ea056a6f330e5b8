package cli

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
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
	"envelope/manifest"
)

// TestMain makes the test binary six programs: the tests, envelope over the
// labs of fakes_test.go on a machine of which nothing is known, noisy and slow,
// which are the same on one that is never quiet and on one that never comes to an
// end with its axioms, later, which is envelope some releases on, and real, which
// is envelope over the registry on this one.
func TestMain(m *testing.M) {
	if code, child := driver.Dispatch(labs.All, os.Args[1:]); child {
		os.Exit(code)
	}
	testscript.Main(m, map[string]func(){
		"envelope": func() { command(quickMachine(), fakes()) },
		"noisy":    func() { command(loudMachine(), fakes()) },
		"slow":     func() { command(slowMachine(), fakes()) },
		"later":    func() { command(quickMachine(), laterFakes()) },
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
		Labs: labs, Sources: sourcesOf(labs), Methods: methodsOf(labs),
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
		out["labs/"+l.Name+"/"+l.Name+".go"] = &fstest.MapFile{Data: []byte("package " + l.Name + "\n// " + l.Title + "\n")}
	}
	return out
}

// methodsOf are the methods of labs as the program that has them publishes them:
// beside those of now, those of the fakes of now. The registry has its own.
func methodsOf(list []*lab.Lab) manifest.Methods {
	if list[0] == labs.All[0] {
		return nil
	}
	out := manifest.Methods{}
	for _, l := range append(slices.Clone(list), fakes()...) {
		for _, c := range l.Claims {
			name := l.Name + "/" + c.Name
			if out[name] == nil {
				out[name] = map[int]manifest.Method{}
			}
			out[name][c.Version] = manifest.Method{
				Terms: c.Terms(), Unit: c.Unit, Scope: string(c.Scope), System: c.System, RestsOn: append([]string{}, c.RestsOn...),
				Syncs: c.Syncs, Group: string(l.Group), Since: manifest.Release,
			}
		}
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
