package cli

import (
	"fmt"
	"sync"
	"time"

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
	out   *page    // nil where the results have another form
	shown verdicts // on out
	err   page
	tty   bool
	mu    sync.Mutex // guards the bar: labs report from their own goroutine
	bar   *progressbar.ProgressBar
	i, n  int
}

func newWatcher(out *page, err page, getenv func(string) string) *watcher {
	return &watcher{out: out, shown: verdicts{}, err: err, tty: err.fd >= 0 && getenv("TERM") != "dumb"}
}

func (w *watcher) Environment(e *host.Environment) {
	if w.out == nil {
		return
	}
	w.out.environment(e)
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
	var rows []entry
	for _, m := range all {
		if !m.Taken.IsZero() {
			kept, taken = kept+1, m.Taken
			continue
		}
		text := fmt.Sprintf("(%s to %s), n %d: %s", typeset.Quantity(m.Low), typeset.Quantity(m.High), m.N, m.Method)
		rows = append(rows, entry{mark: "  ", cells: []string{m.Name, typeset.Quantity(m.Quantity)}, text: text})
	}
	w.out.entries(rows...)
	if kept > 0 {
		w.out.row("  ", fmt.Sprintf("and %d measured on %s: envelope axioms lists them", kept, taken.Format(time.DateOnly)))
	}
	if left != "" {
		w.out.row("  ", "of the axioms measured before, not used: "+left)
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
		printLab(*w.out, l)
		for _, c := range l.Claims {
			w.shown[c] = c.Judgement
		}
	}
}

func (w *watcher) Retest(l *lab.Lab, claims []string) {
	w.clear()
	for _, c := range claims {
		w.err.row("", fmt.Sprintf("%s/%s came out failed: measuring it again on fresh files", l.Name, c))
	}
}

func (w *watcher) start(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bar = progressbar.NewOptions(1000, progressbar.OptionSetWriter(w.err), progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(max(min(30, w.err.columns()-len(what)-len("  100% ||  ")), 5)), progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
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
