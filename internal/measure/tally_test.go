package measure

import "testing"

func TestTally(t *testing.T) {
	check := func(want string, verdicts ...Verdict) {
		t.Helper()
		var n Tally
		for _, v := range verdicts {
			n.Add(v)
		}
		if n.String() != want {
			t.Errorf("%v: got %q, want %q", verdicts, n, want)
		}
	}
	check("0 held")
	check("2 held", Held, Held)
	check("1 held, 1 failed", Failed, Held)
	check("0 held, 2 void", Void, Void)
	check("1 held, 1 failed, 1 void", Void, Failed, Held)
}
