package groupcommit

import (
	"envelope/internal/labtest"
	"testing"
)

func TestShape(t *testing.T) {
	res := labtest.Shape(t, Lab)
	for c, j := range res.By {
		t.Log(c, j.Verdict, j.Reason, j.Detail, j.Estimate)
	}
	t.Log(res.Record.Notes, res.Wall)
	for _, tb := range res.Record.Tables {
		t.Log(tb.Title)
		for _, r := range tb.Rows {
			t.Log(r)
		}
	}
}
func TestControls(t *testing.T) {
	for _, c := range Lab.Controls {
		t.Run(c.Name, func(t *testing.T) { labtest.Breaks(t, Lab, c.Name) })
	}
}
