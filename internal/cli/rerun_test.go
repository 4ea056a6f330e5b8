package cli

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"envelope/internal/lab"
	"envelope/labs"
	"envelope/manifest"
)

// ofRegistry is a run of labs of the registry with all of their claims, and the
// claims of others that those rest on.
func ofRegistry(t *testing.T, command []string, names ...string) manifest.Run {
	t.Helper()
	wanted := map[string]bool{}
	for _, name := range names {
		for _, l := range labs.All {
			if l.Name != name {
				continue
			}
			for _, c := range l.Claims {
				wanted[name+"/"+c.Name] = true
				for _, on := range c.RestsOn {
					wanted[on] = true
				}
			}
		}
	}
	r := manifest.Run{Command: command}
	for _, l := range labs.All {
		m := manifest.Lab{Name: l.Name, Seed: 7}
		for _, c := range l.Claims {
			if wanted[l.Name+"/"+c.Name] {
				m.Claims = append(m.Claims, manifest.Claim{Name: c.Name, Version: c.Version, RestsOn: c.RestsOn})
			}
		}
		if len(m.Claims) > 0 {
			r.Labs = append(r.Labs, m)
		}
	}
	return r
}

// Labs that were run for the sake of others are not asked for again.
func TestAsked(t *testing.T) {
	check := func(names ...string) {
		t.Helper()
		run := ofRegistry(t, nil, names...)
		if got := asked(run); !slices.Equal(got, names) {
			t.Errorf("got %v of %d labs, want %v", got, len(run.Labs), names)
		}
	}
	check("barrier")
	check("buffered")
	check("buffered", "barrier")
	check("groupcommit", "torntail")
	var all []string
	for _, l := range labs.All {
		all = append(all, l.Name)
	}
	check(all...)
}

// What a run was called with is what its repetition is called with, and so on.
func TestAgain(t *testing.T) {
	var said bytes.Buffer
	silent := func() *app {
		return &app{Program: Program{Labs: labs.All}, getenv: func(string) string { return "" }, out: off(&bytes.Buffer{}), err: off(&said)}
	}
	check := func(command string, want runFlags) {
		t.Helper()
		run := ofRegistry(t, strings.Fields(command), "ridge")
		for range 2 {
			f := runFlags{dir: "/mnt/x", results: "mine.json"}
			names, err := silent().again(run, &f)
			if err != nil {
				t.Errorf("%s: %v", command, err)
				return
			}
			want.seed, want.dir, want.results = 7, "/mnt/x", "mine.json"
			if diff := cmp.Diff(want, f, cmp.AllowUnexported(runFlags{}), cmpopts.EquateEmpty()); diff != "" || !slices.Equal(names, []string{"ridge"}) {
				t.Errorf("%s: %v, %s", command, names, diff)
			}
			run.Command = redacted(f.amountsTo(names), f.dir)
			if text := strings.Join(run.Command, " "); strings.Contains(text, "mnt") || strings.Contains(text, "mine") {
				t.Errorf("a path is left in %q", text)
			}
		}
	}
	check("envelope run ridge", runFlags{})
	check("envelope run", runFlags{})
	check("envelope run --dir DIR ridge --device cpu-1 --results RESULTS --budget=5s", runFlags{device: []string{"cpu-1"}, budget: 5 * time.Second})
	check("envelope run --device=cpu-1,cpu-all --when-quiet --state PATH --format json", runFlags{device: []string{"cpu-1", "cpu-all"}})
	check("envelope run --require ridge,barrier/one-barrier-for-a-thousand --allow-noisy --trace PATH", runFlags{require: []string{"ridge", "barrier/one-barrier-for-a-thousand"}, allowNoisy: true})
	check("envelope predict ridge --plain --answer PATH", runFlags{})

	// What is not recorded is not carried over, and that is said.
	said.Reset()
	check("envelope run ridge --redis ADDR --trace PATH", runFlags{})
	if text := said.String(); !strings.Contains(text, "--redis is left out") || !strings.Contains(text, "--trace is left out") {
		t.Errorf("it said %q, want what is left out", text)
	}

	refused := func(want string, run manifest.Run) {
		t.Helper()
		if _, err := silent().again(run, &runFlags{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
		if _, err := silent().again(run, &runFlags{}); errors.Unwrap(err) != nil {
			t.Errorf("got %v with the error of its flags in it: --help would be taken for a wish of this call, and be exit 0", err)
		}
	}
	refused("can't be read: unknown flag: --later", ofRegistry(t, strings.Fields("envelope run --later"), "ridge"))
	refused("can't be read", ofRegistry(t, strings.Fields("envelope run --help"), "ridge"))
	refused("no command", ofRegistry(t, nil, "ridge"))
	bare := ofRegistry(t, strings.Fields("envelope run"), "ridge")
	bare.Labs[0].Claims = nil
	refused("no claim", bare)
	mixed := ofRegistry(t, strings.Fields("envelope run"), "ridge", "paging")
	mixed.Labs[1].Seed++
	refused("one seed", mixed)
}

// What this program lacks is told apart from what it measures in another way.
func TestOthers(t *testing.T) {
	a := &app{Program: Program{Labs: []*lab.Lab{fake("good", nil, counted("same", lab.Machine), counted("newer", lab.Machine))}}}
	run := manifest.Run{Labs: []manifest.Lab{
		{Name: "good", Claims: []manifest.Claim{{Name: "same", Version: 1}, {Name: "newer", Version: 3}, {Name: "gone", Version: 1}}},
		{Name: "away", Claims: []manifest.Claim{{Name: "any", Version: 1}}},
	}}
	got := strings.Join(a.others(run), "; ")
	if want := "it lacks good/gone, lab away; it has other method versions of good/newer (version 3 there, 1 here)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	run.Labs = run.Labs[:1]
	run.Labs[0].Claims = run.Labs[0].Claims[:1]
	if got := a.others(run); len(got) > 0 {
		t.Errorf("got %q of a run that has nothing else", got)
	}
}
