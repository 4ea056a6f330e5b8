package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"

	"envelope/axioms"
	"envelope/internal/driver"
	"envelope/internal/host"
	"envelope/internal/lab"
	"envelope/internal/typeset"
)

// watcher prints a run as it goes on: a bar on a terminal, plain lines
// elsewhere, and the text of the results unless they go out in another form.
type watcher struct {
	out  io.Writer // nil where the results have another form
	err  io.Writer
	tty  bool
	mu   sync.Mutex // guards the bar: labs report from their own goroutine
	bar  *progressbar.ProgressBar
	i, n int
}

func newWatcher(out, err io.Writer, getenv func(string) string) *watcher {
	f, ok := err.(*os.File)
	return &watcher{out: out, err: err, tty: ok && isatty.IsTerminal(f.Fd()) && getenv("TERM") != "dumb"}
}

func (w *watcher) Environment(e *host.Environment) {
	if w.out == nil {
		return
	}
	for _, line := range e.Lines() {
		fmt.Fprintln(w.out, typeset.Clean(line))
	}
	if reason, unfit := e.Target.Unfit(); unfit {
		fmt.Fprintf(w.out, "%s: %s\n", red.Render("unfit"), typeset.Clean(reason))
	}
	if w.tty {
		w.start("axioms")
	} else {
		fmt.Fprintln(w.err, "measuring the axioms")
	}
}

func (w *watcher) Axioms(all []axioms.Measured, left string) {
	w.clear()
	if w.out == nil {
		return
	}
	fmt.Fprintf(w.out, "\n%s\n", bold.Render("axioms of this machine"))
	kept, taken := 0, time.Time{}
	for _, m := range all {
		if !m.Taken.IsZero() {
			kept, taken = kept+1, m.Taken
			continue
		}
		fmt.Fprintf(w.out, "  %s  %s  (%s to %s), n %d: %s\n", typeset.Pad(m.Name, 11), typeset.Pad(m.Quantity.String(), 9), m.Low, m.High, m.N, m.Method)
	}
	if kept > 0 {
		fmt.Fprintf(w.out, "  and %d measured on %s: envelope axioms lists them\n", kept, taken.Format(time.DateOnly))
	}
	if left != "" {
		fmt.Fprintf(w.out, "  of the axioms measured before, not used: %s\n", typeset.Clean(left))
	}
}

func (w *watcher) Begin(l *lab.Lab, i, n int) {
	w.i, w.n = i, n
	if w.tty {
		w.start(fmt.Sprintf("%d/%d %s", i+1, n, l.Name))
	} else {
		fmt.Fprintf(w.err, "%d/%d %s: %s\n", i+1, n, l.Name, l.Title)
	}
}

func (w *watcher) Step(done float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.bar != nil {
		w.bar.Set(int(done * 1000))
	}
}

func (w *watcher) End(l *driver.Lab) {
	w.clear()
	if w.out != nil {
		printLab(w.out, l)
	}
}

func (w *watcher) Retest(l *lab.Lab, claims []string) {
	w.clear()
	for _, c := range claims {
		fmt.Fprintf(w.err, "%s/%s came out failed: measuring it again on fresh files\n", l.Name, c)
	}
}

func (w *watcher) start(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bar = progressbar.NewOptions(1000, progressbar.OptionSetWriter(w.err), progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(30), progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionThrottle(66e6), progressbar.OptionClearOnFinish())
	w.bar.RenderBlank()
}

func (w *watcher) clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.bar != nil {
		w.bar.Clear()
		w.bar = nil
	}
}
