package manifest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Seal sets the run's digest. It finds an edit by hand, of any field, and a
// damaged copy; who means to deceive can compute it again.
func Seal(run Run) (Run, error) {
	run.Digest = ""
	text, err := plainText(run)
	if err != nil {
		return run, err
	}
	run.Digest = digestOf(text)
	return run, nil
}

// plainText is a run as it is written, in one line.
func plainText(run Run) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(whole(run)); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// digestOf hashes a compact run whose digest is empty.
func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// sealed reports whether the text of a run is what its digest was made of. White
// space between values does not count.
func sealed(text []byte, digest string) bool {
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return false
	}
	before, ok := bytes.CutSuffix(compact.Bytes(), []byte(`"digest":"`+digest+`"}`))
	return ok && digest == digestOf(append(before, `"digest":""}`...))
}
