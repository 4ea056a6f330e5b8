package ladder

import (
	"testing"

	"envelope/internal/labtest"
)

func TestMain(m *testing.M) { labtest.Main(m, Lab) }

func TestHolds(t *testing.T) {
	res := labtest.Shape(t, Lab)
	for _, c := range res.Claims {
		t.Log(c.Name, c.Judgement, c.Estimate)
	}
	for _, tb := range res.Record.Tables {
		t.Log(tb.Title)
		for _, r := range tb.Rows {
			t.Log(r)
		}
	}
	t.Log(res.Record.Notes, res.Wall, res.CPU)
}
