package prereg

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"envelope/internal/child"
	"envelope/internal/lab"
	"envelope/manifest"
	"envelope/predict/ledger"
)

// care is how much of what stands in the record a forger makes to fit what he
// changed.
type care int

const (
	careless     care = iota // an editor, and nothing else
	lineFits                 // the checksum of the line is made again
	hashFits                 // and the prediction's own hash
	everythingIs             // and the seal: the record agrees with itself
)

// edit is one change to a registration.
type edit struct {
	name   string
	change func(p *manifest.Prediction)
}

var fields = []edit{
	{"the expected value", func(p *manifest.Prediction) { p.Value++ }},
	{"the positions", func(p *manifest.Prediction) { p.Derivation.Steps = "positions " + hashOf([]byte("better")) }},
	{"the question", func(p *manifest.Prediction) { p.Question += "-2" }},
	{"its wording", func(p *manifest.Prediction) { p.TextHash = hashOf([]byte("easier")) }},
	{"the time", func(p *manifest.Prediction) { p.Time = p.Time.Add(-1) }},
	{"the nonce", func(p *manifest.Prediction) { p.Nonce = hashOf(nil)[:len(p.Nonce)] }},
}

// edits has a study and a second one run to their ends, and observes for each way
// to edit their record 1 if it is not detected. The record as it was must be
// accepted: an audit that refuses everything would detect every edit.
func edits(ctx context.Context, r *lab.Run, holdout []byte) error {
	dir := filepath.Join(r.Dir, "record")
	defer os.RemoveAll(dir)
	done, err := aim{step: nowhere, half: 1}.fire(ctx, r, dir, holdout)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(dir, ledger.Name))
	if err != nil {
		return child.Bare(err)
	}
	forged, err := forgeries(data)
	if err != nil {
		return err
	}
	seal := done.sittings[0].seal
	detected := 0
	for i, text := range append([][]byte{data}, forged...) {
		if err := ctx.Err(); err != nil {
			return err
		}
		ok, err := accepted(filepath.Join(r.Dir, fmt.Sprintf("edited-%d", i)), text, func(own string) string {
			if r.Sabotaged(sealFromRecord) {
				return own
			}
			return seal
		})
		if err != nil {
			return child.Bare(err)
		}
		undetected := 0.0
		if ok != (i == 0) {
			undetected = 1
		} else if i > 0 {
			detected++
		}
		r.Observe(once, undetected)
	}
	r.Note("Of %d ways to edit the record of a registration, %d were detected by the record itself or by the seal that was said before the look.",
		len(forged), detected)
	return nil
}

// accepted reports whether a record passes an audit: it has one registered entry,
// unaltered, under the seal that the auditor knows. A line that is not as it was
// written is none: opening the record sets it aside. published is told the seal
// that the record itself gives to the entry.
func accepted(dir string, text []byte, published func(own string) string) (bool, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, ledger.Name), text, 0o600); err != nil {
		return false, err
	}
	record, _, err := ledger.Open(dir)
	if err != nil {
		return false, err
	}
	registered, right := 0, 0
	for _, e := range record.History() {
		if e.Prediction.Question != question || !e.Registered {
			continue
		}
		registered++
		if !e.Altered && e.Session == published(e.Session) {
			right++
		}
	}
	return registered == 1 && right == 1, nil
}

// forgeries returns the record edited in every way: each field of the first
// registration with each degree of care, the first registration left out, and
// the second put in its place.
func forgeries(data []byte) ([][]byte, error) {
	lines := bytes.SplitAfter(data, []byte("\n"))
	if len(lines) != 5 { // two registrations, a result for each, and nothing
		return nil, fmt.Errorf("the record of two studies has %d lines, want 4", len(lines)-1)
	}
	with := func(first []byte, rest ...[]byte) []byte { return bytes.Join(append([][]byte{first}, rest...), nil) }
	var all [][]byte
	for _, f := range fields {
		for c := careless; c <= everythingIs; c++ {
			text, err := forge(lines[0], f, c)
			if err != nil {
				return nil, err
			}
			all = append(all, with(text, lines[1:]...))
		}
	}
	second, err := forge(lines[2], edit{"the attempt", func(p *manifest.Prediction) { p.Attempt = 1 }}, everythingIs)
	if err != nil {
		return nil, err
	}
	return append(all, with(lines[2], lines[3]), with(second, lines[3])), nil
}

// forge edits a line of the record. It knows the format as somebody would who has
// only read a record: a line is a CRC-32C and what it covers.
func forge(line []byte, e edit, c care) ([]byte, error) {
	var outer struct {
		Sum   string          `json:"sum"`
		Event json.RawMessage `json:"event"`
	}
	var event map[string]json.RawMessage
	var predictions []manifest.Prediction
	if err := json.Unmarshal(line, &outer); err != nil {
		return nil, fmt.Errorf("reading a line of the record: %w", err)
	}
	if err := json.Unmarshal(outer.Event, &event); err != nil {
		return nil, fmt.Errorf("reading an event of the record: %w", err)
	}
	if err := json.Unmarshal(event["predictions"], &predictions); err != nil {
		return nil, fmt.Errorf("reading a registration: %w", err)
	}
	if len(predictions) != 1 {
		return nil, fmt.Errorf("a registration of the study has %d predictions, want 1", len(predictions))
	}
	p := &predictions[0]
	e.change(p)
	if c >= hashFits {
		p.SHA256 = p.Digest()
	}
	var err error
	if event["predictions"], err = json.Marshal(predictions); err != nil {
		return nil, err
	}
	if c >= everythingIs {
		event["session"] = json.RawMessage(`"` + ledger.Seal(predictions) + `"`)
	}
	if outer.Event, err = json.Marshal(event); err != nil {
		return nil, err
	}
	if c >= lineFits {
		outer.Sum = fmt.Sprintf("%08x", crc32.Checksum(outer.Event, crc32.MakeTable(crc32.Castagnoli)))
	}
	text, err := json.Marshal(outer)
	return append(text, '\n'), err
}
