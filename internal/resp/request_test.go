package resp

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// parsed is all requests of a stream, which comes in pieces of the given sizes,
// over and over, and the error that ended it.
func parsed(stream []byte, sizes ...int) (requests [][]string, err error) {
	p := parser{bulk: -1}
	var data []byte
	for i := 0; len(stream) > 0; i++ {
		n := min(max(sizes[i%len(sizes)], 1), len(stream))
		data, stream = append(data, stream[:n]...), stream[n:]
		for {
			n, err := p.next(data)
			if err != nil {
				return requests, err
			}
			if n == 0 {
				break
			}
			request := []string{}
			for _, a := range p.args {
				request = append(request, string(a))
			}
			requests, data = append(requests, request), bytes.Clone(data[n:])
		}
	}
	return requests, nil
}

func TestRequests(t *testing.T) {
	check := func(stream string, want ...[]string) {
		t.Helper()
		for _, size := range []int{1, 2, 3, 7, 1 << 20} {
			got, err := parsed([]byte(stream), size)
			if err != nil || !cmp.Equal(got, want) {
				t.Errorf("%.80q in pieces of %d: got %q, %v, want %q", stream, size, got, err, want)
			}
		}
	}
	check("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", []string{"GET", "k"})
	check("*1\r\n$0\r\n\r\nPING\r\n", []string{""}, []string{"PING"})
	check("*0\r\n*-1\r\n\r\n", []string{}, []string{}, []string{})
	check("SET k 'a b' \"c\\x41\"\r\n", []string{"SET", "k", "a b", "cA"})
	check("a\tb\vc\n", []string{"a", "b\vc"})
	check("PING\x00 what follows is gone\n", []string{"PING"})
	check("*2\r\n$1\r\n\r\r\n$2\r\n\r\n\r\n", []string{"\r", "\r\n"})
	check("*1\r\n$3\r\nabc") // and nothing more
	check("half a line")
}

// Where a request goes wrong the connection ends, with the words of Redis.
func TestProtocolErrors(t *testing.T) {
	check := func(stream, want string) {
		t.Helper()
		for _, size := range []int{1, 5, 1 << 20} {
			got, err := parsed([]byte(stream), size)
			if err == nil || err.Error() != "ERR Protocol error: "+want || len(got) > 0 {
				t.Errorf("%.80q in pieces of %d: got %q, %v, want %q", stream, size, got, err, want)
			}
		}
	}
	check("*x\r\n", "invalid multibulk length")
	check("*65537\r\n", "invalid multibulk length")
	check("*99999999999999999999\r\n", "invalid multibulk length")
	check("*1\r\n$-1\r\n", "invalid bulk length")
	check("*1\r\n$1048577\r\n", "invalid bulk length")
	check("*1\r\n$9223372036854775807\r\n", "invalid bulk length")
	check("*1\r\nx\r\n", "expected '$', got 'x'")
	check("*1\r\n\r\n", "expected '$', got ' '")
	check("*"+strings.Repeat("1", maxLine+1), "too big mbulk count string")
	check("*1\r\n$"+strings.Repeat("1", maxLine+1), "too big bulk count string")
	check(strings.Repeat("a", maxLine+1), "too big inline request")
	check("\"a\n", "unbalanced quotes in request")
	check("'a\\' b\n", "unbalanced quotes in request")
	check("'a'b\n", "unbalanced quotes in request")
}

// Arguments that are allowed one by one can still be too much together.
func TestLargestRequest(t *testing.T) {
	stream := []byte("*3\r\n")
	for range 3 {
		stream = bulk(stream, make([]byte, maxBulk-100))
	}
	if got, err := parsed(stream, chunk); err == nil || len(got) > 0 {
		t.Errorf("got %d requests, %v, want that 3 MiB are refused", len(got), err)
	}
	stream = bulk(bulk([]byte("*2\r\n"), make([]byte, maxBulk-100)), make([]byte, maxBulk-100))
	if got, err := parsed(stream, chunk); err != nil || len(got) != 1 {
		t.Errorf("got %d requests, %v, want one of 2 MiB", len(got), err)
	}
}

// However a stream is cut, it says the same.
func TestPiecesDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream []byte
		var want [][]string
		word := rapid.StringMatching(`[a-z \r\n$*]{0,12}`)
		for range rapid.IntRange(0, 6).Draw(t, "requests") {
			words := rapid.SliceOfN(word, 1, 5).Draw(t, "words")
			want = append(want, words)
			var args [][]byte
			for _, w := range words {
				args = append(args, []byte(w))
			}
			stream = AppendRequest(stream, args...)
		}
		sizes := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 5).Draw(t, "sizes")
		if got, err := parsed(stream, sizes...); err != nil || !cmp.Equal(got, want) {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
	})
}

// FuzzRequests: whatever comes, whole or byte by byte, it is understood alike, no
// request is larger than what was sent, and nothing panics.
func FuzzRequests(f *testing.F) {
	for _, s := range []string{"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", "*-1\r\n*0\r\n", "SET 'a b' \"\\x00\"\r\n", "*1\r\n$-5\r\n", "*3\r\n$99999999999\r\n",
		"\"\\", "'", "*1\r\n$1\r\nabcd\r\n", "\r\n\n\x00\n", "*1\n$1\na\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole, err := parsed(stream, len(stream)+1)
		pieces, err2 := parsed(stream, 1)
		if fmt.Sprint(err) != fmt.Sprint(err2) || !slices.EqualFunc(whole, pieces, slices.Equal) {
			t.Fatalf("whole: %q, %v; byte by byte: %q, %v", whole, err, pieces, err2)
		}
		size := 0
		for _, r := range whole {
			for _, a := range r {
				size += len(a)
			}
		}
		if size > len(stream) {
			t.Fatalf("%d bytes of arguments out of %d", size, len(stream))
		}
	})
}

func TestParseInt(t *testing.T) {
	check := func(text string, want int64, ok bool) {
		t.Helper()
		if got, good := parseInt([]byte(text)); good != ok || ok && got != want {
			t.Errorf("%q: got %d, %v, want %d, %v", text, got, good, want, ok)
		}
	}
	check("0", 0, true)
	check("-1", -1, true)
	check("9223372036854775807", 1<<63-1, true)
	check("-9223372036854775808", -1<<63, true)
	for _, bad := range []string{"", "-", "+1", "01", "-0", "-01", " 1", "1 ", "1x", "9223372036854775808", "-9223372036854775809", "99999999999999999999"} {
		check(bad, 0, false)
	}
}

// slowMatch is the pattern's definition, without a thought for its cost.
func slowMatch(pattern, key []byte) bool {
	if len(pattern) == 0 {
		return len(key) == 0
	}
	if pattern[0] == '*' {
		return slowMatch(pattern[1:], key) || len(key) > 0 && slowMatch(pattern, key[1:])
	}
	if len(key) == 0 {
		return false
	}
	n, ok := matchOne(pattern, key[0])
	return ok && slowMatch(pattern[n:], key[1:])
}

func TestMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := []byte(rapid.StringMatching(`[ab*?\[\]^\\-]{0,8}`).Draw(t, "pattern"))
		key := []byte(rapid.StringMatching(`[ab\]-]{0,8}`).Draw(t, "key"))
		if got, want := match(pattern, key), slowMatch(pattern, key); got != want {
			t.Fatalf("%q, %q: got %v, want %v", pattern, key, got, want)
		}
	})
	// This takes the definition longer than anybody waits.
	if match([]byte(strings.Repeat("a*", 1000)+"b"), bytes.Repeat([]byte("a"), 20_000)) {
		t.Error("a pattern that ends in b means a key of nothing but a")
	}
}

func TestReplies(t *testing.T) {
	stream := []byte("+OK\r\n:1\r\n$3\r\na\r\n\r\n$-1\r\n*2\r\n$1\r\nx\r\n*1\r\n:2\r\n-ERR no\r\n*0\r\n$5\r\nab")
	if got := Replies(stream); got != 7 {
		t.Errorf("got %d whole replies, want 7", got)
	}
}
