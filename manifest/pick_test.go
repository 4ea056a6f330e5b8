package manifest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestPick(t *testing.T) {
	first, second := exampleRun(t), exampleRun(t)
	second.ID = NewID(second.Started)
	broken := loosened(t, second)
	broken["id"] = NewID(second.Started)
	broken["exit_code"] = 1
	torn := loosened(t, second)
	torn["id"] = "0fff" + first.ID[4:]
	torn["labs"] = "none"
	text, err := json.Marshal(object{"format": Format, "runs": []any{first, second, broken, torn}})
	if err != nil {
		t.Fatal(err)
	}
	of := func(which string) (Run, []Problem, error) {
		return Pick(bytes.NewReader(text), which, VerifyOptions{Methods: exampleMethods(), unsealed: true})
	}
	is := func(which, id string, problems ...string) {
		t.Helper()
		run, found, err := of(which)
		if err != nil {
			t.Errorf("%s: %v", which, err)
			return
		}
		if run.ID != id {
			t.Errorf("%s: got the run %q, want %q", which, run.ID, id)
		}
		var paths []string
		for _, p := range found {
			paths = append(paths, p.Path)
		}
		if got, want := strings.Join(paths, " "), strings.Join(problems, " "); got != want {
			t.Errorf("%s: got problems at %q, want %q", which, got, want)
		}
	}
	refused := func(which, want string) {
		t.Helper()
		if _, _, err := of(which); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", which, err, want)
		}
	}
	is("1", first.ID)
	is("2", second.ID)
	is("-3", second.ID)
	is(first.ID, first.ID)
	is(second.ID[:len(second.ID)-1], second.ID)
	is("3", broken["id"].(string), "runs[2].exit_code")
	is(Last, "", "runs[3].labs")
	is("0fff", "", "runs[3].labs")
	refused("5", "it has no run 5: they go from 1 to 4")
	refused("0", "names no run")
	refused("-5", "it has no run -5")
	refused("", "names no run")
	refused("0ab", "at least 4 characters")
	refused("ffff", `no run of its 4 has an id that begins with "ffff"`)
	refused(first.ID[:4], "both begin with")
	refused("ab\x1b[31m", `begins with "ab?[31m"`)
}
