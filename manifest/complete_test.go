package manifest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestSealFindsAnyEdit(t *testing.T) {
	run, err := Seal(exampleRun(t))
	if err != nil {
		t.Fatal(err)
	}
	text, err := plainText(run)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, text []byte, want bool) {
		t.Helper()
		if got := sealed(text, run.Digest); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	check("as it was written", text, true)
	var wide bytes.Buffer
	if err := json.Indent(&wide, text, "", "   "); err != nil {
		t.Fatal(err)
	}
	check("with white space", wide.Bytes(), true)
	check("another kernel", bytes.Replace(text, []byte(`"kernel"`), []byte(`"kernal"`), 1), false)
	check("one digit", bytes.Replace(text, []byte(`"seed":`), []byte(`"seed":1`), 1), false)
	check("cut short", text[:len(text)-1], false)
	if sealed(text, strings.Repeat("0", 64)) {
		t.Error("got a text sealed by another digest")
	}
}

func TestNothingIsMissing(t *testing.T) {
	check := func(name string, change func(r *Run), want string) {
		t.Helper()
		r := exampleRun(t)
		r.Program.Version = Release
		change(&r)
		c := &checker{Run: &r, methods: exampleMethods(), verdicts: map[string]*Claim{}}
		for i := range r.Labs {
			for j := range r.Labs[i].Claims {
				c.verdicts[r.Labs[i].Name+"/"+r.Labs[i].Claims[j].Name] = &r.Labs[i].Claims[j]
			}
		}
		c.complete()
		var got []string
		for _, p := range c.problems {
			got = append(got, p.String())
		}
		if text := strings.Join(got, "; "); (want == "") != (text == "") || !strings.Contains(text, want) {
			t.Errorf("%s: got %q, want %q", name, text, want)
		}
	}
	command := func(args ...string) func(r *Run) {
		return func(r *Run) { r.Command = append([]string{"envelope"}, args...) }
	}
	without := func(lab int, claim string, args ...string) func(r *Run) {
		return func(r *Run) {
			command(args...)(r)
			l := &r.Labs[lab]
			l.Claims = slices.DeleteFunc(slices.Clone(l.Claims), func(c Claim) bool { return c.Name == claim })
		}
	}
	check("all there", command("run"), "")
	check("a claim was cut out", without(0, "a-flush-each", "run"), "barrier/a-flush-each is not there")
	check("of a lab that was named", without(1, "size-is-free", "run", "torntail"), "torntail/size-is-free is not there")
	check("of a lab that was only a probe", without(0, "nobody-rests-on-it", "run", "torntail"), "")
	check("a probe's claim that others rest on", without(0, "an-fsync-is-dear", "run", "torntail"), "barrier/an-fsync-is-dear is not there")
	check("a lab was cut out", func(r *Run) { command("run", "--dir", "DIR")(r); r.Labs = r.Labs[:1] }, "lab torntail was asked for")
	check("a lab of another group", func(r *Run) { command("run", "serving")(r); r.Labs = nil }, "")
	check("an interrupted run", func(r *Run) { command("run")(r); r.Labs, r.Outcome = nil, Interrupted }, "")
	check("another program's", func(r *Run) { without(0, "a-flush-each", "run")(r); r.Program.Version = "(devel)" }, "")
	check("an older program's", func(r *Run) { without(0, "a-flush-each", "run")(r); r.Program.Version = "0.0.9" }, "")
}
