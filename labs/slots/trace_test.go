package slots

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"envelope/internal/lab"

	"github.com/google/go-cmp/cmp"
)

const head = "TIMESTAMP,ContextTokens,GeneratedTokens\n"

// two is a line that nothing is wrong with.
const two = "2023-11-16 18:15:46.6805900,374,44\n"

func read(text string) (all []request, err error) {
	err = readTrace(context.Background(), strings.NewReader(text), 1000, func(q request) { all = append(all, request{prompt: q.prompt, output: q.output}) })
	return all, err
}

func TestReadTrace(t *testing.T) {
	check := func(text string, want ...request) {
		t.Helper()
		got, err := read(text)
		if d := cmp.Diff(want, got, cmp.AllowUnexported(request{})); err != nil || d != "" {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, d)
		}
	}
	first := request{prompt: 374, output: 44}
	check(head+two, first)
	check(head+strings.TrimSuffix(two, "\n"), first) // no end of the last line
	check(head+two+two, first, first)
	check(strings.ReplaceAll(head+two, "\n", "\r\n"), first)
	check("\ufeff"+head+two, first)
	check("GeneratedTokens,TIMESTAMP,ContextTokens\n44,2023-11-16 18:15:46,374\n", first)
	check("model,ContextTokens,TIMESTAMP,GeneratedTokens\nx,374,2023-11-16 18:15:46,44\n", first)
	check(head+"2024-05-10 00:00:00.009930+00:00,374,44\n"+two+"2024-05-10T00:00:00Z,374,44\n"+"2024-05-10T00:00:00.5,374,44\n", first, first, first, first)
	check(head+"2023-11-16 18:15:46,0,1\n2023-11-16 18:15:46,10000000,10000000\n", request{output: 1}, request{prompt: 1e7, output: 1e7})
}

func TestBadTraces(t *testing.T) {
	check := func(text string, want ...string) {
		t.Helper()
		_, err := read(text)
		if err == nil {
			t.Errorf("%.80q: no error", text)
			return
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%.80q: got %q, want %q in it", text, err, w)
			}
		}
		if len(err.Error()) > 300 {
			t.Errorf("%.80q: a message of %d bytes", text, len(err.Error()))
		}
	}
	row := func(prompt, output string) string {
		return head + two + "2023-11-16 18:15:46," + prompt + "," + output + "\n" + two
	}
	check("", "the trace is empty", "TIMESTAMP,ContextTokens,GeneratedTokens")
	check(head, "no line below", "complete")
	check("\n"+head+two, "line 1", "no column TIMESTAMP")
	check(two+two, "line 1", "no column TIMESTAMP", "first line")
	check("TIMESTAMP,ContextTokens\n2023-11-16 18:15:46,1\n", "line 1", "no column GeneratedTokens", "any order")
	check("timestamp,contexttokens,generatedtokens\n"+two, "no column TIMESTAMP")
	check("TIMESTAMP;ContextTokens;GeneratedTokens\n"+two, "no column TIMESTAMP")
	check("TIMESTAMP,ContextTokens,GeneratedTokens,ContextTokens\n", "two columns ContextTokens", "remove")
	check(row("-1", "5"), "line 3", `ContextTokens is "-1"`, "negative", "remove the line")
	check(row("5", "-44"), "line 3", `GeneratedTokens is "-44"`, "negative")
	check(row("5", "0"), "line 3", "GeneratedTokens is 0", "remove the line")
	check(row("5", "10000001"), "line 3", `"10000001"`, "over 10000000 tokens")
	check(row("10000001", "5"), "line 3", `ContextTokens is "10000001"`, "over 10000000 tokens")
	check(row("5", "99999999999999999999999"), "line 3", "over 10000000 tokens")
	check(row("5", "-99999999999999999999999"), "line 3", "negative")
	check(row("many", "5"), "line 3", `ContextTokens is "many"`, "whole number")
	check(row("5", ""), "line 3", `GeneratedTokens is ""`, "whole number")
	check(row("5", "4.0"), "line 3", `"4.0"`, "whole number")
	check(row("5", "NaN"), "line 3", "whole number")
	check(row("5", "0x10"), "line 3", "whole number")
	check(row("5", " 4"), "line 3", "whole number")
	check(row("5", "1e3"), "line 3", "whole number")
	check(row(`"5"`, "4"), "line 3", "whole number")
	check(row("5", "4,4"), "line 3", "got 4 fields", "want 3")
	check(head+two+"\n"+two, "line 3", "got 1 fields")
	check(head+"2023-11-16 18:15:46,374\n", "line 2", "got 2 fields", "correct or remove")
	check(head+"374,44,2023-11-16 18:15:46\n", "line 2", `TIMESTAMP is "374"`, "want a time")
	check(head+"2023-13-16 18:15:46,374,44\n", "TIMESTAMP", "want a time")
	check(head+two+strings.Repeat("9", 5000)+"\n", "line 3", "over 1024 bytes", "one request a line")
	check(strings.Repeat("x", 5000), "line 1", "over 1024 bytes")
	check(head+strings.Repeat("9", 900)+",1,1\n", "line 2", "...")
	check("\x1f\x8b\x08\x00\x00\x00", "line 1", "no column TIMESTAMP")
	check(head+"\x00\x00\x00", "line 2", "got 1 fields")
	check(head+strings.Repeat(two, 1001), "line 1002", "that is request 1001, and at most 1000", "head -n")
}

// endless is a line that never ends.
type endless struct{ given int }

func (e *endless) Read(p []byte) (int, error) {
	e.given += len(p)
	return copy(p, bytes.Repeat([]byte("7"), len(p))), nil
}

// Of a line of 10 GB no more than a line's worth is read.
func TestEndlessLine(t *testing.T) {
	in := &endless{}
	err := readTrace(t.Context(), io.MultiReader(strings.NewReader(head+two), in), mostRequests, func(request) {})
	if err == nil || !strings.Contains(err.Error(), "line 3") || in.given > 1<<16 {
		t.Errorf("got error %v after %d bytes", err, in.given)
	}
}

// A read that fails in the middle of a line, as a disk does.
func TestReadError(t *testing.T) {
	in := io.MultiReader(strings.NewReader(head+two+"2023"), &failing{})
	err := readTrace(t.Context(), in, mostRequests, func(request) {})
	if err == nil || !strings.Contains(err.Error(), "line 3 of the trace: reading it: input/output error") || strings.Contains(err.Error(), "secret") {
		t.Errorf("got error %v", err)
	}
}

type failing struct{}

func (*failing) Read([]byte) (int, error) {
	return 0, &os.PathError{Op: "read", Path: "/home/secret", Err: unix.EIO}
}

// repeated gives a line over and over.
type repeated struct{ left, at int }

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) && r.left > 0 {
		c := copy(p[n:], two[r.at:])
		n += c
		if r.at += c; r.at == len(two) {
			r.at = 0
			r.left--
		}
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// A trace is not kept: reading ten times as much allocates no more.
func TestReadingIsStreaming(t *testing.T) {
	allocated := func(lines int) float64 {
		return testing.AllocsPerRun(1, func() {
			n := 0
			in := io.MultiReader(strings.NewReader(head), &repeated{left: lines})
			if err := readTrace(t.Context(), in, mostRequests, func(request) { n++ }); err != nil || n != lines {
				t.Errorf("got %d requests and %v, want %d", n, err, lines)
			}
		})
	}
	if few, many := allocated(1000), allocated(10000); many > few+10 {
		t.Errorf("1000 lines allocate %v times, 10000 lines %v", few, many)
	}
}

func TestReadingStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := readTrace(ctx, io.MultiReader(strings.NewReader(head), &repeated{left: 10 * betweenLooks}), mostRequests, func(request) {
		n++
		cancel()
	})
	if err != context.Canceled || n > betweenLooks {
		t.Errorf("got error %v after %d requests", err, n)
	}
}

// What can't be read as a trace at all is refused, by a message without its path.
func TestOpenTrace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "secret")
	check := func(path, want string) {
		t.Helper()
		f, err := openTrace(path)
		if err == nil {
			f.Close()
			t.Errorf("%s: no error", filepath.Base(path))
		} else if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %q, want %q and no path", filepath.Base(path), err, want)
		}
	}
	check(filepath.Join(dir, "none"), "opening the trace: no such file")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	check(dir, "not a regular file")
	if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	check(filepath.Join(dir, "pipe"), "not a regular file")
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, []byte(head), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 10e9); err != nil {
		t.Skipf("no sparse file of 10 GB here: %v", err)
	}
	check(large, "has 10000000000 bytes, and at most 4000000000 are read: cut it")
}

// A user's trace is simulated, shown, and nothing else; one that can't be read
// is all that a run says.
func TestUserTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret.csv")
	run := func(text string) (*lab.Record, error) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r := lab.NewRun(lab.Config{Lab: Lab, Wanted: map[string]bool{meanOverMax: true}})
		err := measureWith(t.Context(), r, path)
		return r.Record(), err
	}
	var b strings.Builder
	b.WriteString(head)
	for _, n := range asked {
		fmt.Fprintf(&b, "2023-11-16 18:15:46,1000,%d\n", n)
	}
	got, err := run(b.String())
	want := []lab.Table{{
		Title: "the trace: 8 requests, 8,000 prompt tokens, the longest output 120, in 8 slots", Header: []string{"scheduler", "passes", "slot-steps", "used"},
		Rows: [][]string{
			{"static", "120", "960", "17.9 %"},
			{"continuous", "120", "172", "100.0 %"},
			{"continuous, evicting a pass late", "121", "180", "95.6 %"},
		},
	}}
	if d := cmp.Diff(want, got.Tables); err != nil || d != "" || len(got.Evidence) != 1 {
		t.Errorf("%d claims, %v (-want +got):\n%s", len(got.Evidence), err, d)
	}
	if err := Lab.CheckTrace(path); err != nil {
		t.Errorf("before the run: %v", err)
	}
	for text, want := range map[string]string{"": "is empty", head: "no line below", "a,b\n1,2\n": "no column TIMESTAMP", head + "2023-11-16 18:15:46,1000,0\n": "line 2 of the trace"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Lab.CheckTrace(path); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q before the run: got %v, want %q and no path", text, err, want)
		}
	}
	got, err = run(head + "2023-11-16 18:15:46,1000,0\n")
	if err == nil || !strings.Contains(err.Error(), "line 2 of the trace") || strings.Contains(err.Error(), "secret") || len(got.Evidence) != 0 || len(got.Tables) != 0 {
		t.Errorf("got error %v, %d claims and %d tables, want line 2 and nothing", err, len(got.Evidence), len(got.Tables))
	}
}
