package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"envelope/internal/driver"
	"envelope/internal/host"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/manifest"
)

// summary runs all of the labs, and returns the lines of the text that begin with
// "void" or "FAILED": those of its end.
func summary(t *testing.T, ctx context.Context, m driver.Machine, want int, labs ...*lab.Lab) []string {
	t.Helper()
	var out, errs bytes.Buffer
	a := &app{
		Program: Program{Labs: labs, Sources: sourcesOf(labs)}, machine: m,
		getenv: func(string) string { return "" }, out: off(&out), err: off(&errs),
	}
	if code := a.main(ctx, []string{"run", "all", "--dir", t.TempDir(), "--state", t.TempDir(), "--results", "none"}); code != want {
		t.Errorf("got exit code %d, want %d: %s", code, want, &errs)
	}
	var lines []string
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, red.Render("FAILED")); ok {
			lines = append(lines, "FAILED"+rest)
		}
		if rest, ok := strings.CutPrefix(line, yellow.Render("void")); ok {
			lines = append(lines, "void"+rest)
		}
	}
	return lines
}

// timed gives a claim blocks of timed arms in that ratio.
func timed(r *lab.Run, claim string, v float64) {
	b := measure.Blocks{Per: 2, Form: measure.Ratio, Clocked: true}
	for i := range 64 {
		s := 1e-3 * (1 + float64(i)/1000) // two equal times would look like a coarse clock
		b.A, b.B = append(b.A, v*s), append(b.B, s)
	}
	r.Record().Evidence[claim] = measure.Evidence{Blocks: &b, CallsA: 1, CallsB: 1}
}

// A clock source that changed takes back what was shown long before: the end of
// the text names every claim that came out otherwise, and why.
func TestSummaryTakesBack(t *testing.T) {
	m := quickMachine()
	m.Environment = func(dir string) host.Environment {
		e := host.Here(dir)
		e.Target.Options = host.Missing[[]string]("a test")
		e.Load.ClockSource = host.Known("tsc", "", "test")
		return e
	}
	work := func(_ context.Context, r *lab.Run) error {
		for _, c := range r.Lab.Claims {
			switch {
			case strings.HasPrefix(c.Name, "is-slow"):
				timed(r, c.Name, 1)
			case c.Kind == measure.Comparison:
				timed(r, c.Name, 9)
			default:
				r.Observe(c.Name, 0)
			}
		}
		return nil
	}
	labs := []*lab.Lab{
		fake("first", work, compared("is-timed"), compared("is-timed-too"), compared("is-slow"), counted("is-counted", lab.Machine)),
		fake("second", work, compared("is-timed"), compared("is-slow-and-based", "first/is-timed")),
	}
	m.Volatile = func() host.Volatile { return host.Volatile{ClockSource: host.Known("hpet", "", "test")} }
	got := strings.Join(summary(t, t.Context(), m, manifest.ExitUnjudged, labs...), "\n")
	const why = ": instrument: the kernel's clock source changed from tsc to hpet during the run"
	const want = "void first/is-timed, first/is-timed-too, second/is-timed (shown as held)" + why + "\n" +
		"void first/is-slow (shown as failed)" + why + "\n" +
		"void second/is-slow-and-based (shown as failed): precondition: rests on first/is-timed, which is void (instrument)"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	m.Volatile = func() host.Volatile { return host.Volatile{ClockSource: host.Known("tsc", "", "test")} }
	got = strings.Join(summary(t, t.Context(), m, manifest.ExitFailed, labs...), "\n")
	if strings.Contains(got, "shown as") || strings.Count(got, "FAILED") != 2 {
		t.Errorf("got\n%s\nwant the two that failed", got)
	}
}

// What was shown failed, and was not measured again because the run was stopped,
// is void in the end.
func TestSummaryOfAStoppedRun(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	labs := []*lab.Lab{
		fake("first", func(ctx context.Context, r *lab.Run) error { return ratios(ctx, r, "is-slow", 1) }, compared("is-slow")),
		fake("second", func(_ context.Context, r *lab.Run) error {
			r.Observe("is-counted", 0)
			stop()
			return nil
		}, counted("is-counted", lab.Machine)),
	}
	got := strings.Join(summary(t, ctx, quickMachine(), manifest.ExitInterrupted, labs...), "\n")
	const want = "void first/is-slow (shown as failed): interrupted: failed at first, and the run was stopped before it was measured again"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
