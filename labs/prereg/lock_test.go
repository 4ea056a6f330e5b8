package prereg

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/manifest"
	"envelope/predict/ledger"
)

// What a trial's record and keeper say, fact by fact.
func TestCount(t *testing.T) {
	looked, blind := heard{seal: "s", looked: true}, heard{seal: "s", looked: true, blind: true}
	entry := func(attempt int, from string, altered bool) ledger.Entry {
		e := ledger.Entry{Registered: attempt == 1, Altered: altered, Session: "s"}
		if from != "" {
			e.Outcome = &ledger.Outcome{RunID: from}
		}
		return e
	}
	check := func(what string, want int, first, second heard, entries ...ledger.Entry) {
		t.Helper()
		o := outcome{sittings: [2]heard{first, second}, entries: entries}
		if got := o.count(); got != want {
			t.Errorf("%s: got %d facts otherwise, want %d", what, got, want)
		}
	}
	check("two studies", 0, looked, looked, entry(1, "1", false), entry(2, "2", false))
	check("killed before it registered", 0, heard{}, looked, entry(1, "2", false))
	check("killed before it looked", 0, heard{seal: "s"}, looked, entry(1, "", false), entry(2, "2", false))
	check("killed half way", 0, looked, looked, entry(1, "", false), entry(2, "2", false))
	check("the second is registered", 1, looked, looked, entry(2, "1", false), entry(1, "2", false))
	check("a look that the record does not know, and the second registered", 2, looked, looked, entry(1, "2", false))
	check("both registered", 2, looked, looked, entry(1, "1", false), entry(1, "2", false))
	check("one is altered", 1, looked, looked, entry(1, "1", true), entry(2, "2", false))
	check("what was said is not what was written", 1, looked, heard{seal: "t", looked: true}, entry(1, "1", false), entry(2, "2", false))
	check("both looked before their seal", 2, blind, blind, entry(1, "1", false), entry(2, "2", false))
}

// With the lock written last a study that is killed between look and lock is not
// in the record, and the next one is the registered one: the facts about the
// record are otherwise then, and not only the one about the order.
func TestLockLastLosesTheLook(t *testing.T) {
	t.Parallel() // it waits for the disk, as the next one does
	e := observe(t, 1, lockLast, once)
	atHalf := -1
	for i, s := range append([]string{nowhere}, steps...) {
		if s == halfSeen {
			atHalf = i
		}
	}
	// Both looked before their seals, one look is missing, and the registered
	// result is that of the second.
	if got := e.Values[atHalf]; got != 4 {
		t.Errorf("killed half way: got %v facts otherwise, want 4", got)
	}
	if got := e.Values[0]; got != 2 {
		t.Errorf("not killed: got %v facts otherwise, want the order of both", got)
	}
}

// record makes the record of two studies in a directory, and returns its bytes
// and the first seal.
func record(t *testing.T) (data []byte, seal string) {
	t.Helper()
	dir := t.TempDir()
	l, _, err := ledger.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{"1", "2"} {
		two, result := 2.0, 0.7
		preds, s, err := l.Register(time.Unix(int64(i), 0), []ledger.Answer{{Question: question, Text: wording("x"), Value: axioms.Count(two),
			Derivation: manifest.Derivation{Value: &two, Unit: "1", Steps: "positions"}}})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			seal = s
		}
		if err := l.Reveal(preds, []ledger.Outcome{{Question: question, Measured: &result, Unit: "1", RunID: id}}); err != nil {
			t.Fatal(err)
		}
	}
	data, err = os.ReadFile(filepath.Join(dir, ledger.Name))
	if err != nil {
		t.Fatal(err)
	}
	return data, seal
}

// Each degree of care needs the next means of detection, and the last one needs
// the seal that was said: a record that agrees with itself passes without it.
func TestForgeries(t *testing.T) {
	t.Parallel()
	data, seal := record(t)
	forged, err := forgeries(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(forged) != 4*len(fields)+2 {
		t.Fatalf("got %d forgeries", len(forged))
	}
	check := func(what string, text []byte, known bool, want bool) {
		t.Helper()
		got, err := accepted(filepath.Join(t.TempDir(), "edited"), text, func(own string) string {
			if known {
				return seal
			}
			return own
		})
		if err != nil || got != want {
			t.Errorf("%s, seal known %v: accepted %v, %v; want %v", what, known, got, err, want)
		}
	}
	check("as it was", data, true, true)
	check("as it was", data, false, true)
	for i, text := range forged[:4*len(fields)] {
		f, c := fields[i/4], care(i%4)
		checkCare(t, f.name, text, c)
		check(f.name, text, true, false)
		if f.name != "the question" { // another one is not there at all
			check(f.name, text, false, c == everythingIs)
		}
	}
	check("the first left out", forged[len(forged)-2], false, false)
	check("the second in its place", forged[len(forged)-1], true, false)
	check("the second in its place", forged[len(forged)-1], false, true)
}

// checkCare demands that a forgery agrees with itself as far as the forger took
// care, and no further.
func checkCare(t *testing.T, what string, text []byte, c care) {
	t.Helper()
	first, _, _ := bytes.Cut(text, []byte("\n"))
	var line struct {
		Sum   string
		Event json.RawMessage
	}
	var event struct {
		Session     string
		Predictions []manifest.Prediction
	}
	if err := errors.Join(json.Unmarshal(first, &line), json.Unmarshal(line.Event, &event)); err != nil || len(event.Predictions) != 1 {
		t.Fatalf("%s: %v, %d predictions", what, err, len(event.Predictions))
	}
	p := event.Predictions[0]
	got := []bool{
		line.Sum == fmt.Sprintf("%08x", crc32.Checksum(line.Event, crc32.MakeTable(crc32.Castagnoli))),
		p.SHA256 == p.Digest(), event.Session == ledger.Seal(event.Predictions),
	}
	// While the hash is the old one, so is the seal over it.
	if want := []bool{c >= lineFits, c >= hashFits, c != hashFits}; !slices.Equal(got, want) {
		t.Errorf("%s, care %d: checksum, hash and seal fit %v, want %v", what, c, got, want)
	}
}

func TestForgeriesWantTwoStudies(t *testing.T) {
	data, _ := record(t)
	if _, err := forgeries(data[:len(data)/2]); err == nil {
		t.Error("half a record was edited without an error")
	}
	if _, err := forgeries([]byte("{}\n{}\n{}\n{}\n")); err == nil {
		t.Error("a record of nothing was edited without an error")
	}
}

func TestHoldout(t *testing.T) {
	data := newHoldout(rand.New(rand.NewPCG(1, 1)))
	if len(data) != 8*holdoutDays {
		t.Fatalf("got %d bytes, want %d", len(data), 8*holdoutDays)
	}
	var all []float64
	for i := range holdoutDays {
		all = append(all, math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])))
	}
	if m := momentsOf(all); !near(m.mean, 0, 0.3) || !near(m.sd, 1, 0.2) {
		t.Errorf("got returns with %+v", m)
	}
	if wording(hashOf(data)) == wording(hashOf(data[1:])) {
		t.Error("two holdouts have one question")
	}
}

// Another sitting has another idea, and half of it goes the other way.
func TestPositions(t *testing.T) {
	one, two := positionsOf("1"), positionsOf("2")
	differ, long := 0, 0
	for i := range one {
		if v := int8(one[i]); v != 1 && v != -1 {
			t.Fatalf("position %d is %d", i, v)
		}
		if one[i] != two[i] {
			differ++
		}
		if one[i] == 1 {
			long++
		}
	}
	if differ < 80 || differ > 170 || long < 80 || long > 170 {
		t.Errorf("%d of %d positions differ, and %d are long", differ, holdoutDays, long)
	}
}

func TestStudyRefuses(t *testing.T) {
	check := func(args ...string) {
		t.Helper()
		if code := studyChild(args); code != 1 {
			t.Errorf("%q: got exit %d, want 1", args, code)
		}
	}
	check()
	check(t.TempDir(), lockFirst, "1", nowhere, "hash", "half")
	check(t.TempDir(), lockFirst, "1", nowhere, "hash", "2000")
	check(t.TempDir(), "lock-never", "1", nowhere, "hash", "8")
}
