package manifest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Digest returns the SHA-256, in hex, of what a prediction commits to: the
// canonical JSON (RFC 8785) of all fields that results.json has of it but
// sha256 and why. Keys are sorted, there is no space, and a number is the
// shortest decimal that reads back as the same float64. A prediction with a
// number that JSON has no word for has no digest; it returns "".
func (p Prediction) Digest() string {
	text, err := p.canonical()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (p Prediction) canonical() ([]byte, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // as they were written: encoding/json has the shortest form
	if err := d.Decode(&fields); err != nil {
		return nil, err
	}
	delete(fields, "sha256")
	delete(fields, "why")
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(fields); err != nil { // maps come out sorted
		return nil, err
	}
	return unescapeSeparators(bytes.TrimSuffix(out.Bytes(), []byte("\n"))), nil
}

// unescapeSeparators undoes the one escape that encoding/json makes and RFC
// 8785 does not: U+2028 and U+2029.
func unescapeSeparators(text []byte) []byte {
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out = append(out, text[i])
			continue
		}
		switch rest := string(text[i:min(len(text), i+6)]); rest {
		case `\u2028`, `\u2029`:
			out = append(out, strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(rest)...)
			i += 5
		default:
			out = append(out, text[i], text[i+1])
			i++
		}
	}
	return out
}

// SourceHash returns the SHA-256, in hex, over a package's files but its
// tests: for each, in order of name, the name, a zero byte, the file's SHA-256
// in hex and a newline.
func SourceHash(s Sources) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if !strings.HasSuffix(name, "_test.go") {
			h.Write([]byte(name + "\x00" + s[name] + "\n"))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
