package groupcommit

import (
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// report keeps what questions are scored by, and sets the formula beside what
// was counted.
func (b *bench) report() {
	var ratios, batches, formulas []float64
	for _, r := range b.rounds {
		if fixed, adaptive := r.played[lowFixed], r.played[lowAdaptive]; fixed != nil && adaptive != nil && b.size.fixed == large {
			ratios = append(ratios, fixed.p50()/adaptive.p50())
		}
		if o := r.played[highSpawned]; o != nil {
			batches = append(batches, meanBatch(o.batches))
			formulas = append(formulas, formula(o.fsync(), o.load.perSecond))
		}
	}
	if len(ratios) > 0 {
		b.AddSeries(lab.Series{Name: ratioOf64, Text: "median latency at low load, fixed count of 64 / adaptive", Unit: "1", Samples: ratios, Conditions: -1})
	}
	if len(batches) > 0 {
		b.AddSeries(lab.Series{Name: batchSeries, Text: "records for each fsync at high load, adaptive", Unit: "1", Samples: batches, Conditions: -1})
		b.Note("at high load an fsync covers %.1f records, and max(1, rate x fsync) of the same episodes is %.1f",
			measure.Summarize(batches).P50, measure.Summarize(formulas).P50)
	}
}
