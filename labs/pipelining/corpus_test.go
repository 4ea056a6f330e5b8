package pipelining

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"envelope/internal/measure"
)

var record = flag.Bool("record", false, "write testdata/replies.txt anew, from the redis-server in PATH")

const repliesFile = "testdata/replies.txt"

// recordedPrefix is the one that the recorded replies were made with.
const recordedPrefix = "envelope:0123456789abcdef:"

// The recording holds a server to a real Redis where there is none.
func TestRecordedReplies(t *testing.T) {
	scenarios, err := corpus(corpusText)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, "")
	if *record {
		recordReplies(t, b, scenarios)
	}
	recorded := map[string][]byte{}
	text, err := os.ReadFile(repliesFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		name, quoted, _ := strings.Cut(line, " ")
		replies, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		recorded[name] = []byte(replies)
	}
	s, err := start(t.Context(), b.Run, b.directory(), setup{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, sc := range scenarios {
		got := replay(t, b, sc, func(context.Context) (net.Conn, error) { return connection(s.dir, socketName) })
		if want, ok := recorded[sc.name]; !ok || !bytes.Equal(got, want) {
			t.Errorf("%s: got\n%q, want\n%q", sc.name, got, want)
		}
	}
	if len(recorded) != len(scenarios) {
		t.Errorf("%d scenarios were recorded, and there are %d", len(recorded), len(scenarios))
	}
}

func replay(t *testing.T, b *bench, s scenario, dial func(context.Context) (net.Conn, error)) []byte {
	t.Helper()
	requests, err := s.requests(recordedPrefix)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.ask(t.Context(), func() (net.Conn, error) { return dial(t.Context()) }, requests)
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return got
}

func recordReplies(t *testing.T, b *bench, scenarios []scenario) {
	re, err := b.findReal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer re.close()
	var out strings.Builder
	for _, s := range scenarios {
		fmt.Fprintf(&out, "%s %q\n", s.name, replay(t, b, s, func(context.Context) (net.Conn, error) { return re.dial() }))
	}
	if err := os.WriteFile(repliesFile, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCorpusErrors(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if _, err := corpus(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	check("PING\n", "line 1 of the corpus is in front of the first scenario")
	check("== a\n\"x\n", `scenario a: "\"x" is no command`)
	check("== a\n! x\n", "scenario a: x is not quoted")
}

func TestDiffering(t *testing.T) {
	check := func(a, b string, want int) {
		t.Helper()
		if got := differing([]byte(a), []byte(b)); got != want {
			t.Errorf("%q, %q: got %d, want %d", a, b, got, want)
		}
	}
	check("", "", 0)
	check("abc", "abc", 0)
	check("abc", "axc", 1)
	check("abc", "ab", 1)
	check("", "abc", 3)
}

// pretender is a server that answers every connection with the same text.
func pretender(t *testing.T, answer string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Read(make([]byte, 1<<16))
			c.Write([]byte(answer))
			c.Close()
		}
	}()
	return l.Addr().String()
}

// What answers at the user's address need not be a Redis of our time.
func TestWhatIsNoRedis(t *testing.T) {
	check := func(address string, reason measure.Reason, want string) {
		t.Helper()
		b := newBench(t, "", sameReplies)
		b.Redis = address
		if err := measureAll(t.Context(), b.Run); err != nil {
			t.Fatal(err)
		}
		j := b.Record().Voids[sameReplies]
		if j.Reason != reason || !strings.Contains(j.Detail, want) || strings.Contains(j.Detail, address) {
			t.Errorf("%s: got %v (%s) %q, want %s with %q", address, j.Verdict, j.Reason, j.Detail, reason, want)
		}
	}
	check(pretender(t, "HTTP/1.1 400 Bad Request\r\n\r\n"), measure.Unreachable, "does not say which version")
	check(pretender(t, "-NOAUTH Authentication required.\r\n"), measure.Unreachable, "the server refuses to say what it is: NOAUTH")
	check(pretender(t, "$30\r\n# Server\r\nredis_version:6.2.6\r\n\r\n"), measure.Unreachable, "this is Redis 6.2.6")
	check(pretender(t, "$30\r\n# Server\r\nredis_version:new\r\n\r\n"), measure.Unreachable, `version "new"`)
	check("/nowhere/sock", measure.Error, "connecting to the address of --redis: no such file or directory")
	check("nonsense", measure.Error, "connecting to the address of --redis")
	// One that says it is a Redis and answers otherwise fails, and does not hang.
	b := newBench(t, "", sameReplies)
	b.Redis = pretender(t, "$30\r\n# Server\r\nredis_version:7.0.9\r\n\r\n")
	if err := measureAll(t.Context(), b.Run); err != nil {
		t.Fatal(err)
	}
	if j := measure.Judge(Lab.Claim(sameReplies).Terms(), b.Record().Evidence[sameReplies], 0); j.Verdict != measure.Failed {
		t.Errorf("got %v (%s) %s, want failed", j.Verdict, j.Reason, j.Detail)
	}
}

// A server may refuse a command for a reason that is no word about ours.
func TestRefusal(t *testing.T) {
	check := func(replies, want string) {
		t.Helper()
		if got := refusal([]byte(replies)); got != want {
			t.Errorf("%q: got %q, want %q", replies, got, want)
		}
	}
	check("+OK\r\n-ERR syntax error\r\n$2\r\n-1\r\n:-2\r\n", "")
	check("-ERR no\r\n-READONLY You can't write against a read only replica.\r\n", "READONLY")
	check("-MOVED 3999 203.0.113.77:6379\r\n", "MOVED")
	b := newBench(t, "", sameReplies)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for answer := "$25\r\nx\r\nredis_version:7.0.15\r\n\r\n"; ; answer = "-READONLY no\r\n" {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Read(make([]byte, 1<<16))
			c.Write([]byte(answer))
			c.Close()
		}
	}()
	b.Redis = l.Addr().String()
	if err := measureAll(t.Context(), b.Run); err != nil {
		t.Fatal(err)
	}
	if j := b.Record().Voids[sameReplies]; j.Reason != measure.Unreachable || !strings.HasSuffix(j.Detail, "scenario strings: READONLY") {
		t.Errorf("got %v (%s) %q, want that a replica is out of reach", j.Verdict, j.Reason, j.Detail)
	}
}

// A version that nobody has seen may answer in other words: that it does is no
// failure.
func TestUnknownVersion(t *testing.T) {
	b := newBench(t, "", sameReplies)
	b.Redis = pretender(t, "$30\r\n# Server\r\nredis_version:9.1.0\r\n\r\n")
	if err := measureAll(t.Context(), b.Run); err != nil {
		t.Fatal(err)
	}
	if j := b.Record().Voids[sameReplies]; j.Reason != measure.Unreachable || !strings.Contains(j.Detail, "this is Redis 9.1.0") {
		t.Errorf("got %v (%s) %q, want that it is out of reach", j.Verdict, j.Reason, j.Detail)
	}
}

// Keys that are put on somebody's server are gone afterwards.
func TestCorpusLeavesNothing(t *testing.T) {
	scenarios, err := corpus(corpusText)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, "")
	s, err := start(t.Context(), b.Run, b.directory(), setup{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, sc := range scenarios {
		replay(t, b, sc, func(context.Context) (net.Conn, error) { return connection(s.dir, socketName) })
		if r, err := s.tell("report"); err != nil || r.All != 0 {
			t.Errorf("scenario %s leaves %d keys, %v", sc.name, r.All, err)
		}
	}
}
