package paging

import (
	"testing"

	"envelope/internal/lab"
	"envelope/internal/labtest"
)

func TestShape(t *testing.T) {
	if err := lab.Validate([]*lab.Lab{Lab}); err != nil {
		t.Error(err)
	}
	labtest.Doc(t, Lab)
	res := labtest.Shape(t, Lab)
	for c, j := range res.By {
		t.Log(c, j.Verdict, j.Reason, j.Detail, j.Estimate)
	}
	t.Log(res.Record.Notes)
	t.Log(res.Wall, res.CPU)
	for _, tb := range res.Record.Tables {
		t.Log(tb.Header)
		for _, r := range tb.Rows {
			t.Log(r)
		}
	}
	for _, q := range res.Questions {
		m := q.Measured
		if m != nil {
			t.Log(q.Name, q.Derivation, q.DeriveErr, *m)
		} else {
			t.Log(q.Name, "nil")
		}
	}
}
func TestControls(t *testing.T) {
	for _, c := range Lab.Controls {
		t.Run(c.Name, func(t *testing.T) {
			labtest.Breaks(t, Lab, c.Name)
			res := labtest.Run(t, Lab, labtest.Control(c.Name))
			for _, b := range c.Breaks {
				j := res.By[b]
				t.Log(b, j.Verdict, j.Reason, j.Detail, j.Estimate)
			}
		})
	}
}
