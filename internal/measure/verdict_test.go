package measure

import "testing"

func TestVerdictText(t *testing.T) {
	check := func(v Verdict, want string) {
		t.Helper()
		if got := v.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		text, err := v.MarshalText()
		if err != nil || string(text) != want {
			t.Errorf("got %q (%v), want %q", text, err, want)
		}
		back := Verdict(99)
		if err := back.UnmarshalText(text); err != nil || back != v {
			t.Errorf("reading %q: got %v (%v), want %v", text, back, err, v)
		}
	}
	check(Void, "void")
	check(Held, "held")
	check(Failed, "failed")

	if got, want := Verdict(7).String(), "Verdict(7)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, v := range []Verdict{-1, 3} {
		if text, err := v.MarshalText(); err == nil {
			t.Errorf("%d: got %q, want an error", int(v), text)
		}
	}
	v := Held
	if err := v.UnmarshalText([]byte("passed")); err == nil || v != Held {
		t.Errorf("reading passed: got %v (%v), want an error and no change", v, err)
	}
}

func TestForgottenClaimHasNotHeld(t *testing.T) {
	var j Judgement
	if j.Verdict != Void {
		t.Errorf("zero judgement: got %v, want void", j.Verdict)
	}
}

func TestVoidFor(t *testing.T) {
	j := VoidFor(Noisy, "%d of %d", 1, 2)
	if j.Verdict != Void || j.Reason != Noisy || j.Detail != "1 of 2" || j.Estimate != nil {
		t.Errorf("got %+v, want void, noisy, 1 of 2 and no estimate", j)
	}
	seen := map[Reason]bool{}
	for _, r := range Reasons {
		if r == "" || seen[r] {
			t.Errorf("reason %q is empty or listed twice", r)
		}
		seen[r] = true
	}
}
