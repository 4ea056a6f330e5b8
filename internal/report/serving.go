package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// sweepOf reads the sweep of lab groupcommit: for each episode its policy, its
// load, and another series.
func (r *records) sweepOf(series string) []curve {
	const unit = "1"
	policies, loads, ys := r.samples("policy-of-the-sweep", unit), r.samples("load-of-the-sweep", unit), r.samples(series, unit)
	if r.judged("adaptive-pays-only-the-barrier") == nil || len(ys) == 0 || len(policies) != len(ys) || len(loads) != len(ys) {
		return nil
	}
	names := []string{"fixed count of 64", "fixed window of 4 F", "adaptive, held open for 4 F", "adaptive"}
	out := make([]curve, len(names))
	for i, name := range names {
		out[i] = curve{name: name, hue: i, marks: true, lines: true}
		for j, p := range policies {
			if p == float64(i) && positive(loads[j], ys[j]) {
				out[i].points = append(out[i].points, at(loads[j], ys[j]))
			}
		}
	}
	return slices.DeleteFunc(out, func(c curve) bool { return len(c.points) == 0 })
}

// latencyByLoad draws when a record is acknowledged, by load and policy.
func latencyByLoad(r *records) *figure {
	list := r.sweepOf("p50-of-the-sweep")
	if len(list) == 0 {
		return nil
	}
	f := curves(plane{title: "When a record is acknowledged", x: "arrivals to an fsync time F", y: "median latency in F", xUnit: "1", yUnit: "1"}, list...)
	f.Note = "One episode to a point."
	return f
}

// batchByLoad draws how many records a batch has, by load and policy.
func batchByLoad(r *records) *figure {
	list := r.sweepOf("batch-of-the-sweep")
	if len(list) == 0 {
		return nil
	}
	f := curves(plane{title: "How large a batch is", x: "arrivals to an fsync time F", y: "records to an fsync", xUnit: "1", yUnit: "1"}, list...)
	f.Note = "One episode to a point."
	return f
}

// roofline draws what a device's arithmetic reaches, by how often it uses a byte.
func roofline(device string) func(*records) *figure {
	return func(r *records) *figure {
		// Bandwidth and peak are those of the claims' own arms, which ran in turn with the products.
		read := r.arm("batch-one-runs-at-memory-speed@"+device, "b", "s")
		fma := r.arm("batch-one-wastes-the-arithmetic@"+device, "a", "s")
		var mib float64
		if _, err := fmt.Sscanf(read.name, "sum over %g MiB", &mib); err != nil || len(read.samples) == 0 || len(fma.samples) == 0 {
			return nil
		}
		bandwidth, peak := mib*(1<<20)/median(read.samples), 1/median(fma.samples)
		ridge := peak / bandwidth
		if !positive(mib, bandwidth, peak, ridge) {
			return nil
		}
		reached := r.products(device)
		if len(reached) == 0 {
			return nil
		}
		low, hi := ridge, ridge
		for _, p := range reached {
			low, hi = min(low, p.x), max(hi, p.x)
		}
		roof := []point{at(low, min(peak, low*bandwidth)), at(ridge, peak), at(hi, peak)}
		if !positive(roof[0].y) {
			return nil
		}
		f := curves(plane{title: "The roof over " + device, x: "FLOP to a byte of weights", y: "FLOP/s", xUnit: "1", yUnit: "FLOP/s",
			rules: []rule{{ridge, "ridge " + value(ridge, "1")}}},
			curve{fmt.Sprintf("reached, with %s to %s rows", value(2*reached[0].x, "1"), value(2*reached[len(reached)-1].x, "1")), 0, reached, true, true, false},
			curve{fmt.Sprintf("the roof: %s, then %s", value(bandwidth, "B/s"), value(peak, "FLOP/s")), 1, roof, false, true, true})
		f.Note = "Medians, with the range of the observations. Weights are float32: n rows use each byte n/2 times."
		return f
	}
}

// products returns what each product of lab ridge reached: those of the sweep,
// where the run says how many FLOP they are, or else those that were held against
// the roof.
func (r *records) products(device string) []point {
	var out []point
	add := func(rows, flop float64, times []float64) {
		s := sortedFinite(times)
		if len(s) == 0 || !positive(rows, flop, s[0]) {
			return
		}
		p := point{rows / 2, flop / median(s), flop / s[len(s)-1], flop / s[0]}
		if positive(p.x, p.y, p.low, p.high) {
			out = append(out, p)
		}
	}
	flops := r.samples("sweep, FLOP of a product, "+device, "FLOP")
	n := 0
	for i := range r.Series {
		s := &r.Series[i]
		if rows, ok := between(s.Name, "sweep, ", " rows, "+device); ok && s.Unit == "s" {
			if n < len(flops) {
				add(rows, flops[n], s.Samples)
			}
			n++
		}
	}
	if n > 0 && n == len(flops) {
		return out
	}
	out = nil
	if c := r.judged("nothing-beats-the-roof@" + device); c != nil {
		for _, p := range c.Evidence.Parts {
			s := r.series[p.B]
			if s == nil || s.Unit != "s" {
				continue
			}
			var rows, height, across float64
			if n, _ := fmt.Sscanf(s.Text, "product of %g rows with %g x %g", &rows, &height, &across); n == 3 {
				flop := 2 * rows * height * across
				if strings.HasSuffix(s.Text, ", per FLOP") {
					flop = 1
				}
				add(rows, flop, s.Samples)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	return out
}

// between returns the number between the two parts of a name.
func between(name, before, behind string) (float64, bool) {
	text, ok := strings.CutPrefix(name, before)
	if !ok {
		return 0, false
	}
	if text, ok = strings.CutSuffix(text, behind); !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && positive(v)
}

// cacheOverProduct draws the memory that caches took over what the shape
// multiplies to.
func cacheOverProduct(r *records) *figure {
	s := r.values("cache-costs-what-it-multiplies-to", "1")
	c := r.judged("cache-costs-what-it-multiplies-to")
	if s == nil {
		return nil
	}
	list := []row{{"memory taken / the product", s, 0}}
	f := rows("A cache, over what its shape multiplies to", "ratio", "1", &c.Terms.Region, nil, list...)
	if b := r.samples("bytes-a-token", "B"); b != nil {
		f.Note += fmt.Sprintf(" A token of the 7B shape took %s (median, n %s).", value(median(b), "B"), count(len(b)))
	}
	return f
}

// oneByteCache draws how many sequences fit with values of one byte.
func oneByteCache(r *records) *figure {
	ceiling, half := r.judged("ceiling-is-where-division-says"), r.judged("one-byte-cache-doubles-the-ceiling")
	a, b := r.values("ceiling-is-where-division-says", "1"), r.values("one-byte-cache-doubles-the-ceiling", "1")
	if a == nil || b == nil || ceiling.Terms.Region != half.Terms.Region {
		return nil
	}
	return rows("Sequences that fit, less those that the division gives", "sequences", "1", &ceiling.Terms.Region, nil,
		row{"two bytes: less floor(F / bytes of one)", a, 0}, row{"one byte: less twice those of two", b, 1})
}

// slotTimeline draws who holds the slots of a static batch. The lengths are those
// of the claim's first version, and drawn only where their mean over their longest
// is what was counted.
func slotTimeline(r *records) *figure {
	lengths := []float64{5, 8, 6, 120, 7, 9, 6, 11}
	s := r.values("static-occupancy-is-the-mean-over-the-max", "1")
	if s == nil {
		return nil
	}
	longest, sum := slices.Max(lengths), 0.0
	var list []bar
	for i, n := range lengths {
		sum += n
		list = append(list, bar{fmt.Sprintf("slot %d", i+1), []part{{n, "a"}, {longest - n, "rest"}}, fmt.Sprintf("%v of %v steps", n, longest)})
	}
	share := sum / (longest * float64(len(lengths)))
	if slices.ContainsFunc(s, func(v float64) bool { return math.Abs(v-share) > 1e-9 }) {
		return nil
	}
	f := bars("Eight requests in a static batch", "steps", "1", list...)
	f.Note = fmt.Sprintf("Steps in which a slot made a token, and those in which it waited for the longest: %v of %v, counted %s, n %s.",
		sum, longest*float64(len(lengths)), value(median(s), "1"), count(len(s)))
	return f
}

// passes draws how many passes a continuous scheduler takes.
func passes(r *records) *figure {
	s := r.values("continuous-needs-under-60-percent-of-the-passes", "1")
	c := r.judged("continuous-needs-under-60-percent-of-the-passes")
	if s == nil {
		return nil
	}
	return rows("Passes for the same requests, continuous / static", "ratio", "1", &c.Terms.Region, nil, row{"one tick for each order of the requests", s, 0})
}

// blockSizes are those of the series by block size of lab paging, in their order.
var blockSizes = []string{"blocks of 1", "blocks of 16", "blocks of 256", "one of 2048"}

// unusedByBlock draws what a sequence holds and does not use, by block size.
func unusedByBlock(r *records) *figure {
	const tokens = 350
	s := r.samples("unused-of-350", "1")
	if r.judged("waste-is-under-one-block") == nil || len(s) != len(blockSizes) {
		return nil
	}
	var list []bar
	for i, v := range s {
		list = append(list, bar{blockSizes[i], []part{{tokens, "a"}, {v, "rest"}}, fmt.Sprintf("%d used, %s not", tokens, value(v, "1"))})
	}
	return bars("Tokens held for a sequence of 350", "tokens", "1", list...)
}

// fitByBlock draws how many sequences fit, by block size.
func fitByBlock(r *records) *figure {
	s := r.samples("fit-of-350", "1")
	if r.judged("six-times-as-many-fit") == nil || len(s) != len(blockSizes) {
		return nil
	}
	var list []bar
	for i, v := range s {
		list = append(list, bar{blockSizes[i], []part{{v, "a"}}, value(v, "1")})
	}
	return bars("Sequences of 350 that fit in the place of 66 x 2048", "sequences", "1", list...)
}

// gap draws what an operation costs, handed over one by one and together, by its
// bytes: two lines that run side by side are a gap that the bytes don't change.
func gap(device string) func(*records) *figure {
	return func(r *records) *figure {
		if r.judged("faster-kernels-leave-the-gap@"+device) == nil {
			return nil
		}
		list := []curve{{name: "one by one", hue: 0, marks: true, lines: true}, {name: "in one submission", hue: 1, marks: true, lines: true}}
		for i, how := range []string{"one by one", "in one submission"} {
			for _, op := range []struct {
				name  string
				bytes float64
			}{{"empty operations", 0}, {"reads of 8 KiB", 8 << 10}, {"reads of 16 KiB", 16 << 10}} {
				s := sortedFinite(r.samples(fmt.Sprintf("280 %s %s, each, %s", op.name, how, device), "s"))
				if len(s) == 0 || s[0] < 0 {
					continue
				}
				list[i].points = append(list[i].points, point{op.bytes, median(s), s[0], s[len(s)-1]})
			}
		}
		if len(list[0].points) < 2 || len(list[1].points) < 2 {
			return nil
		}
		f := curves(plane{title: "One of 280 operations, by " + device, x: "bytes that it reads", y: "time", xUnit: "B", yUnit: "s", linear: true}, list...)
		f.Note = "Medians, with the range of the observations."
		return f
	}
}

// tokensByProposals draws how many tokens a pass gives, beside the formula.
func tokensByProposals(r *records) *figure {
	if r.judged("yield-follows-the-formula") == nil {
		return nil
	}
	var list []curve
	for i, percent := range []int{90, 70} {
		counted := curve{name: fmt.Sprintf("counted, %d %% accepted", percent), hue: i, marks: true}
		formula := curve{name: fmt.Sprintf("1 + a + ... + a^K, a = 0.%d", percent/10), hue: i, lines: true, faint: true}
		for k := 1; k <= 16; k++ {
			a := float64(percent) / 100
			formula.points = append(formula.points, at(float64(k), (1-math.Pow(a, float64(k+1)))/(1-a)))
			if s := r.samples(fmt.Sprintf("tokens-a-pass-%d-at-%d", k, percent), "1"); s != nil && positive(s...) {
				counted.points = append(counted.points, at(float64(k), median(s)))
			}
		}
		if len(counted.points) > 0 {
			list = append(list, counted, formula)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return curves(plane{title: "Tokens that a pass gives", x: "tokens proposed, K", y: "tokens a pass", xUnit: "1", yUnit: "1", linear: true}, list...)
}

// shareAccepted draws how much of what was copied was right.
func shareAccepted(r *records) *figure {
	source, shuffled := r.samples("accepted-on-source", "1"), r.samples("accepted-on-shuffled-words", "1")
	if r.judged("copying-code-is-predictable") == nil || source == nil || shuffled == nil {
		return nil
	}
	return rows("Share of copied words that were accepted", "share", "1", nil, nil, row{"on the source", source, 0}, row{"on its words shuffled", shuffled, 1})
}
