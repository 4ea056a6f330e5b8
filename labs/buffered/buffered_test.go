package buffered

import (
	"testing"

	"envelope/internal/labtest"
	"envelope/internal/measure"
)

func TestMain(m *testing.M) { labtest.Main(m, Lab) }

func TestDoc(t *testing.T) { labtest.Doc(t, Lab) }

func TestShape(t *testing.T) {
	res := labtest.Shape(t, Lab)
	// What is counted holds on any machine; what is timed is not asserted.
	for _, name := range []string{noSyscall, oneSyscall} {
		if got := res.By[name]; got.Verdict != measure.Held {
			t.Errorf("%s: got %v (%s) %s, want held", name, got.Verdict, got.Reason, got.Detail)
		}
	}
	for c, j := range res.By {
		t.Log(c, j.Verdict, j.Reason, j.Detail, j.Estimate)
	}
	for _, tb := range res.Record.Tables {
		for _, r := range tb.Rows {
			t.Log(r)
		}
	}
}

func TestControls(t *testing.T) {
	for _, c := range Lab.Controls {
		if c.Dir != "" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) { labtest.Breaks(t, Lab, c.Name) })
	}
}
