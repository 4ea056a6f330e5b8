package ledger

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/manifest"

	"github.com/google/go-cmp/cmp"
)

func ptr[T any](v T) *T { return &v }

func TestRegistrationIsReadBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "envelope")
	l := mustOpen(t, dir)
	a := answer("barrier/fsync-8b")
	a.Low, a.High = ptr(axioms.MustParse("100us")), ptr(axioms.MustParse("1ms"))
	a.Derivation = manifest.Derivation{Value: ptr(1e-3), Unit: "s", Steps: "fsync-flash + 8 B / seq-write"}
	b := Answer{Question: "ladder/after-buffering", Text: "How many bytes?", Value: axioms.MustParse("none")}
	preds, seal, err := l.Register(start, []Answer{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if len(preds) != 2 || preds[0].Question != a.Question || preds[1].Unit != "B" || *preds[0].High != 1e-3 {
		t.Fatalf("got %+v", preds)
	}
	for _, p := range preds {
		if p.SHA256 != p.Digest() || len(p.SHA256) != 64 || p.Attempt != 1 || !p.Time.Equal(start) {
			t.Errorf("got %+v, want attempt 1 with its digest", p)
		}
	}
	if preds[0].Nonce == preds[1].Nonce || len(preds[0].Nonce) < 20 {
		t.Errorf("nonces %q and %q", preds[0].Nonce, preds[1].Nonce)
	}
	if seal != Seal(preds) || seal == Seal(preds[:1]) {
		t.Errorf("shown %s", seal)
	}
	want := []Entry{{Prediction: preds[0], Session: seal, Registered: true}, {Prediction: preds[1], Session: seal, Registered: true}}
	for _, l := range []*Ledger{l, mustOpen(t, dir)} {
		if d := cmp.Diff(want, l.History()); d != "" {
			t.Error(d)
		}
	}
}

func TestNothingIsSharedWithTheCaller(t *testing.T) {
	l := mustOpen(t, t.TempDir())
	preds, _, err := l.Register(start, []Answer{{Question: "a/b", Value: axioms.Count(2), Low: ptr(axioms.Count(1)), High: ptr(axioms.Count(3))}})
	if err != nil {
		t.Fatal(err)
	}
	*preds[0].Low = 2
	if h := l.History(); *h[0].Prediction.Low != 1 {
		t.Error("a change of what was returned changed the record")
	}
}

func TestFirstAttemptIsTheRegisteredOne(t *testing.T) {
	dir := t.TempDir()
	for i, text := range []string{"How long?", "How long?", "How long does it take?", "How long?"} {
		a := answer("lab/one")
		a.Text = text
		preds, _, err := mustOpen(t, dir).Register(start, []Answer{a})
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{1, 2, 1, 3}[i]; preds[0].Attempt != want {
			t.Errorf("%d: attempt %d, want %d", i, preds[0].Attempt, want)
		}
	}
	for i, e := range mustOpen(t, dir).History() {
		if want := i%2 == 0; e.Registered != want {
			t.Errorf("%d: registered %v, want %v", i, e.Registered, want)
		}
	}
}

func TestTwoLedgersSeeEachOther(t *testing.T) {
	dir := t.TempDir()
	one, two := mustOpen(t, dir), mustOpen(t, dir)
	for i, l := range []*Ledger{one, two, one} {
		preds, _, err := l.Register(start, []Answer{answer("lab/one")})
		if err != nil {
			t.Fatal(err)
		}
		if preds[0].Attempt != i+1 {
			t.Errorf("attempt %d, want %d", preds[0].Attempt, i+1)
		}
	}
}

func TestRefusedAnswers(t *testing.T) {
	l := mustOpen(t, t.TempDir())
	check := func(want string, answers ...Answer) {
		t.Helper()
		_, _, err := l.Register(start, answers)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	change := func(f func(*Answer)) Answer {
		a := answer("lab/one")
		f(&a)
		return a
	}
	check("there are none")
	check("answered twice", answer("lab/one"), answer("lab/one"))
	check("not LAB/NAME", answer("fsync-8b"))
	check("negative", change(func(a *Answer) { a.Value.Value = -1e-3 }))
	check("not a finite number", change(func(a *Answer) { a.Value.Value = math.Inf(1) }))
	check("not a finite number", change(func(a *Answer) { a.Value.Value = math.NaN() }))
	check("two ends", change(func(a *Answer) { a.Low = ptr(axioms.Seconds(0)) }))
	check("negative", change(func(a *Answer) { a.Low, a.High = ptr(axioms.Seconds(-1)), ptr(axioms.Seconds(1)) }))
	check("its interval in B", change(func(a *Answer) { a.Low, a.High = ptr(axioms.Bytes(0)), ptr(axioms.Bytes(1)) }))
	check("not within its interval", change(func(a *Answer) { a.Low, a.High = ptr(axioms.Seconds(1)), ptr(axioms.Seconds(2)) }))
	check("the question is about B", change(func(a *Answer) { a.Derivation.Unit = "B" }))
	check("no finite number", change(func(a *Answer) { a.Derivation.Value = ptr(math.NaN()) }))
	// One bad answer, and none is registered.
	check("negative", answer("lab/two"), change(func(a *Answer) { a.Value.Value = -1 }))
	if h := l.History(); len(h) > 0 {
		t.Errorf("registered %+v", h)
	}
	if _, err := os.Stat(l.path); err == nil {
		t.Error("there is a file although nothing was registered")
	}
}

func TestReveal(t *testing.T) {
	dir := t.TempDir()
	l := mustOpen(t, dir)
	preds, _, err := l.Register(start, []Answer{answer("lab/one"), answer("lab/two"), answer("lab/three")})
	if err != nil {
		t.Fatal(err)
	}
	outcomes := []Outcome{
		{Question: "lab/two", Verdict: "void", Why: "noisy", RunID: "r"},
		{Question: "lab/one", Measured: ptr(0.5), Unit: "ms", Verdict: "held", RunID: "r"},
	}
	for range 2 { // the second changes nothing
		if err := l.Reveal(preds, outcomes); err != nil {
			t.Fatal(err)
		}
	}
	if *outcomes[1].Measured != 0.5 || outcomes[1].Unit != "ms" {
		t.Error("Reveal changed what it was given")
	}
	h := mustOpen(t, dir).History()
	if d := cmp.Diff(&Outcome{Question: "lab/one", Measured: ptr(0.0005), Unit: "s", Verdict: "held", RunID: "r"}, h[0].Outcome); d != "" {
		t.Error(d)
	}
	if h[1].Outcome.Verdict != "void" || h[2].Outcome != nil {
		t.Errorf("got %+v and %+v, want void and none", h[1].Outcome, h[2].Outcome)
	}
	if size := len(mustRead(t, l.path)); size == 0 || strings.Count(string(mustRead(t, l.path)), "\n") != 2 {
		t.Errorf("want two lines, got %s", mustRead(t, l.path))
	}
}

func TestRefusedOutcomes(t *testing.T) {
	l := mustOpen(t, t.TempDir())
	preds, _, err := l.Register(start, []Answer{answer("lab/one")})
	if err != nil {
		t.Fatal(err)
	}
	check := func(o Outcome, want string) {
		t.Helper()
		if err := l.Reveal(preds, []Outcome{o}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check(Outcome{Question: "lab/other"}, "no prediction for it")
	check(Outcome{Question: "lab/one", Verdict: "passed"}, "unknown verdict")
	check(Outcome{Question: "lab/one", Measured: ptr(math.NaN()), Unit: "s"}, "not a finite number")
	check(Outcome{Question: "lab/one", Measured: ptr(math.Inf(1)), Unit: "s"}, "not a finite number")
	check(Outcome{Question: "lab/one", Measured: ptr(1.0), Unit: "B"}, "in s, and the measurement in B")
	check(Outcome{Question: "lab/one", Measured: ptr(1.0), Unit: "fortnight"}, "fortnight")
	if err := l.Reveal(preds, []Outcome{{Question: "lab/one", Measured: ptr(1.0), Unit: "s"}}); err != nil {
		t.Fatal(err)
	}
	check(Outcome{Question: "lab/one", Measured: ptr(2.0), Unit: "s"}, "revealed before")
	preds[0].SHA256 = strings.Repeat("0", 64)
	check(Outcome{Question: "lab/one"}, "not in this record")
}

func TestSetWhy(t *testing.T) {
	dir := t.TempDir()
	l := mustOpen(t, dir)
	for range 2 {
		if _, _, err := l.Register(start, []Answer{answer("lab/one")}); err != nil {
			t.Fatal(err)
		}
	}
	for _, why := range []string{"first thought", " I took it for bandwidth: größer\x00 "} {
		if err := l.SetWhy("lab/one", 2, why); err != nil {
			t.Fatal(err)
		}
	}
	h := mustOpen(t, dir).History()
	if h[0].Prediction.Why != "" || h[1].Prediction.Why != "I took it for bandwidth: größer\x00" {
		t.Errorf("got %q and %q", h[0].Prediction.Why, h[1].Prediction.Why)
	}
	if h[1].Altered {
		t.Error("a line on why belongs to no registration")
	}
	if err := l.SetWhy("lab/one", 2, ""); err != nil || l.History()[1].Prediction.Why != "" {
		t.Errorf("taking it back: %v, %q", err, l.History()[1].Prediction.Why)
	}
	for why, attempt := range map[string]int{"two\nlines": 2, strings.Repeat("x", 2000): 2, "no such attempt": 3} {
		if err := l.SetWhy("lab/one", attempt, why); err == nil {
			t.Errorf("%.20q for attempt %d was kept", why, attempt)
		}
	}
}

// After a question was worded anew there are two attempts 1.
func TestSetWhyMeansTheLatestWording(t *testing.T) {
	l := mustOpen(t, t.TempDir())
	for _, text := range []string{"How long?", "How long does it take?"} {
		if _, _, err := l.Register(start, []Answer{{Question: "lab/one", Text: text}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.SetWhy("lab/one", 1, "a slip"); err != nil {
		t.Fatal(err)
	}
	if h := l.History(); h[0].Prediction.Why != "" || h[1].Prediction.Why != "a slip" {
		t.Errorf("got %q and %q", h[0].Prediction.Why, h[1].Prediction.Why)
	}
}

func TestDefaultDir(t *testing.T) {
	home := t.TempDir()
	check := func(state, home, want, wantErr string) {
		t.Helper()
		t.Setenv("XDG_STATE_HOME", state)
		t.Setenv("HOME", home)
		got, err := DefaultDir()
		if got != want || (err == nil) != (wantErr == "") || err != nil && !strings.Contains(err.Error(), wantErr) {
			t.Errorf("state %q, home %q: got %q, %v; want %q, %q", state, home, got, err, want, wantErr)
		}
	}
	check("/s", home, "/s/envelope", "")
	check("/s", "", "/s/envelope", "")
	check("", home, filepath.Join(home, ".local/state/envelope"), "")
	check("state", home, "", `XDG_STATE_HOME is "state"`)
	check("", "", "", "HOME is not set")
	check("", "home", "", `HOME is "home"`)
	check("", filepath.Join(home, "gone"), "", "HOME can't be used")
	check("", "/dev/null", "", "not a directory")
}

func TestTimeIsKeptToTheNanosecond(t *testing.T) {
	l := mustOpen(t, t.TempDir())
	now := time.Now() // with its monotonic reading and zone
	preds, _, err := l.Register(now, []Answer{answer("lab/one")})
	if err != nil {
		t.Fatal(err)
	}
	if e := mustOpen(t, filepath.Dir(l.path)).History()[0]; e.Altered || !e.Prediction.Time.Equal(now) || e.Prediction.Time != preds[0].Time {
		t.Errorf("registered %v, read back %v, altered %v", preds[0].Time, e.Prediction.Time, e.Altered)
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
