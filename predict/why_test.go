package predict

import (
	"strings"
	"testing"

	"envelope/predict/ledger"
)

// Who was right is not asked why he was off.
func TestWhyIsAskedWhoWasOff(t *testing.T) {
	num := func(v float64) *float64 { return &v }
	check := func(want bool, value, measured float64, exact bool, low, high *float64, verdict string) {
		t.Helper()
		a := Answer{Entry: ledger.Entry{Outcome: &ledger.Outcome{Measured: &measured, Unit: "1", Exact: exact, Verdict: verdict}}}
		a.Entry.Prediction.Value, a.Entry.Prediction.Unit = value, "1"
		a.Entry.Prediction.Low, a.Entry.Prediction.High = low, high
		if got := a.off(); got != want {
			t.Errorf("%v for %v, interval %v, %v: off %v, want %v", value, measured, low, high, got, want)
		}
	}
	check(false, 100, 100, false, nil, nil, "")
	check(false, 100, 109, false, nil, nil, "")
	check(false, 109, 100, false, nil, nil, "")
	check(true, 100, 115, false, nil, nil, "")
	check(false, 100, 400, false, num(50), num(500), "")
	check(true, 100, 400, false, num(50), num(300), "")
	check(false, 172, 172, true, nil, nil, "")
	check(true, 172, 180, true, nil, nil, "") // a count is right or not
	check(false, 172, 180, true, num(150), num(200), "")
	check(false, 100, 900, false, nil, nil, "void") // there is nothing to be off from
}

// Where an interval was given, it is said whether what was measured lies in it.
func TestCoveredIsSaid(t *testing.T) {
	check := func(low, high, measured float64, want string) {
		t.Helper()
		a := Answer{Entry: ledger.Entry{Registered: true, Outcome: &ledger.Outcome{Measured: &measured, Unit: "1"}}}
		a.Entry.Prediction.Value, a.Entry.Prediction.Unit = 100, "1"
		a.Entry.Prediction.Low, a.Entry.Prediction.High = &low, &high
		if got := strings.Join(a.scoreLines(80), "\n"); !strings.Contains(got, want) {
			t.Errorf("%v to %v for %v: got\n%s\nwant %q", low, high, measured, got, want)
		}
	}
	check(50, 500, 400, "4x too little, measured within your interval\n")
	check(50, 300, 400, "4x too little, measured outside your interval\n")
	check(50, 300, 100, "right\n")
}
