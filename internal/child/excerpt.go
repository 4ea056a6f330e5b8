package child

import (
	"fmt"
	"strings"
)

// quoted is how many bytes of something long an error quotes at each end.
const quoted = 2000

// excerpt keeps the beginning and the end of what is written to it: a crash
// says first what happened, a program that gives up says it last.
type excerpt struct {
	head, tail []byte
	size       int // of all that was written
}

// Write never fails.
func (e *excerpt) Write(b []byte) (int, error) {
	n := len(b)
	e.size += n
	first := min(n, quoted-len(e.head))
	e.head = append(e.head, b[:first]...)
	e.tail = append(e.tail, b[first:]...)
	e.tail = e.tail[max(0, len(e.tail)-quoted):]
	return n, nil
}

// String quotes it; "" where there is nothing but space.
func (e *excerpt) String() string {
	left := e.size - len(e.head) - len(e.tail)
	if left > 0 {
		return fmt.Sprintf("%q, %d bytes more, and %q", strings.TrimSpace(string(e.head)), left, strings.TrimSpace(string(e.tail)))
	}
	text := strings.TrimSpace(string(e.head) + string(e.tail))
	if text == "" {
		return ""
	}
	return fmt.Sprintf("%q", text)
}

// quote quotes what a child said, its beginning where it is long.
func quote(text string) string {
	if len(text) > quoted {
		return fmt.Sprintf("%q and %d bytes more", text[:quoted], len(text)-quoted)
	}
	return fmt.Sprintf("%q", text)
}
