package barrier

import (
	"testing"

	"envelope/internal/disk"
	"envelope/internal/labtest"
)

func TestMain(m *testing.M) { labtest.Main(m, Lab) }

func TestDoc(t *testing.T) { labtest.Doc(t, Lab) }

func TestShape(t *testing.T) {
	res := labtest.Shape(t, Lab)
	for c, j := range res.By {
		t.Log(c, j.Verdict, j.Reason, j.Detail, j.Estimate)
	}
	for _, tb := range res.Record.Tables {
		for _, r := range tb.Rows {
			t.Log(r)
		}
	}
	t.Log(res.Record.Notes)
}

func TestControls(t *testing.T) {
	for _, c := range Lab.Controls {
		t.Run(c.Name, func(t *testing.T) {
			if c.Name == "both-fsync" && !disk.HasFullSync {
				t.Skip("this system has no flush beyond fsync")
			}
			labtest.Breaks(t, Lab, c.Name)
		})
	}
}
