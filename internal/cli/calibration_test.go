package cli

import (
	"testing"

	"envelope/manifest"
	"envelope/predict/ledger"
)

func TestCalibration(t *testing.T) {
	var h []ledger.Entry
	add := func(question, unit string, predicted, measured float64, interval, exact bool) {
		p := manifest.Prediction{Question: question, Value: predicted, Unit: unit, Attempt: 1}
		d := 2 * measured
		p.Derivation = manifest.Derivation{Value: &d, Unit: unit}
		if interval {
			low, high := predicted/2, predicted*2
			p.Low, p.High = &low, &high
		}
		h = append(h, ledger.Entry{Prediction: p, Registered: true, Outcome: &ledger.Outcome{Measured: &measured, Unit: unit, Exact: exact}})
	}
	add("barrier/fsync-8b", "s", 300e-6, 100e-6, true, false)
	add("barrier/dearer", "1", 15, 10, true, false)
	add("slots/rows", "1", 180, 180, false, true)
	add("slots/rate", "1/s", 10, 1000, false, false)
	add("paging/kept", "B", 4096, 4096, false, true)
	add("paging/odd", "B/s^2", 1, 1, false, false)
	same(t, printed(func(p page) {
		if err := printCalibration(p, ledger.Calibrate(h, ledger.CalibrateOptions{}), h); err != nil {
			t.Error(err)
		}
	}), `
`+faint.Render("          n  off by  mostly  in 2x  in 10x  intervals   exact   division")+`
all       6  4.61x   under   50 %   75 %    50 % of 2   2 of 2  2x
barrier   2  2.12x   over    50 %   100 %   50 % of 2   -       2x
slots     2  100x    under   0 %    0 %     -           1 of 1  2x
paging    2  1x      even    100 %  100 %   -           1 of 1  2x
times     1  3x      over    0 %    100 %   0 % of 1    -       2x
numbers   2  1.5x    over    100 %  100 %   100 % of 1  1 of 1  2x
rates     1  100x    under   0 %    0 %     -           -       2x
sizes     1  -       -       -      -       -           1 of 1  -
in B/s^2  1  1x      even    100 %  100 %   -           -       2x
In 2x: the share within a factor of two. Intervals: how many of yours held what
was measured; 80 % is meant. Exact: counts that were right. Division: how far
off the arithmetic was.

o you, d the division; ten columns are a factor of ten
`+faint.Render("too little          |            too much")+`
                    |  d o                 barrier/fsync-8b
                    | od                   barrier/dearer
o                   |  d                   slots/rate
                    o  d                   paging/odd
`)
}
