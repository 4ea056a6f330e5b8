package predict

import (
	"bytes"
	"flag"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/mattn/go-runewidth"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/labs"
	"envelope/manifest"
	"envelope/predict/ledger"
)

var update = flag.Bool("update", false, "write the golden views anew")

var hexes = regexp.MustCompile(`[0-9a-f]{64}`)

// plain is what the screen shows, without colours, and with the hashes, which
// are random, blotted out.
func plain(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := colorprofile.Writer{Forward: &b, Profile: colorprofile.NoTTY}
	if _, err := w.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	return hexes.ReplaceAllString(b.String(), strings.Repeat("#", 64))
}

func (s *seat) golden(name string) {
	s.t.Helper()
	v := s.model.View()
	checkFits(s.t, name, v, s.model.width, s.model.height)
	got := plain(s.t, v.Content) + "\n"
	if v.Cursor != nil {
		got += fmt.Sprintf("cursor at %d, %d\n", v.Cursor.X, v.Cursor.Y)
	}
	compare(s.t, name, got)
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%s: %v; go test ./predict -update writes it anew; got\n%s\nwant\n%s", name, err, got, want)
	}
}

// checkFits demands that no line leaves the screen.
func checkFits(t *testing.T, name string, v tea.View, width, height int) {
	t.Helper()
	lines := strings.Split(plain(t, v.Content), "\n")
	if len(lines) > height {
		t.Errorf("%s: %d lines on a screen of %d", name, len(lines), height)
	}
	for _, line := range lines {
		if w := runewidth.StringWidth(line); w > width {
			t.Errorf("%s: %d columns on a screen of %d: %s", name, w, width, line)
		}
	}
	if c := v.Cursor; c != nil && (c.X >= width || c.Y >= height) {
		t.Errorf("%s: the cursor is at %d, %d of %d, %d", name, c.X, c.Y, width, height)
	}
}

func TestViews(t *testing.T) {
	at(t, preparing).golden("preparing")
	at(t, asking).golden("question")
	at(t, asking).press("100us..1ms").golden("question-understood")
	at(t, asking).press("5 MB").golden("question-typing")
	at(t, asking).press("5", "enter").golden("question-problem")
	at(t, asking).press("1s", "enter").golden("question-second")
	at(t, reviewing).golden("review")
	at(t, registering).golden("registering")
	s := at(t, measuring)
	s.runner.progress = Progress{What: "ferry", Done: 0.6}
	s.send(progressDue{})
	s.golden("measuring")
	s.model.still = true
	s.golden("measuring-still")
	s.press("q").golden("stopping")
	at(t, done).golden("done")
	at(t, revealing).golden("reveal")
	at(t, revealing).press("the bank was nearer", "enter").golden("reveal-exact")
	at(t, judged).press("enter", "2..20", "enter", "enter", "enter").golden("reveal-void")
	at(t, judged).golden("judged")
	at(t, recorded).golden("record")
	s = at(t, measuring)
	s.model.fail(fmt.Errorf("the lab's directory\x1b[31m is gone"))
	s.golden("broken")

	for name, s := range map[string]*seat{"question-small": at(t, asking), "reveal-small": at(t, revealing), "judged-small": at(t, judged), "record-small": at(t, recorded)} {
		s.send(tea.WindowSizeMsg{Width: 40, Height: 10})
		s.golden(name)
	}
	s = at(t, asking)
	s.send(tea.WindowSizeMsg{Width: 40, Height: 10})
	s.press("5", "enter").golden("problem-small")
	s.press("pgdown", "pgdown").golden("problem-small-scrolled")
	for name, s := range map[string]*seat{"question-wide": at(t, asking), "reveal-wide": at(t, revealing)} {
		s.send(tea.WindowSizeMsg{Width: 200, Height: 50})
		s.golden(name)
	}
}

// A second attempt says that it is one.
func TestSecondAttempt(t *testing.T) {
	s := at(t, measuring)
	again := &seat{t: t, model: newModel(t.Context(), s.model.Options, false), runner: s.runner}
	again.model.every = 0
	again.run(again.model.Init())
	again.press("1s", "enter", "1 B", "enter", "enter").golden("second-attempt")
}

// At every stage the window may become any size, and colours light or dark.
func TestResize(t *testing.T) {
	for st := preparing; st <= recorded; st++ {
		s := at(t, st)
		s.send(tea.BackgroundColorMsg{Color: color.White})
		for _, size := range [][2]int{{200, 60}, {80, 24}, {40, 12}, {1, 1}, {0, 0}, {120, 40}} {
			s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			s.press("pgdown", "pgdown", "pgup")
			v := s.model.View()
			if size[0] >= 40 {
				checkFits(t, fmt.Sprint("stage ", st, size), v, size[0], size[1])
			}
		}
	}
}

// Looking changes nothing.
func TestViewIsPure(t *testing.T) {
	s := at(t, revealing)
	if a, b := s.model.View().Content, s.model.View().Content; a != b {
		t.Error("the same model looks different the second time")
	}
}

// Every question of every lab fits on 80x24 without scrolling, asked and
// answered, by line and on the screen; the division shows in none before the
// answer.
func TestRealLabsFit(t *testing.T) {
	measured, err := axioms.NewSet(
		given("clock", axioms.Seconds(40e-9)), given("system-call", axioms.Seconds(300e-9)),
		given("cache-copy", axioms.BytesPerSecond(35e9)), given("dram-copy", axioms.BytesPerSecond(12e9)),
		given("seq-write", axioms.BytesPerSecond(900e6)))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range labs.All {
		o, _ := options(t)
		o.Labs = []*lab.Lab{l}
		m := newModel(t.Context(), o, false)
		m.set = measured
		m.begin(0)
		for i := range l.Questions {
			name := l.Name + "/" + l.Questions[i].Name
			m.ask(i)
			m.problem = fmt.Errorf("a problem")
			checkPage(t, name, &m)
			d, err := l.Questions[i].Derive(measured)
			if err != nil {
				t.Fatal(err)
			}
			if text := plain(t, m.View().Content); strings.Contains(text, d.Steps) {
				t.Errorf("%s: the question shows the division", name)
			}
			for _, line := range append(candidateLines(&l.Questions[i], lineWidth), axiomLines(&l.Questions[i], measured, lineWidth)...) {
				if runewidth.StringWidth(line) > lineWidth {
					t.Errorf("%s: too long: %s", name, line)
				}
			}
			m.reveals, m.stage = []*Reveal{invented(l, measured)}, revealing
			m.show(i)
			checkPage(t, name+" revealed", &m)
		}
		for _, line := range m.reveal().Lines(lineWidth) {
			if runewidth.StringWidth(line) > lineWidth {
				t.Errorf("%s: too long: %s", l.Name, line)
			}
		}
	}
}

func given(name string, q axioms.Quantity) axioms.Measured {
	return axioms.Measured{Name: name, Quantity: q, Low: q, High: q, N: 9, Method: "given", Bounds: "nothing"}
}

func checkPage(t *testing.T, name string, m *model) {
	t.Helper()
	checkFits(t, name, m.View(), 80, 24)
	if m.scrolls() {
		t.Errorf("%s: %d lines and a foot of %d where %d fit", name, len(m.page().lines), len(m.page().foot), m.room())
	}
}

// invented is a reveal of a lab in which everything came out three times as
// large as the division, with an interval.
func invented(l *lab.Lab, set axioms.Set) *Reveal {
	r := &Reveal{Lab: l, Commit: Commitment{Hash: strings.Repeat("0", 64)}}
	run := fakeRun(l, false)
	for i := range l.Questions {
		q := &l.Questions[i]
		d, _ := q.Derive(set)
		v, low, high := d.Value.Value, d.Value.Value/2, d.Value.Value*2
		m := v * 3
		r.Answers = append(r.Answers, Answer{Question: q, Low: &low, High: &high, Entry: ledger.Entry{
			Prediction: manifest.Prediction{Question: l.Name + "/" + q.Name, Value: v, Unit: q.Unit, Low: &low, High: &high,
				Derivation: manifest.Derivation{Value: &v, Unit: q.Unit, Steps: d.Steps}},
			Outcome: &ledger.Outcome{Measured: &m, Unit: q.Unit},
		}})
	}
	r.Measured = Measured{Run: run}
	return r
}

func TestRuler(t *testing.T) {
	check := func(name string, r ruler, width int) {
		t.Helper()
		lines := r.lines(width)
		for _, line := range lines {
			if runewidth.StringWidth(line) > width {
				t.Errorf("%s: too long: %s", name, line)
			}
		}
		compare(t, "ruler-"+name, strings.Join(lines, "\n")+"\n")
	}
	num := func(v float64) *float64 { return &v }
	one := ruler{dim: axioms.DimSecond}
	one.add("you", "", mark{at: 3e-4, low: num(1e-4), high: num(1e-3), glyph: youGlyph})
	check("interval", one, 60)
	zero := ruler{dim: axioms.DimByte}
	zero.add("candidates", "", mark{at: 0, glyph: "a"}, mark{at: 32768, glyph: "b"}, mark{at: 65536, glyph: "c"})
	zero.add("you", "", mark{at: 100, low: num(0), high: num(65536), glyph: youGlyph})
	zero.add("measured", "nothing")
	check("zero", zero, 80)
	same := ruler{dim: axioms.DimOne}
	same.add("candidates", "", mark{at: 1000, glyph: "a"}, mark{at: 1000, glyph: "b"}, mark{at: 1001, glyph: "c"})
	check("same", same, 50)
	nothing := ruler{dim: axioms.DimOne}
	nothing.add("measured", "", mark{at: 0, glyph: measuredGlyph})
	check("only-zero", nothing, 50)
	far := ruler{dim: axioms.DimSecond}
	far.add("candidates", "", mark{at: 1e-12, glyph: "a"}, mark{at: math.MaxFloat64, glyph: "b"})
	check("far", far, 80)
}

func TestPlot(t *testing.T) {
	var h []ledger.Entry
	for i, log := range []float64{0.5, -2, 5, 0, 1, -0.1} {
		v, m := math.Pow(10, log), 1.0
		d := 2.0
		p := manifest.Prediction{Question: fmt.Sprint("a/", i), Value: v, Unit: "s", Attempt: 1, Derivation: manifest.Derivation{Value: &d, Unit: "s"}}
		h = append(h, ledger.Entry{Prediction: p, Registered: i != 3, Outcome: &ledger.Outcome{Measured: &m, Unit: "s"}})
	}
	h = append(h, ledger.Entry{Registered: true, Prediction: manifest.Prediction{Question: "a/unscored", Unit: "s", Value: 1}})
	compare(t, "plot", strings.Join(append(recordLines(h), factorPlot(h, 60, 9)...), "\n")+"\n")
	compare(t, "plot-narrow", strings.Join(factorPlot(h, 26, 5), "\n")+"\n")
	if lines := factorPlot(nil, 60, 9); lines != nil {
		t.Errorf("a plot of nothing: %q", lines)
	}
}

// The light and the dark look differ in colours alone.
func TestLooks(t *testing.T) {
	s := at(t, revealing)
	dark := s.model.View().Content
	s.send(tea.BackgroundColorMsg{Color: color.White})
	light := s.model.View().Content
	if dark == light {
		t.Error("a light background changes nothing")
	}
	if plain(t, dark) != plain(t, light) {
		t.Error("a light background changes the text")
	}
}
