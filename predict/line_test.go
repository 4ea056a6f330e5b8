package predict

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"envelope/predict/ledger"
)

// lines holds a sitting of the fakes over an input, and returns what it said.
func lines(t *testing.T, o *Options, in io.Reader, interactive bool) (string, error) {
	t.Helper()
	var out, note strings.Builder
	err := Lines(t.Context(), o, Streams{In: in, Out: &out, Note: &note, Interactive: interactive})
	return hexes.ReplaceAllString(out.String(), strings.Repeat("#", 64)), err
}

func TestLines(t *testing.T) {
	o, r := options(t)
	out, err := lines(t, o, strings.NewReader("5 MB\n300us\r\n\nnone\n2..20"), false)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "lines", out)
	if got, want := strings.Join(r.calls, ", "), "prepare, run ferry, keep, run fog, keep"; got != want {
		t.Errorf("the runner was called %s, want %s", got, want)
	}
	for _, line := range strings.Split(out, "\n") {
		if len([]rune(line)) > lineWidth || line != strings.TrimRight(line, " ") && line != "> " {
			t.Errorf("too long, or space at its end: %q", line)
		}
	}
}

// Where the input ends before an answer, nothing of that lab is registered.
func TestLinesEnd(t *testing.T) {
	check := func(in, want string, registered, runs int) {
		t.Helper()
		o, r := options(t)
		_, err := lines(t, o, strings.NewReader(in), false)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", in, err, want)
		}
		if n := len(o.Ledger.History()); n != registered || len(r.kept) != runs {
			t.Errorf("%q: %d registered, %d runs; want %d, %d", in, n, len(r.kept), registered, runs)
		}
	}
	check("", "before an answer to ferry/crossing", 0, 0)
	check("300us", "before an answer to ferry/left-behind", 0, 0)
	check("300us\nfast\nfaster\n", "before an answer to ferry/left-behind", 0, 0)
	check("300us\n0\n", "before an answer to fog/fog", 2, 1)
	check(strings.Repeat("x", maxLine+1), "longer than", 0, 0)
}

func TestLinesAnswers(t *testing.T) {
	o, r := options(t)
	o.Answers = map[string]string{"ferry/crossing": "1us..1ms", "ferry/left-behind": "none", "fog/fog": "5x"}
	if _, err := lines(t, o, strings.NewReader(""), false); err != nil {
		t.Error(err)
	}
	p := r.kept[0].Predictions[0]
	if p.Low == nil || *p.Low != 1e-6 || *p.High != 1e-3 || *p.Derivation.Value != 100e-6 {
		t.Errorf("registered %+v", p)
	}
	for name, value := range map[string]string{"ferry/crossings": "1us", "ferry/crossing": "5 MB", "fog": "1"} {
		o, r := options(t)
		o.Answers = map[string]string{name: value}
		if _, err := lines(t, o, strings.NewReader(""), false); err == nil || len(r.calls) > 0 {
			t.Errorf("%s=%s: %v, %v; want an error before anything is done", name, value, err, r.calls)
		}
	}
}

// endless is a stream that never ends and never answers.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, "\n"), nil }

func TestLinesEndless(t *testing.T) {
	o, r := options(t)
	if _, err := lines(t, o, endless{}, false); err == nil || !strings.Contains(err.Error(), "none of 100 lines answers ferry/crossing") {
		t.Errorf("got %v, want an error that says how many lines were no answer", err)
	}
	if len(r.calls) != 1 || len(o.Ledger.History()) != 0 {
		t.Errorf("called %v, kept %v", r.calls, o.Ledger.History())
	}
	// One line in time is enough.
	if _, err := lines(t, o, strings.NewReader(strings.Repeat("?\n", patience-1)+"300us\n0\n2\n"), false); err != nil {
		t.Error(err)
	}
}

// Somebody at a terminal is asked why he was off where he was; a script is not.
func TestLinesWhy(t *testing.T) {
	o, _ := options(t)
	out, err := lines(t, o, strings.NewReader("300us\n0\nthe current\n2\n"), true)
	if err != nil || strings.Count(out, "Why were you off?") != 1 || strings.Contains(out, "left-behind> ") {
		t.Errorf("%v, said %s", err, out)
	}
	if h := o.Ledger.History(); len(h) != 3 || h[0].Prediction.Why != "the current" || h[1].Prediction.Why != "" {
		t.Errorf("kept %+v", h)
	}
}

// Somebody who stops while an answer is awaited is not held by his input.
func TestLinesStop(t *testing.T) {
	o, r := options(t)
	in, ask := io.Pipe()
	defer ask.Close()
	ctx, stop := context.WithCancel(t.Context())
	asked := make(chan struct{})
	go func() {
		<-asked
		stop()
	}()
	var out signalled
	out.when, out.reached = "Your prediction", asked
	if err := Lines(ctx, o, Streams{In: in, Out: &out, Note: io.Discard}); !errors.Is(err, ErrStopped) {
		t.Errorf("got %v, want %v", err, ErrStopped)
	}
	if len(r.calls) != 1 || len(o.Ledger.History()) != 0 {
		t.Errorf("called %v", r.calls)
	}
}

// signalled tells when a text has been written.
type signalled struct {
	strings.Builder
	when    string
	reached chan struct{}
}

func (s *signalled) Write(p []byte) (int, error) {
	if s.reached != nil && strings.Contains(string(p), s.when) {
		close(s.reached)
		s.reached = nil
	}
	return s.Builder.Write(p)
}

// A run that is stopped is kept, its predictions are used and have no score.
func TestLinesInterrupted(t *testing.T) {
	o, r := options(t)
	ctx, stop := context.WithCancel(t.Context())
	r.onRun = stop
	err := Lines(ctx, o, Streams{In: strings.NewReader("300us\n0\n"), Out: io.Discard, Note: io.Discard})
	if !errors.Is(err, ErrStopped) || len(r.kept) != 1 || r.kept[0].Outcome != "interrupted" {
		t.Errorf("%v, kept %+v", err, r.kept)
	}
	for _, e := range o.Ledger.History() {
		if _, err := e.Score(); !errors.Is(err, ledger.ErrUnscored) || e.Outcome == nil {
			t.Errorf("%s: outcome %+v, %v; want used and unscored", e.Prediction.Question, e.Outcome, err)
		}
	}
}

// Lines are as wide as they may be, at most.
func TestLinesWidth(t *testing.T) {
	o, _ := options(t)
	var out strings.Builder
	if err := Lines(t.Context(), o, Streams{In: strings.NewReader("5 MB\n1s\n9 B\n\n\n40\n"), Out: &out, Note: io.Discard, Interactive: true, Width: 40}); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(out.String(), "\n") {
		// A hash is one word, to be copied; the record is a table.
		if n := len([]rune(line)); n > 40 && n != 64 && !strings.Contains(line, "%") && !strings.Contains(line, "off by") {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}
