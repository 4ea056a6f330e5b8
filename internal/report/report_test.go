package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"envelope/internal/measure"
	"envelope/manifest"
)

var update = flag.Bool("update", false, "write the pages that the tests compare with")

// the fixed runs: what each of them is made of was measured once, and stays.
var fixed = []string{"held", "failed", "interrupted", "predicted"}

// load reads the last run of a results file.
func load(t testing.TB, name string) manifest.Run {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var d manifest.Document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d.Runs[len(d.Runs)-1]
}

func testRun(t testing.TB, name string) manifest.Run {
	t.Helper()
	return load(t, filepath.Join("testdata", name+".json"))
}

// reference is the project's own run, of every lab.
func reference(t testing.TB) manifest.Run {
	t.Helper()
	return load(t, filepath.Join("..", "..", "results.json"))
}

func pageOf(t testing.TB, run manifest.Run) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, run); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGolden(t *testing.T) {
	for _, name := range fixed {
		got, golden := pageOf(t, testRun(t, name)), filepath.Join("testdata", name+".golden.html")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			at := 0
			for at < len(got) && at < len(want) && got[at] == want[at] {
				at++
			}
			t.Errorf("%s: differs at byte %d: got %q, want %q; go test ./internal/report -update writes it anew",
				name, at, excerpt(got, at), excerpt(string(want), at))
		}
	}
}

func excerpt(s string, at int) string { return s[max(0, at-60):min(len(s), at+60)] }

// Exit 0 is not said to be more than it is, where noise was let pass.
func TestExitMeaning(t *testing.T) {
	check := func(code int, reason measure.Reason, want string) {
		t.Helper()
		run := testRun(t, "held")
		run.ExitCode = code
		if reason != "" {
			run.Labs[0].Claims[0].Verdict, run.Labs[0].Claims[0].Reason = measure.Void, reason
		}
		if got := newPage(run).Exit; got.Code != code || got.Meaning != want {
			t.Errorf("%s: got %d, %q, want %q", reason, got.Code, got.Meaning, want)
		}
	}
	check(manifest.ExitHeld, "", exits[manifest.ExitHeld])
	check(manifest.ExitHeld, measure.Unreachable, exits[manifest.ExitHeld])
	check(manifest.ExitHeld, measure.Noisy, letPass)
	check(manifest.ExitUnjudged, measure.Noisy, exits[manifest.ExitUnjudged])
	check(77, "", "no meaning is known to this version")
}

// The same run gives the same bytes, whatever order maps are gone through in.
func TestSameBytes(t *testing.T) {
	run := reference(t)
	first := pageOf(t, run)
	for range 4 {
		if pageOf(t, run) != first {
			t.Fatal("the same run gave two pages")
		}
	}
	if n := len(first); n > 1<<20 {
		t.Errorf("got a page of %d bytes, want at most 1 MiB", n)
	}
}

// What a page says first is what failed; the exit code has its meaning.
func TestVerdictComesFirst(t *testing.T) {
	check := func(name, exit string, inOrder ...string) {
		t.Helper()
		page := pageOf(t, testRun(t, name))
		at := 0
		for _, want := range append([]string{exit}, inOrder...) {
			i := strings.Index(page[at:], want)
			if i < 0 {
				t.Errorf("%s: got no %q behind byte %d", name, want, at)
				return
			}
			at += i
		}
	}
	check("held", "<strong>Exit 0</strong> every claim that this machine can reach held", "<h2>The labs</h2>", "<h2>ladder</h2>", "What survived")
	check("failed", "<strong>Exit 1</strong> a claim failed.", "6 held, 1 failed, 7 void", "<h2>What failed</h2>", "buffered/measuring-real-storage",
		"<h2>What is void, and why</h2>", "<b>precondition</b>: a claim that it rests on failed or is void", "barrier/full-flush-costs-more", "<h2>The labs</h2>")
	check("interrupted", "<strong>Exit 130</strong> interrupted.", "<dt>interrupted, took</dt>", "<b>interrupted</b>: the run was stopped before it was measured")
	check("predicted", "<strong>Exit 0</strong>", "<h2>Predictions</h2>", "316 µs (100 µs to 1 ms)", "measured outside the interval")
}

// A run without failures has no heading for them, and one without predictions no plot.
func TestWhatIsNotThereIsNotShown(t *testing.T) {
	check := func(name string, absent ...string) {
		t.Helper()
		page := pageOf(t, testRun(t, name))
		for _, text := range absent {
			if strings.Contains(page, text) {
				t.Errorf("%s: got %q in the page", name, text)
			}
		}
	}
	check("held", "What failed", "What is void", "<h2>Predictions</h2>")
	check("predicted", "What failed", "What survived")
	// Storage that was not measured has no cost.
	check("failed", "What fsync charges for", "The same block, by method")
	check("interrupted", "What failed", "What fsync charges for", "When a record is acknowledged")
}
