package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/internal/compare"
	"envelope/internal/host"
	"envelope/internal/measure"
	"envelope/manifest"
)

// hostile is a run all of whose texts would speak to a terminal or to a page.
func hostile(n int) manifest.Run {
	evil := "\x1b[2J\x1b]0;x\x07\u202e\u009b2J\r\n::error::|<script>`*" + strings.Repeat("x", n)
	v := float64(n)
	claim := func(name string, verdict measure.Verdict) manifest.Claim {
		return manifest.Claim{Name: name + evil[:len(evil)-n], Version: 1, Unit: "\x1b[2J", Terms: measure.Terms{Kind: measure.Comparison}, Verdict: verdict,
			Reason: measure.Reason(evil), Detail: evil, Estimate: &manifest.Estimate{Value: &v, Low: &v, High: &v}}
	}
	other := claim("version", measure.Held)
	other.Version = n
	q := axioms.Seconds(v)
	var e host.Environment
	e.CPU.Model, e.Target.Filesystem, e.Target.Device = host.Known(evil, "", evil), host.Known(evil, "", ""), host.Missing[string](evil)
	if n == 2 {
		e.Target.Device = host.Known(evil, "", "")
	}
	e.CPU.Caches = host.Known([]host.Cache{{Level: n, Type: evil}}, "", "")
	e.Target.Layers = host.Known([]host.Layer{{Device: evil, Kind: evil}}, "", "")
	e.Target.Options = host.Known([]string{evil}, "", "")
	e.Target.Disks = host.Known([]host.Disk{{Name: evil, Model: host.Known(evil, "", "")}}, "", "")
	return manifest.Run{
		ID: evil, Digest: evil, Outcome: manifest.Outcome(evil), Command: []string{evil, evil}, Environment: e,
		Program: manifest.Program{
			Version: evil, Commit: host.Known(evil, "", ""), GoVersion: evil, GOOS: evil, GOARCH: evil,
			Settings: map[string]string{"\x1b[2J": evil}, Sources: map[string]manifest.Sources{"\x1b[2J": {"a": evil}},
		},
		Axioms: []axioms.Measured{{Name: "\x1b[2J", Quantity: q, Low: q, High: q, N: 9, Method: "m"}},
		Labs: []manifest.Lab{
			{Name: "lab\x1b[2J", Source: evil, Claims: []manifest.Claim{claim("turns", measure.Verdict(n)), claim("void", measure.Void), other}},
			{Name: evil, Claims: []manifest.Claim{claim("alone", measure.Held)}},
		},
	}
}

// colourless is a text without the styles that are ours: what is left of a
// sequence came from somewhere else.
func colourless(text string) string {
	return strings.NewReplacer("\x1b[1m", "", "\x1b[2m", "", "\x1b[m", "", "\x1b[33m", "", "\x1b[1;31m", "").Replace(text)
}

// JSON says the same with those characters by their numbers.
func TestHostileJSON(t *testing.T) {
	want := "\x00\x1b[2J\x7f\u009b2J\u202e\u2028\u200b\ufeff\U000e0041<ü😀>\\\"\n\t"
	var out bytes.Buffer
	if err := writeJSON(&out, []string{want}); err != nil {
		t.Fatal(err)
	}
	if around, bad := unprintable(out.String()); bad {
		t.Errorf("a control character in %q", around)
	}
	var got []string
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("got %q and %v, want %q", got, err, want)
	}
}

// Nothing that a file says reaches the terminal as a command.
func TestHostileComparison(t *testing.T) {
	c, err := compare.Of(hostile(1), hostile(2))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"a\x1b[2J.json#1", "b\u202e.json#2"}
	for _, format := range comparisons {
		var out bytes.Buffer
		if err := printComparison(off(&out), c, format, names); err != nil {
			t.Fatal(err)
		}
		text := colourless(out.String())
		if around, bad := unprintable(text); bad {
			t.Errorf("%s: a control character in %q", format, around)
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "::") {
				t.Errorf("%s: the file has begun a line of its own: %q", format, line)
			}
		}
		if format == "markdown" && (strings.Contains(strings.ReplaceAll(text, `\<`, ""), "<") || strings.Contains(strings.ReplaceAll(text, "\\`", ""), "`")) {
			t.Errorf("markdown: text of the file is not escaped in\n%s", text)
		}
		if !strings.Contains(text, "turns") {
			t.Errorf("%s: the claim that turned round is not there:\n%s", format, text)
		}
	}
}

// One long name does not make a table of many rows as wide as that.
func TestLongNames(t *testing.T) {
	const long, rows = 100_000, 500
	a, b := hostile(1), hostile(2)
	q := axioms.Seconds(1)
	for i := range rows {
		name := fmt.Sprint("n", i)
		if i == 0 {
			name = strings.Repeat("n", long)
		}
		b.Program.Settings[name] = strings.Repeat("v", long/rows)
		for _, r := range []*manifest.Run{&a, &b} {
			r.Axioms = append(r.Axioms, axioms.Measured{Name: name, Quantity: q, Low: q, High: q, N: 9, Method: "m"})
		}
	}
	b.Program.GoVersion = strings.Repeat("v", 10*long)
	c, err := compare.Of(a, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"text", "markdown"} {
		var out bytes.Buffer
		if err := printComparison(off(&out), c, format, []string{"a", "b"}); err != nil {
			t.Fatal(err)
		}
		if most := 4 * 10 * long; out.Len() > most {
			t.Errorf("%s: got %d bytes, want at most %d", format, out.Len(), most)
		}
	}
}

// two makes a file with two runs that differ, and returns its name.
func two(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "r.json")
	for _, args := range [][]string{{"envelope", "run", "good", "bad", "mixed", "away"}, {"later", "run", "bad", "mixed", "away", "fickle"}} {
		p := prepare(t, t.TempDir(), append(args, "--results", file)...)
		p.Run() // with any exit code
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	return file
}

// A run that was stopped is left out, and that is said. Where it is named, what it
// had judged is compared.
func TestCompareInterrupted(t *testing.T) {
	dir := t.TempDir()
	compare := func(want int, names ...string) (stdout, stderr string) {
		t.Helper()
		cmd := prepare(t, dir, append([]string{"envelope", "compare"}, names...)...)
		var out, err strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &err
		cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("compare %v: got exit %d and %s, want %d", names, got, &err, want)
		}
		return out.String(), err.String()
	}
	has := func(text string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("got\n%s\nwant %q", text, w)
			}
		}
	}
	stop := func() {
		t.Helper()
		p := prepare(t, dir, "envelope", "run", "good", "hang", "away").start()
		p.says("at work")
		p.signal(syscall.SIGINT)
		p.ends(manifest.ExitInterrupted)
	}
	run := func() {
		t.Helper()
		if err := prepare(t, dir, "envelope", "run", "good", "away").Run(); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	_, stderr := compare(manifest.ExitError, "results.json")
	has(stderr, "results.json: no run in it came to its end")
	run()
	_, stderr = compare(manifest.ExitError, "results.json")
	has(stderr, "there is one complete run in it")
	stop()
	run()
	stop()
	stdout, stderr := compare(manifest.ExitHeld, "results.json")
	has(stdout, "(results.json#-4)", "(results.json#-2)")
	has(stderr, "results.json#-1 was interrupted, and is left out", "results.json#-3 was interrupted")
	stdout, _ = compare(manifest.ExitHeld, "results.json", "results.json#1")
	has(stdout, "(results.json#-2)", ", interrupted\n", "\n  counts-agree      0", "\n  not in A: lab hang (1 claim)\n")
}

// A reader that has gone is no fault of a comparison.
func TestComparisonIntoClosedPipe(t *testing.T) {
	file := two(t)
	for _, format := range comparisons {
		p := prepare(t, t.TempDir(), "later", "compare", file, "--format", format)
		p.Stdout = broken(t)
		p.start().ends(manifest.ExitFailed) // for the claim that turned round
	}
}

// Nor is it one of a page.
func TestReportIntoClosedPipe(t *testing.T) {
	file := two(t)
	p := prepare(t, t.TempDir(), "later", "report", file)
	p.Stdout = broken(t)
	p.start().ends(0)
	if p.all.Len() > 0 {
		t.Errorf("it said %q", &p.all)
	}
}

func TestMark(t *testing.T) {
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 27: "AB", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA"} {
		if got := mark(i); got != want {
			t.Errorf("%d: got %s, want %s", i, got, want)
		}
	}
}

func TestFactTexts(t *testing.T) {
	check := func(d compare.Difference, want string, values ...any) {
		t.Helper()
		for _, v := range values {
			value := compare.Value{Value: v}
			if v == nil {
				value.Unknown = "no file"
			}
			d.Values = append(d.Values, value)
		}
		if got := byRun(factTexts(d)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check(compare.Difference{}, "A ext4; B tmpfs", "ext4", "tmpfs")
	check(compare.Difference{}, "A, C ext4; B unknown (no file)", "ext4", nil, "ext4")
	check(compare.Difference{Unit: "B"}, "A 2 GiB; B 4 GiB", float64(2<<30), float64(4<<30))
	check(compare.Difference{Unit: "B"}, "A 24000000000 B; B 24000000512 B", 24e9, 24e9+512) // alike to three digits
	check(compare.Difference{Unit: "B"}, "A 1000204886016 B; B 1000204886528 B", uint64(1000204886016), uint64(1000204886528))
	check(compare.Difference{Unit: "s"}, "A 1.0001e-06 s; B 1.0002e-06 s; C unknown (no file)", 1.0001e-6, 1.0002e-6, nil)
	check(compare.Difference{Hash: true}, "A 0000000000001; B 0000000000002", "0000000000001", "0000000000002")
	check(compare.Difference{Unit: "1", Share: true}, "A 5 %; B 87.2 %", 0.05, 0.8724)
	check(compare.Difference{Unit: "1"}, "A 1; B 18446744073709551615", uint64(1), uint64(1<<64-1))
	check(compare.Difference{}, "A yes; B no", true, false)
	check(compare.Difference{}, "A also discard; B nothing more", []string{"rw", "discard"}, []string{"rw"})
	check(compare.Difference{}, "A rw discard; B discard rw", []string{"rw", "discard"}, []string{"discard", "rw"})
	check(compare.Difference{}, "A none; B unknown (no file)", []string{}, nil)
	var long, longer []string
	for i := range 200_000 { // as many as a document may hold, in one pass
		long, longer = append(long, fmt.Sprint(i)), append(longer, fmt.Sprint(i))
	}
	check(compare.Difference{}, "A nothing more; B also x", long, append(longer, "x"))
	check(compare.Difference{Hash: true}, "A 000000000000; B abc", strings.Repeat("0", 64), "abc")
	cache := host.Cache{Level: 3, Type: "Unified", Size: 32 << 20}
	shared, whole := cache, cache
	shared.SharedBy, whole.SharedBy = 2, 1
	check(compare.Difference{}, "A L3 32 MiB; B L3 32 MiB for 2 CPUs", []host.Cache{cache}, []host.Cache{shared})
	check(compare.Difference{}, `A [{"level":3,"type":"Unified","size":33554432,"shared_by":0}]; B [{"level":3,"type":"Unified","size":33554432,"shared_by":1}]`,
		[]host.Cache{cache}, []host.Cache{whole})
	check(compare.Difference{}, "A L1d 48 KiB; B none", []host.Cache{{Level: 1, Type: "Data", Size: 48 << 10}}, []host.Cache{})
}

// An id is cut where that leaves it the only one.
func TestShortID(t *testing.T) {
	at := time.Date(2026, 5, 17, 9, 30, 0, 0, time.UTC)
	ids := []string{"01a22d80-0006-7000-8000-000000000001", "01a22d80-0006-7000-8000-000000000002", manifest.NewID(at)}
	var runs []manifest.Run
	for _, id := range ids {
		runs = append(runs, manifest.Run{ID: id})
	}
	c, err := compare.Of(runs...)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{ids[0], ids[1], ids[2][:13]} {
		if got := runText(c, i, "f"); !strings.HasPrefix(got, want+" (f), ") {
			t.Errorf("got %q, want it to begin with %s", got, want)
		}
	}
}

// Two runs with one id are not taken for one where their digests differ.
func TestAltered(t *testing.T) {
	c, err := compare.Of(manifest.Run{ID: "one", Digest: "a"}, manifest.Run{ID: "one", Digest: "b"}, manifest.Run{ID: "one", Digest: "a"})
	if err != nil {
		t.Fatal(err)
	}
	check := func(format string, want ...string) {
		t.Helper()
		var out bytes.Buffer
		if err := printComparison(off(&out), c, format, []string{"f#1", "f#2", "f#3"}); err != nil {
			t.Fatal(err)
		}
		for _, line := range want {
			if !strings.Contains(colourless(out.String()), line) {
				t.Errorf("%s: got\n%s\nwant %q", format, out.String(), line)
			}
		}
	}
	const altered = "A and B have one id and are not the same: one of them was changed after it was written"
	check("text", "\naltered "+altered+"\n", "\nsame A and C are the same run\n", "What else differs")
	check("markdown", "\n"+altered+".\n", "\nA and C are the same run.\n")
}
