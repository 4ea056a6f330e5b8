package resp

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// written is a log of n SETs, and where each record ends.
func written(n int) (log []byte, ends []int) {
	for i := range n {
		log = AppendRecord(log, uint64(i)+1, []byte("SET"), fmt.Appendf(nil, "k%d", i), bytes.Repeat([]byte{byte(i)}, 5*i))
		ends = append(ends, len(log))
	}
	return log, ends
}

// What can be torn is torn off, and what can't is not started over.
func TestLoad(t *testing.T) {
	log, ends := written(4)
	check := func(what string, image []byte, records int, at int) {
		t.Helper()
		d, got, end, err := Load(image, false)
		var damage *DamageError
		switch {
		case at >= 0:
			if !errors.As(err, &damage) || damage.At != at || damage.Size != len(image) {
				t.Errorf("%s: got %v, want damage at %d of %d", what, err, at, len(image))
			}
		case err != nil || got != records || records > 0 && end != ends[records-1]:
			t.Errorf("%s: got %d records up to %d, %v; want %d", what, got, end, err, records)
		default:
			if all, _ := d.Size(); all != records {
				t.Errorf("%s: got %d keys, want %d", what, all, records)
			}
		}
	}
	change := func(at int, to ...byte) []byte {
		image := bytes.Clone(log)
		copy(image[at:], to)
		return image
	}
	check("nothing", nil, 0, -1)
	check("all", log, 4, -1)
	for cut := ends[2]; cut < len(log); cut++ {
		check(fmt.Sprintf("cut at %d", cut), log[:cut], 3, -1)
	}
	check("zeros behind", append(bytes.Clone(log), make([]byte, 100)...), 4, -1)
	check("a page of zeros for the last", append(log[:ends[2]:ends[2]], make([]byte, 4096)...), 3, -1)
	check("a changed byte in the last", change(len(log)-3, 0xff), 3, -1)
	check("a changed byte in the first", change(5, 0xff), 0, 0)
	check("a length of nothing in the second", change(ends[0]+4, 0, 0, 0, 0), 0, ends[0])
	check("a length beyond the end in the third", change(ends[1]+4, 0xff, 0xff, 0, 0), 0, ends[1])
	check("the second is missing", append(log[:ends[0]:ends[0]], log[ends[1]:]...), 0, ends[0])
	check("garbage in front of the third", append(append(log[:ends[1]:ends[1]], 1, 2, 3), log[ends[1]:ends[2]]...), 0, ends[1])
	check("the first again at the end", append(bytes.Clone(log), log[:ends[0]]...), 4, -1)
	if _, records, end, err := Load(change(5, 0xff), true); err != nil || records != 0 || end != 0 {
		t.Errorf("where anything is a tear: got %d records, %v", records, err)
	}
}

// A record that is whole and says nonsense was never written by a server.
func TestLoadNonsense(t *testing.T) {
	check := func(want string, args ...string) {
		t.Helper()
		var request [][]byte
		for _, a := range args {
			request = append(request, []byte(a))
		}
		if _, _, _, err := Load(AppendRecord(nil, 1, request...), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", args, err, want)
		}
	}
	check("holds no request")
	check("can't be repeated: ERR unknown command", "FLUSH")
	check("can't be repeated: ERR wrong number", "GET")
}

// A torn tail is gone for good when the log is opened, and what follows is found
// behind the last whole record.
func TestOpenLogCuts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, ends := written(3)
	if err := os.WriteFile(path, log[:len(log)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	_, l, err := openLog(path, Always, false)
	if err != nil {
		t.Fatal(err)
	}
	defer l.file.Close()
	l.counts = &Counts{}
	l.add([]byte("SET"), []byte("new"), []byte("v"))
	if err := l.commit(0); err != nil {
		t.Fatal(err)
	}
	image, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := AppendRecord(log[:ends[1]:ends[1]], 3, []byte("SET"), []byte("new"), []byte("v"))
	if !bytes.Equal(image, want) || *l.counts != (Counts{LogWrites: 1, Syncs: 1}) {
		t.Errorf("got a log of %d bytes and %+v, want %d, a write and a sync", len(image), *l.counts, len(want))
	}
	if d, _, _, err := Load(image, false); err != nil || len(state(d)) != 3 {
		t.Errorf("got %v, want three keys", err)
	}
}

// A damaged log is left as it was found.
func TestOpenLogRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, _ := written(3)
	log[6] ^= 1
	if err := os.WriteFile(path, log, 0o600); err != nil {
		t.Fatal(err)
	}
	var damage *DamageError
	if _, _, err := openLog(path, Always, false); !errors.As(err, &damage) {
		t.Errorf("got %v, want that it is damaged", err)
	}
	if image, err := os.ReadFile(path); err != nil || !bytes.Equal(image, log) {
		t.Errorf("the log was changed: %v", err)
	}
}

// After a sync that failed there is no second try: the pages it was about may be
// gone, and the next one would not tell.
func TestFailedSync(t *testing.T) {
	_, l, err := openLog(filepath.Join(t.TempDir(), "log"), Always, false)
	if err != nil {
		t.Fatal(err)
	}
	l.counts = &Counts{}
	l.add([]byte("DEL"), []byte("k"))
	if err := l.write(); err != nil {
		t.Fatal(err)
	}
	l.unsynced, l.records = true, 0
	l.file.Close() // and the sync has no file
	first := l.commit(0)
	if first == nil || !strings.Contains(first.Error(), "syncing the log") {
		t.Fatalf("got %v, want that the sync failed", first)
	}
	if again := l.commit(0); again != first || l.counts.Syncs != 1 {
		t.Errorf("got %v after %d syncs, want the same error and no second sync", again, l.counts.Syncs)
	}
}

// The steps of a commit, and what the file holds at each.
func TestSteps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	_, l, err := openLog(path, Always, false)
	if err != nil {
		t.Fatal(err)
	}
	defer l.file.Close()
	var got []string
	l.counts = &Counts{}
	l.at = func(s Step, sequence uint64) error {
		image, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, records, end, err := Load(image, false)
		got = append(got, fmt.Sprintf("%v of %d: %d whole, torn %v, %d syncs", s, sequence, records, end < len(image), l.counts.Syncs))
		return err
	}
	l.add([]byte("SET"), []byte("a"), []byte("1"))
	l.add([]byte("SET"), []byte("b"), []byte("2"))
	if err := l.commit(0); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"before-log of 2: 0 whole, torn false, 0 syncs", "inside-record of 2: 1 whole, torn true, 0 syncs",
		"logged of 2: 2 whole, torn false, 0 syncs", "synced of 2: 2 whole, torn false, 1 syncs",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// The policies, by how often they sync in three seconds of ten commits.
func TestPolicies(t *testing.T) {
	check := func(p Policy, want int) {
		t.Helper()
		_, l, err := openLog(filepath.Join(t.TempDir(), "log"), p, false)
		if err != nil {
			t.Fatal(err)
		}
		defer l.file.Close()
		l.counts = &Counts{}
		for i := range 10 {
			l.add([]byte("DEL"), []byte("k"))
			if err := l.commit(300 * time.Millisecond * time.Duration(i+1)); err != nil {
				t.Fatal(err)
			}
		}
		if l.counts.Syncs != want || l.counts.LogWrites != 10 {
			t.Errorf("%s: got %d syncs and %d writes, want %d and 10", p, l.counts.Syncs, l.counts.LogWrites, want)
		}
	}
	check(Always, 10)
	check(EverySecond, 2) // at 1.2 s and 2.4 s
	check(Never, 0)
}
