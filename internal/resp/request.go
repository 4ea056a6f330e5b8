package resp

import (
	"bytes"
	"fmt"
)

// Limits of a request: what one connection can make the server hold.
const (
	maxBulk    = 1 << 20  // bytes of one argument
	maxArgs    = 1 << 16  // arguments
	maxRequest = 2 << 20  // bytes of all of it
	maxLine    = 64 << 10 // bytes of an inline request, and of a line that holds a length
)

// errProtocol says that a request is none. Its text is sent, and nothing of the
// connection is read after it: where the next request begins is not known.
type errProtocol string

func (e errProtocol) Error() string { return "ERR Protocol error: " + string(e) }

// parser takes requests apart. Bytes may come in any pieces: it remembers how
// far it came in a request that was not whole, so that a client that sends one
// byte at a time costs one step at a time.
type parser struct {
	args  [][]byte // of the last whole request; they share the memory of its data
	spans [][2]int // of its arguments in the data
	pos   int      // how far the unfinished request was understood
	left  int      // arguments that it still lacks
	bulk  int      // length of the argument that comes, -1 where its line comes first
	begun bool     // the number of arguments is known
	extra int      // bytes that a request may have beyond maxRequest
}

// next takes the request that data begins with and returns its length, 0 where it
// is not whole yet: then the next call's data must begin with the same bytes. A
// request may have no arguments, which asks for nothing.
func (p *parser) next(data []byte) (n int, err error) {
	if len(data) == 0 {
		return 0, nil
	}
	if data[0] != '*' {
		return p.inline(data)
	}
	if !p.begun {
		if ok, err := p.begin(data); !ok || err != nil {
			return 0, err
		}
	}
	for p.left > 0 {
		if ok, err := p.argument(data); !ok || err != nil {
			return 0, err
		}
	}
	p.args = p.args[:0]
	for _, s := range p.spans {
		p.args = append(p.args, data[s[0]:s[1]])
	}
	n = p.pos
	p.reset()
	return n, nil
}

func (p *parser) reset() { p.spans, p.pos, p.left, p.bulk, p.begun = p.spans[:0], 0, 0, -1, false }

// trim gives back what a request of very many arguments has left, so that a
// thousand clients can't have each a megabyte of it for ever.
func (p *parser) trim() {
	const usual = 256
	if cap(p.spans) > usual && !p.begun {
		p.spans = nil
	}
	if cap(p.args) > usual {
		p.args = nil
	}
}

// begin reads the line "*N".
func (p *parser) begin(data []byte) (ok bool, err error) {
	p.reset()
	n, ok, err := p.length(data, "too big mbulk count string")
	if !ok || err != nil {
		return false, err
	}
	if n.bad || n.value > maxArgs {
		return false, errProtocol("invalid multibulk length")
	}
	p.left, p.begun = int(max(n.value, 0)), true
	return true, nil
}

// argument reads "$N" and what follows, as far as they are there.
func (p *parser) argument(data []byte) (ok bool, err error) {
	if p.bulk < 0 {
		if p.pos == len(data) {
			return false, nil
		}
		if c := data[p.pos]; c != '$' {
			return false, errProtocol(fmt.Sprintf("expected '$', got '%c'", printable(c)))
		}
		n, ok, err := p.length(data, "too big bulk count string")
		if !ok || err != nil {
			return false, err
		}
		if n.bad || n.value < 0 || n.value > maxBulk || p.pos+int(n.value) > maxRequest+p.extra {
			return false, errProtocol("invalid bulk length")
		}
		p.bulk = int(n.value)
	}
	// The two bytes behind an argument are passed over, as Redis does.
	if len(data) < p.pos+p.bulk+2 {
		return false, nil
	}
	p.spans = append(p.spans, [2]int{p.pos, p.pos + p.bulk})
	p.pos, p.bulk, p.left = p.pos+p.bulk+2, -1, p.left-1
	return true, nil
}

// number is what a line with a length held.
type number struct {
	value int64
	bad   bool
}

// length reads a line of one letter and a number.
func (p *parser) length(data []byte, tooLong string) (n number, ok bool, err error) {
	rest := data[p.pos:]
	end := bytes.IndexByte(rest, '\r')
	if end < 0 {
		if len(rest) > maxLine {
			return n, false, errProtocol(tooLong)
		}
		return n, false, nil
	}
	if end+2 > len(rest) {
		return n, false, nil
	}
	v, good := parseInt(rest[1:end])
	p.pos += end + 2
	return number{v, !good}, true, nil
}

// inline reads a request that is a line of words.
func (p *parser) inline(data []byte) (n int, err error) {
	end := bytes.IndexByte(data, '\n')
	if end < 0 {
		if len(data) > maxLine {
			return 0, errProtocol("too big inline request")
		}
		return 0, nil
	}
	line := bytes.TrimSuffix(data[:end], []byte("\r"))
	var ok bool
	if p.args, ok = words(p.args[:0], line); !ok {
		return 0, errProtocol("unbalanced quotes in request")
	}
	return end + 1, nil
}

// printable stands for a byte in an error: a reply is one line.
func printable(c byte) rune {
	if c == '\r' || c == '\n' {
		return ' '
	}
	return rune(c)
}

// parseInt reads a decimal number as Redis does: no sign but a minus, no zero in
// front, nothing around it.
func parseInt(text []byte) (v int64, ok bool) {
	digits, negative := text, false
	if len(text) > 1 && text[0] == '-' {
		digits, negative = text[1:], true
	}
	if len(digits) == 0 || len(digits) > 19 || digits[0] == '0' && (len(digits) > 1 || negative) {
		return 0, false
	}
	var u uint64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		u = u*10 + uint64(c-'0') // 19 digits fit
	}
	if negative {
		return -int64(u), u <= 1<<63
	}
	return int64(u), u < 1<<63
}
