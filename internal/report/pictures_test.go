package report

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"envelope/internal/measure"
	"envelope/manifest"
)

// whole is the project's reference run, with what the sweep of lab groupcommit
// would have, should it have been left out there.
func whole(t testing.TB) manifest.Run {
	t.Helper()
	run := reference(t)
	l := labOf(&run, "groupcommit")
	l.Series = slices.DeleteFunc(l.Series, func(s manifest.Series) bool { return strings.HasSuffix(s.Name, "-of-the-sweep") })
	for _, s := range []struct {
		name    string
		samples manifest.Samples
	}{
		{"load-of-the-sweep", manifest.Samples{0.5, 0.5, 0.5, 0.5, 4, 4, 4}},
		{"policy-of-the-sweep", manifest.Samples{0, 1, 2, 3, 0, 1, 3}},
		{"p50-of-the-sweep", manifest.Samples{64, 3, 2, 1, 9, 3, 1.5}},
		{"batch-of-the-sweep", manifest.Samples{64, 2, 2, 1, 64, 17, 6}},
	} {
		l.Series = append(l.Series, manifest.Series{Name: s.name, Unit: "1", Samples: s.samples, Conditions: -1})
	}
	return run
}

func labOf(run *manifest.Run, name string) *manifest.Lab {
	for i := range run.Labs {
		if run.Labs[i].Name == name {
			return &run.Labs[i]
		}
	}
	return &manifest.Lab{}
}

// captions are those of a page's figures that are no distributions.
func captions(t *testing.T, page string) []string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode && n.Data == "figcaption" {
			out = append(out, textOf(n))
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(doc)
	return out
}

// each picture, with the claim without which it is not drawn.
var drawn = []struct{ lab, claim, caption string }{
	{"buffered", "nothing-beats-the-floor", "A megabyte, by how far down it goes"},
	{"ladder", "kills-land-everywhere", "Where the kills landed"},
	{"barrier", "eight-bytes-miss-the-bandwidth-floor", "The same block, by method"},
	{"writeahead", "circular-reference-certifies-damage", "Torn images of a page, by where its checksum comes from"},
	{"writeahead", "retry-after-eio-lies", "After EIO and a retry that returned 0"},
	{"groupcommit", "adaptive-pays-only-the-barrier", "When a record is acknowledged"},
	{"groupcommit", "adaptive-pays-only-the-barrier", "How large a batch is"},
	{"torntail", "every-cut-is-caught", "Kept of a record of 200 B, of which 71 B are real"},
	{"ridge", "batch-one-runs-at-memory-speed@cpu-1", "The roof over cpu-1"},
	{"ridge", "batch-one-wastes-the-arithmetic@cpu-all", "The roof over cpu-all"},
	{"kvcache", "cache-costs-what-it-multiplies-to", "A cache, over what its shape multiplies to"},
	{"kvcache", "one-byte-cache-doubles-the-ceiling", "Sequences that fit, less those that the division gives"},
	{"slots", "static-occupancy-is-the-mean-over-the-max", "Eight requests in a static batch"},
	{"slots", "continuous-needs-under-60-percent-of-the-passes", "Passes for the same requests, continuous / static"},
	{"paging", "waste-is-under-one-block", "Tokens held for a sequence of 350"},
	{"paging", "six-times-as-many-fit", "Sequences of 350 that fit in the place of 66 x 2048"},
	{"launch", "faster-kernels-leave-the-gap@uring", "One of 280 operations, by uring"},
	{"launch", "faster-kernels-leave-the-gap@thread", "One of 280 operations, by thread"},
	{"speculate", "yield-follows-the-formula", "Tokens that a pass gives"},
	{"speculate", "copying-code-is-predictable", "Share of copied words that were accepted"},
}

// Each picture is there where its claim was judged, and is not where that is void,
// was judged by another version of the method, or lost its series.
func TestPictures(t *testing.T) {
	run := whole(t)
	there := captions(t, pageOf(t, run))
	for _, p := range drawn {
		l := labOf(&run, p.lab)
		i := slices.IndexFunc(l.Claims, func(c manifest.Claim) bool { return c.Name == p.claim })
		if i < 0 || l.Claims[i].Verdict == measure.Void {
			t.Errorf("the reference run does not judge %s/%s", p.lab, p.claim)
			continue
		}
		if !slices.Contains(there, p.caption) {
			t.Errorf("%s: got no picture %q", p.lab, p.caption)
		}
		without := func(how string, change func(l *manifest.Lab, c *manifest.Claim)) {
			t.Helper()
			run := whole(t)
			run.Labs = []manifest.Lab{*labOf(&run, p.lab)}
			change(&run.Labs[0], &run.Labs[0].Claims[i])
			if slices.Contains(captions(t, pageOf(t, run)), p.caption) {
				t.Errorf("%s: got a picture %q %s", p.lab, p.caption, how)
			}
		}
		without("of a claim that is void", func(_ *manifest.Lab, c *manifest.Claim) { c.Verdict, c.Reason = measure.Void, measure.Noisy })
		without("of another version", func(_ *manifest.Lab, c *manifest.Claim) { c.Version = made + 1 })
		without("without series", func(l *manifest.Lab, _ *manifest.Claim) { l.Series = nil })
	}
}

// What a picture shows is what the samples are.
func TestWhatPicturesShow(t *testing.T) {
	run := whole(t)
	page := pageOf(t, run)
	for _, text := range []string{
		"before the write: 30 kills", "the page as read back: 0 of 254 rejected", "slot 4: 120 of 120 steps", "172 of 960",
		"blocks of 256: 350 used, 162 not", "one of 2048: 66", "fixed count of 64: 0.5: 64, 4: 9",
	} {
		if text == "before the write: 30 kills" { // how many depends on the run
			text = "before the write: " + value(named(labOf(&run, "ladder"), "kills-land-everywhere")[0], "1") + " kills"
		}
		if !strings.Contains(page, text) {
			t.Errorf("got no %q in the page", text)
		}
	}
	// The times of a sweep are no FLOP/s without the number of their FLOP: then the products under the roof are drawn.
	r := newRecords(&run, labOf(&run, "ridge"))
	r.series["sweep, FLOP of a product, cpu-1"] = nil
	points := r.products("cpu-1")
	if len(points) != 5 || points[0].x != 0.5 || points[4].x != 128 {
		t.Fatalf("got %v, want the five products of the claim", points)
	}
	if y := 2 * 1024 * 4096 / median(named(r.Lab, "nothing-beats-the-roof@cpu-1/1 rows/b")); points[0].y != y {
		t.Errorf("got %v FLOP/s for one row, want %v", points[0].y, y)
	}
	var flop manifest.Samples
	for _, rows := range []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512} {
		flop = append(flop, rows*1e6)
	}
	r.series["sweep, FLOP of a product, cpu-1"] = &manifest.Series{Unit: "FLOP", Samples: flop}
	points = r.products("cpu-1")
	if len(points) != 10 || points[9].x != 256 || points[9].y != 512e6/median(named(r.Lab, "sweep, 512 rows, cpu-1")) {
		t.Errorf("got %v, want the ten products of the sweep", points)
	}
}

func named(l *manifest.Lab, name string) []float64 {
	for _, s := range l.Series {
		if s.Name == name {
			return s.Samples
		}
	}
	return nil
}

// The table of what survived has the bytes that were counted, and says where
// nothing was tried.
func TestSurvivors(t *testing.T) {
	run := testRun(t, "held")
	l := labOf(&run, "ladder")
	check := func(want ...string) {
		t.Helper()
		s := newRecords(&run, l).survivors()
		var got []string
		if s != nil {
			for _, row := range s.Rows {
				got = append(got, row.Class+": "+row.Text)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	const all = "all: 64 KiB in 5 trials"
	check("none: 0 B in 5 trials", all, all, all)
	for i := range l.Series {
		if l.Series[i].Name == "mapped-page-survives-the-process" {
			l.Series[i].Samples = manifest.Samples{65536, 4096, 65536}
		}
	}
	check("none: 0 B in 5 trials", all, "some: 4 KiB to 64 KiB in 3 trials", all)
	l.Claims[0].Verdict = measure.Void
	check("untried: not judged in this run", all, "some: 4 KiB to 64 KiB in 3 trials", all)
	l.Claims[1].Version = made + 1
	check()
}
