package manifest

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestVerifyUnreadable(t *testing.T) {
	good := string(exampleText(t, exampleRun(t)))
	check := func(name, text, want string) {
		t.Helper()
		problems, _, err := verifyText(t, []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || len(problems) > 0 {
			t.Errorf("%s: got %v and %v, want an error with %q", name, problems, err, want)
		}
	}
	swap := func(old, new string) string {
		i := strings.LastIndex(good, old)
		if i < 0 {
			t.Fatalf("%q is not in the document", old)
		}
		return good[:i] + new + good[i+len(old):]
	}
	check("nothing", "", "it is empty")
	check("truncated", good[:len(good)/2], "the text ends")
	check("two documents", good+good, "behind the end")
	check("NaN", swap(`"seed":18446744073709551615`, `"seed":NaN`), "runs[1].labs[1].seed: byte")
	check("huge number", swap(`"seed":18446744073709551615`, `"seed":1e999`), "runs[1].labs[1].seed: byte")
	check("duplicate key", swap(`"verdict":`, `"verdict":"held","verdict":`), `runs[1].labs[1].claims[2]: byte`)
	check("depth bomb", swap(`"a note"`, strings.Repeat("[", 1000)), "runs[1].labs[1].notes[0]")
	check("a later format", strings.Replace(good, Format, "envelope-results/2", 1), "use the version that wrote it")
	if _, _, err := Verify(strings.NewReader(good), VerifyOptions{Limit: 1000}); err == nil || !strings.Contains(err.Error(), "more than 1000 bytes") {
		t.Errorf("got %v, want an error that gives the limit", err)
	}
	if _, _, err := Verify(io.MultiReader(strings.NewReader(good[:99]), broken{}), VerifyOptions{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want %v", err, io.ErrClosedPipe)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestVerifyBoundsSamples(t *testing.T) {
	run := loosened(t, exampleRun(t))
	bomb, err := pack(make([]float64, maxSamples))
	if err != nil {
		t.Fatal(err)
	}
	var series []any
	for range 5 {
		s := object{}
		for k, v := range at(run, "labs[0].series[0]") {
			s[k] = v
		}
		s["samples"] = packedSamples{samplesEncoding, maxSamples, bomb}
		series = append(series, s)
	}
	at(run, "labs[0]")["series"] = series
	problems, _, err := verifyText(t, exampleText(t, run))
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Text, "5243456 samples in one run") {
		t.Errorf("got %v, %v, want a problem with the number of samples", problems, err)
	}
}
