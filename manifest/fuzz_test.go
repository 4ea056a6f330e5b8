package manifest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Whatever is written over a part of a good document, reading it ends without
// a panic, and no message carries a control character to a terminal.
func FuzzVerify(f *testing.F) {
	text, err := json.Marshal(Document{Format, []Run{exampleRun(f)}})
	if err != nil {
		f.Fatal(err)
	}
	after := func(key, patch string) {
		f.Add(bytes.Index(text, []byte(key))+len(key), []byte(patch))
	}
	f.Add(0, []byte("null"))
	after(`"trials":`, `9007199254740991,"x":"`)
	after(`"per":`, `9007199254740991,"x":"`)
	after(`"unit":"`, "\\u001b[2J")
	f.Fuzz(func(t *testing.T, at int, patch []byte) {
		if at < 0 || at+len(patch) > len(text) {
			return
		}
		changed := slices.Replace(bytes.Clone(text), at, at+len(patch), patch...)
		problems, _, err := Verify(bytes.NewReader(changed), VerifyOptions{Methods: exampleMethods(), unsealed: true})
		for _, p := range problems {
			if strings.ContainsFunc(p.String(), unicode.IsControl) {
				t.Errorf("%q has a control character", p)
			}
		}
		if err != nil && strings.ContainsFunc(err.Error(), unicode.IsControl) {
			t.Errorf("%q has a control character", err)
		}
	})
}
