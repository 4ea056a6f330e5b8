package labs

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"envelope/axioms"
	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/probe"
	"envelope/manifest"
)

var update = flag.Bool("update", false, "add new methods to manifest/methods.json")

func TestLabsAreValid(t *testing.T) {
	if err := lab.Validate(All); err != nil {
		t.Error(err)
	}
}

// What a lab takes as given is assumed somewhere, or measured.
func TestAxiomsExist(t *testing.T) {
	for _, l := range All {
		names := slices.Clone(l.Axioms)
		for _, q := range l.Questions {
			names = append(names, q.Axioms...)
		}
		for _, name := range names {
			if _, err := axioms.Lookup(name); err != nil && !slices.Contains(probe.Names(), name) {
				t.Errorf("%s: %v", l.Name, err)
			}
		}
	}
}

// The table of labs in the README is theirs.
func TestReadmeListsTheLabs(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range All {
		if row := "| " + l.Name + " | " + l.Title + " | "; !strings.Contains(string(readme), row) {
			t.Errorf("README.md has no row %q", row)
		}
	}
}

// A run without names leaves the studies out, and nothing else.
func TestStudiesAreAskedFor(t *testing.T) {
	check := func(studies, others bool, names ...string) {
		t.Helper()
		chosen, err := driver.Labs(All, names)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range All {
			want := others
			if l.Group == lab.Studies {
				want = studies
			}
			if got := slices.Contains(chosen, l); got != want {
				t.Errorf("run %v: lab %s is chosen: %v, want %v", names, l.Name, got, want)
			}
		}
	}
	check(false, true)
	check(true, false, "studies")
	check(true, true, "all")
}

func TestPreconditionsComeFirst(t *testing.T) {
	at := map[string]int{}
	for i, l := range All {
		for _, c := range l.Claims {
			at[l.Name+"/"+c.Name] = i
		}
	}
	for i, l := range All {
		for _, c := range l.Claims {
			for _, p := range c.RestsOn {
				if at[p] > i {
					t.Errorf("%s/%s rests on %s, which comes later", l.Name, c.Name, p)
				}
			}
		}
	}
}

// A question's numbers come from its axioms alone: the derivation must exist
// before anything but the axioms is known.
func TestDerivations(t *testing.T) {
	measured, err := axioms.NewSet(
		given("clock", axioms.Seconds(40e-9)), given("system-call", axioms.Seconds(300e-9)),
		given("cache-copy", axioms.BytesPerSecond(35e9)), given("dram-copy", axioms.BytesPerSecond(12e9)),
		given("seq-write", axioms.BytesPerSecond(900e6)))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range All {
		for _, q := range l.Questions {
			d, err := q.Derive(measured)
			if err != nil || d.Value.Dim.String() != q.Unit || !d.Value.Finite() || d.Value.Value < 0 || d.Steps == "" {
				t.Errorf("%s/%s: derivation %v %q, %v; want a quantity in %s and its steps", l.Name, q.Name, d.Value, d.Steps, err, q.Unit)
			}
			for _, name := range append(q.Axioms, l.Axioms...) {
				if _, err := measured.Get(name); err != nil {
					t.Errorf("%s/%s: %v", l.Name, q.Name, err)
				}
			}
		}
	}
}

func given(name string, q axioms.Quantity) axioms.Measured {
	return axioms.Measured{Name: name, Quantity: q, Low: q, High: q, N: 9, Method: "given", Bounds: "nothing"}
}

// Every claim's method is in the table of published methods, as it is now. A
// method that was published is never changed: a new version is added.
func TestMethodsArePublished(t *testing.T) {
	published, err := manifest.LoadMethods()
	if err != nil {
		t.Fatal(err)
	}
	added := 0
	for _, l := range All {
		for i := range l.Claims {
			c := &l.Claims[i]
			name := l.Name + "/" + c.Name
			now := manifest.Method{Terms: c.Terms(), Unit: c.Unit, Scope: string(c.Scope), System: c.System, RestsOn: append([]string{}, c.RestsOn...),
				Syncs: c.Syncs, Group: string(l.Group), Since: manifest.Release}
			old, ok := published[name][c.Version]
			if !ok && *update {
				if published[name] == nil {
					published[name] = map[int]manifest.Method{}
				}
				published[name][c.Version] = now
				added++
			} else if !ok {
				t.Errorf("%s version %d is not published: go test ./labs -update", name, c.Version)
			} else if diff := cmp.Diff(old, now, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(manifest.Method{}, "Since")); diff != "" {
				t.Errorf("%s version %d changed after it was published; give it a new version:\n%s", name, c.Version, diff)
			}
		}
	}
	if added > 0 {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(published); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("../manifest/methods.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("added %d methods", added)
	}
}
