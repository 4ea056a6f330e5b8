package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestScannerRefuses(t *testing.T) {
	check := func(name, text, want string) {
		t.Helper()
		s := &scanner{data: []byte(text)}
		err := s.value()
		if err == nil && s.pos < len(text) {
			err = s.errorf("text behind the value")
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, want)
		}
	}
	many := func(keys ...string) string {
		var parts []string
		for i := range 100 {
			parts = append(parts, fmt.Sprintf(`"k%d":0`, i))
		}
		for _, k := range keys {
			parts = append(parts, fmt.Sprintf(`"%s":0`, k))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	check("nothing", "", "ends where a value should be")
	check("NaN", "NaN", "where a value should be")
	check("infinity", "[Infinity]", "where a value should be")
	check("half a word", "nul", "where a value should be")
	check("leading zero", "01", "text behind the value")
	check("plus", "+1", "where a value should be")
	check("bare minus", "-", "ends where a digit should be")
	check("bare point", "1.", "ends where a digit should be")
	check("bare exponent", "[1e]", "where a digit should be")
	check("huge number", "[1e999]", "byte 1: the number 1e999 is out of range")
	check("long number", "1"+strings.Repeat("0", 50), "a number of 51 bytes")
	check("open array", "[1", `ends where "," or "]" should be`)
	check("trailing comma", "[1,]", "where a value should be")
	check("open object", `{"a":1`, `ends where "," or "}" should be`)
	check("trailing comma in an object", `{"a":1,}`, "where a key should be")
	check("no colon", `{"a" 1}`, `where ":" should be`)
	check("bare key", `{a:1}`, "where a key should be")
	check("open string", `"abc`, "ends inside a string")
	check("open escape", `"\`, "ends inside a string")
	check("control character", "\"a\nb\"", "control character")
	check("unknown escape", `"\x"`, "unknown escape")
	check("short escape", `"\u12"`, "unknown escape")
	check("lone surrogate", `"\ud800x"`, "surrogate")
	check("surrogates the wrong way round", `"\udc00\ud800"`, "surrogate")
	check("not UTF-8", "\"\xff\"", "not UTF-8")
	check("duplicate", `{"a":1,"b":2,"a":3}`, `byte 13: the key "a" comes twice`)
	check("duplicate by escape", `{"a":1,"\u0061":3}`, `"a" comes twice`)
	check("duplicate among many", many("k3"), `"k3" comes twice`)
	check("duplicate behind many", many("x", "x"), `"x" comes twice`)
	check("duplicate further down", `[{"a":{"b":1,"b":2}}]`, `"b" comes twice`)
	check("depth", strings.Repeat("[", maxDepth+1), "nested deeper")
	check("depth of objects", strings.Repeat(`{"a":`, maxDepth+1), "nested deeper")
	check("count", "["+strings.Repeat("0,", maxValues)+"0]", "more than")
	check("control characters in a message", "\x1b[31m", `"?[31m"`)
}

func TestScannerAccepts(t *testing.T) {
	check := func(text string) {
		t.Helper()
		s := &scanner{data: []byte(text)}
		if err := s.value(); err != nil || s.pos != len(text) {
			t.Errorf("%s: got %v at byte %d of %d", text, err, s.pos, len(text))
		}
	}
	check(` {"a": [1, -0, 0.5e+7, 1E-300, true, false, null, "x"], "b": {}, "c": [], "d": {"a": {"a": ""}}} `)
	check(`["\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00", "é😀"]`)
	check(`[{"a":1},{"a":1}]`)
}

// Whatever the scanner takes, encoding/json takes too.
func FuzzScanner(f *testing.F) {
	f.Add([]byte(`{"format":"envelope-results/1","runs":[{"a":[1,2.5e3,"\u00e9",null]},{}]}`))
	f.Add([]byte(`{"a":1,"a":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &scanner{data: data}
		if err := s.value(); err == nil && s.pos == len(data) && !json.Valid(data) {
			t.Errorf("%q was taken", data)
		}
		if l, err := readLayout(data); err == nil {
			for _, r := range l.runs {
				if !json.Valid(data[r.from:r.to]) {
					t.Errorf("%q: run %q", data, data[r.from:r.to])
				}
			}
		}
	})
}
