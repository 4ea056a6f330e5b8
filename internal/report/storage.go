package report

import (
	"fmt"
	"slices"
	"strings"
)

// pictures are what is drawn of each lab, besides the arms of its claims. A
// function returns nil where the run lacks what it draws.
var pictures = map[string][]func(*records) *figure{
	"buffered":    {megabyte},
	"ladder":      {killsLanded},
	"barrier":     {costByPayload, costByMethod},
	"writeahead":  {imagesCaught, bytesAfterRetry},
	"groupcommit": {latencyByLoad, batchByLoad},
	"torntail":    {tornRecord},
	"ridge":       {roofline("cpu-1"), roofline("cpu-all")},
	"kvcache":     {cacheOverProduct, oneByteCache},
	"slots":       {slotTimeline, passes},
	"paging":      {unusedByBlock, fitByBlock},
	"launch":      {gap("uring"), gap("thread")},
	"speculate":   {tokensByProposals, shareAccepted},
}

// megabyte draws how long 1 MiB takes by four ways, with what its bytes would take
// at the bandwidths that were measured.
func megabyte(r *records) *figure {
	if r.judged("nothing-beats-the-floor") == nil {
		return nil
	}
	var list []row
	for _, name := range []string{"1 MiB buffered", "1 MiB written", "1 MiB O_DIRECT", "1 MiB written and synced"} {
		if s := r.samples(name, "s"); s != nil {
			list = append(list, row{name, s, 0})
		}
	}
	if len(list) == 0 {
		return nil
	}
	var rules []rule
	for _, name := range []string{"cache-copy", "dram-copy", "seq-write"} {
		if v, ok := r.axiom(name, "B/s"); ok && positive((1<<20)/v) {
			rules = append(rules, rule{(1 << 20) / v, "1 MiB / " + name})
		}
	}
	f := rows("A megabyte, by how far down it goes", "time", "s", nil, rules, list...)
	if len(rules) > 0 {
		f.Note += " A line is what the bytes alone take at a measured axiom: a time to the left of it rules that path out."
	}
	return f
}

// killsLanded draws how many kills landed at each step.
func killsLanded(r *records) *figure {
	names := []string{"before the write", "inside a record", "after the write", "after the acknowledgement"}
	s := r.values("kills-land-everywhere", "1")
	if len(s) != len(names) {
		return nil
	}
	var list []bar
	for i, n := range s {
		list = append(list, bar{names[i], []part{{n, "a"}}, value(n, "1") + " kills"})
	}
	f := bars("Where the kills landed", "kills", "1", list...)
	if lost := r.values("acked-bytes-survive-sigkill", "1"); lost != nil {
		n, bad := len(lost), 0
		for _, v := range lost {
			if v != 0 {
				bad++
			}
		}
		f.Note = fmt.Sprintf("%s of %s kills lost a record that was acknowledged.", count(bad), count(n))
	}
	return f
}

// survival is the table of owners and failures of lab ladder.
type survival struct {
	Total string
	Rows  []survivalRow
}

type survivalRow struct{ Where, Owner, Class, Text string }

// survivors fills the table from the bytes that were counted after each kill.
func (r *records) survivors() *survival {
	c := r.judged("page-cache-survives-the-process")
	if c == nil || r.Name != "ladder" || !positive(c.Terms.Region.Min) || c.Terms.Region.Min != c.Terms.Region.Max {
		return nil
	}
	total := c.Terms.Region.Min
	out := &survival{Total: value(total, "B")}
	for _, w := range []struct{ where, owner, series string }{
		{"in a buffer of the process", "process", "userspace-buffer-dies"},
		{"handed to write(2), not synced", "kernel", "page-cache-survives-the-process"},
		{"stored through a shared mapping, not synced", "kernel", "mapped-page-survives-the-process"},
		{"written, and fsync returned", "drive", "bytes-after-fsync"},
	} {
		s := r.samples(w.series, "B")
		if w.series != "bytes-after-fsync" && r.judged(w.series) == nil || s == nil {
			out.Rows = append(out.Rows, survivalRow{w.where, w.owner, "untried", "not judged in this run"})
			continue
		}
		low, hi := slices.Min(s), slices.Max(s)
		row := survivalRow{w.where, w.owner, "some", value(low, "B") + " to " + value(hi, "B")}
		if low == hi {
			row.Text = value(low, "B")
		}
		switch {
		case low == total && hi == total:
			row.Class = "all"
		case low == 0 && hi == 0:
			row.Class = "none"
		}
		row.Text += fmt.Sprintf(" in %s trials", count(len(s)))
		out.Rows = append(out.Rows, row)
	}
	return out
}

// costByPayload draws what a synced write costs by its bytes, with what the bytes
// alone would.
func costByPayload(r *records) *figure {
	var points []point
	for _, w := range []struct {
		claim, arm string
		bytes      float64
		records    float64 // behind one fsync, of which the series has one
	}{
		{"eight-bytes-miss-the-bandwidth-floor", "a", 8, 1},
		{"one-barrier-for-a-thousand", "a", 100, 1},
		{"overwrite-is-no-dearer-than-append", "b", 4096, 1},
		{"one-barrier-for-a-thousand", "b", 1e5, 1000},
		{"cost-is-not-bandwidth-bound", "a", 8 << 20, 1},
	} {
		s := sortedFinite(r.arm(w.claim, w.arm, "s").samples)
		if len(s) == 0 {
			continue
		}
		p := point{w.bytes, median(s) * w.records, s[0] * w.records, s[len(s)-1] * w.records}
		if positive(p.y, p.low, p.high) {
			points = append(points, p)
		}
	}
	if len(points) < 2 {
		return nil
	}
	list := []curve{{"written and synced, median and range of each payload", 0, points, true, true, false}}
	// The claim is judged by what 8 B cost at the disk's bandwidth; the run has the number.
	if c := r.judged("eight-bytes-miss-the-bandwidth-floor"); c != nil && positive(c.Evidence.Divisor) {
		var floor []point
		for _, bytes := range []float64{8, 8 << 20} {
			if v := c.Evidence.Divisor / 8 * bytes; positive(v) {
				floor = append(floor, at(bytes, v))
			}
		}
		if len(floor) == 2 {
			list = append(list, curve{"the bytes alone, at the bandwidth of this disk", 1, floor, false, true, true})
		}
	}
	f := curves(plane{title: "What fsync charges for", x: "payload", y: "time", xUnit: "B", yUnit: "s"}, list...)
	f.Note = "What the upper line has over the lower one is the barrier; where they meet, the bytes decide."
	return f
}

// costByMethod draws 4 KiB made durable by each way that the system has.
func costByMethod(r *records) *figure {
	if r.judged("eight-bytes-miss-the-bandwidth-floor") == nil {
		return nil
	}
	var list []row
	for i := range r.Series {
		s := &r.Series[i]
		if strings.HasPrefix(s.Name, "pwrite") && !strings.Contains(s.Name, "/") && s.Unit == "s" && len(s.Samples) > 0 {
			list = append(list, row{s.Name, s.Samples, pick(strings.Contains(s.Name, "no flush"), 1, 0)})
		}
	}
	if len(list) == 0 {
		return nil
	}
	return rows("The same block, by method", "time", "s", nil, nil, list...)
}

// imagesCaught draws how many torn images two kinds of checksum reject.
func imagesCaught(r *records) *figure {
	all, back, pool := r.samples("torn-images", "1"), r.samples("torn-images-caught-by-reading-back", "1"), r.samples("torn-images-caught-by-the-pool", "1")
	if r.judged("circular-reference-certifies-damage") == nil || all == nil || back == nil || pool == nil {
		return nil
	}
	of := func(name string, s []float64) bar {
		caught, total := median(s), median(all)
		return bar{name, []part{{caught, "a"}, {max(total-caught, 0), "rest"}}, value(caught, "1") + " of " + value(total, "1") + " rejected"}
	}
	f := bars("Torn images of a page, by where its checksum comes from", "images", "1", of("the page as read back", back), of("the page in the pool", pool))
	f.Note = fmt.Sprintf("Medians of %s checksums.", count(len(all)))
	return f
}

// bytesAfterRetry draws what a retried fsync left, and what a read shows of it.
func bytesAfterRetry(r *records) *figure {
	stored, shown := r.samples("bytes-stored-after-the-retry", "B"), r.samples("bytes-shown-after-the-retry", "B")
	if r.judged("retry-after-eio-lies") == nil || stored == nil || shown == nil {
		return nil
	}
	of := func(name string, s []float64) bar {
		return bar{name, []part{{median(s), "a"}}, fmt.Sprintf("%s, median of %s", value(median(s), "B"), count(len(s)))}
	}
	return bars("After EIO and a retry that returned 0", "bytes", "B", of("on the device", stored), of("shown by a read", shown))
}

// tornRecord draws what is kept of a record of which a part is real.
func tornRecord(r *records) *figure {
	kept, framed := r.samples("kept-of-the-last-record", "B"), r.samples("framed-of-the-last-record", "B")
	if r.judged("every-cut-is-caught") == nil || kept == nil || framed == nil {
		return nil
	}
	of := func(name string, s []float64) bar {
		return bar{name, []part{{slices.Max(s), "a"}}, fmt.Sprintf("%s at most, n %s", value(slices.Max(s), "B"), count(len(s)))}
	}
	return bars("Kept of a record of 200 B, of which 71 B are real", "bytes", "B", of("by recovery with checksums", kept), of("by lengths alone", framed))
}
