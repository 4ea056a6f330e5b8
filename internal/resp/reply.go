package resp

import (
	"bytes"
	"strconv"
)

// Replies are appended to a connection's output.

func simple(out []byte, text string) []byte {
	out = append(out, '+')
	out = append(out, text...)
	return append(out, "\r\n"...)
}

// failure is an error reply. It is one line, whatever the text quotes.
func failure(out []byte, text string) []byte {
	out = append(out, '-')
	for i := range len(text) {
		c := text[i]
		if c == '\r' || c == '\n' {
			c = ' '
		}
		out = append(out, c)
	}
	return append(out, "\r\n"...)
}

func integer(out []byte, v int64) []byte {
	out = append(out, ':')
	out = strconv.AppendInt(out, v, 10)
	return append(out, "\r\n"...)
}

func bulk(out, value []byte) []byte {
	out = append(out, '$')
	out = strconv.AppendInt(out, int64(len(value)), 10)
	out = append(out, "\r\n"...)
	out = append(out, value...)
	return append(out, "\r\n"...)
}

func null(out []byte) []byte { return append(out, "$-1\r\n"...) }

func array(out []byte, n int) []byte {
	out = append(out, '*')
	out = strconv.AppendInt(out, int64(n), 10)
	return append(out, "\r\n"...)
}

// AppendRequest appends a request with these arguments, as a client sends it and
// as the log holds it.
func AppendRequest(to []byte, args ...[]byte) []byte {
	to = array(to, len(args))
	for _, a := range args {
		to = bulk(to, a)
	}
	return to
}

// AppendBulk appends a value as a reply has it.
func AppendBulk(to, value []byte) []byte { return bulk(to, value) }

// Replies counts the whole replies that a stream begins with; a reply that is an
// array counts as one.
func Replies(stream []byte) (n int) {
	for {
		rest, ok := skipReply(stream)
		if !ok {
			return n
		}
		stream = rest
		n++
	}
}

// skipReply returns what follows the first reply.
func skipReply(stream []byte) (rest []byte, ok bool) {
	for left := 1; left > 0; left-- {
		end := bytes.IndexByte(stream, '\n')
		if end < 1 {
			return nil, false
		}
		line := bytes.TrimSuffix(stream[:end], []byte("\r"))
		stream = stream[end+1:]
		if len(line) == 0 {
			return nil, false
		}
		n, isNumber := parseInt(line[1:])
		switch kind := line[0]; {
		case kind == '*' && isNumber && n > 0 && n < int64(len(stream)):
			left += int(n)
		case kind == '$' && isNumber && n >= 0:
			if n+2 > int64(len(stream)) {
				return nil, false
			}
			stream = stream[n+2:]
		}
	}
	return stream, true
}
