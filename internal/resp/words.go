package resp

import "bytes"

// words splits an inline request at its blanks. Quotes keep blanks together: in
// double ones a backslash begins an escape, in single ones it escapes a single
// quote alone. It reports false where a quote does not end, or ends inside a
// word. A zero byte ends the line, as it does in Redis. The words share the
// line's memory where they need no unquoting.
func words(to [][]byte, line []byte) (args [][]byte, ok bool) {
	if end := bytes.IndexByte(line, 0); end >= 0 {
		line = line[:end]
	}
	for {
		for len(line) > 0 && blank(line[0]) {
			line = line[1:]
		}
		if len(line) == 0 {
			return to, true
		}
		word, n, ok := word(line)
		if !ok {
			return to, false
		}
		to, line = append(to, word), line[n:]
	}
}

func blank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// ends reports whether a word ends at c, which not every blank does.
func ends(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// word returns the word that the line begins with and how much of the line it
// takes.
func word(line []byte) (w []byte, n int, ok bool) {
	plain := 0
	for plain < len(line) && line[plain] != '"' && line[plain] != '\'' {
		if ends(line[plain]) {
			return line[:plain], plain, true
		}
		plain++
	}
	if plain == len(line) {
		return line, plain, true
	}
	w = append(make([]byte, 0, len(line)), line[:plain]...)
	for i := plain; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"' || c == '\'':
			var took int
			if w, took, ok = quotedWord(w, line[i:]); !ok {
				return nil, 0, false
			}
			return w, i + took, true
		case ends(c):
			return w, i, true
		default:
			w = append(w, c)
		}
	}
	return w, len(line), true
}

// quotedWord adds what stands between quotes. Behind the second one the word is
// over.
func quotedWord(w, rest []byte) (_ []byte, n int, ok bool) {
	quote := rest[0]
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == quote:
			return w, i + 1, i+1 == len(rest) || blank(rest[i+1])
		case c == '\\' && quote == '"' && i+3 < len(rest) && rest[i+1] == 'x' && hex(rest[i+2]) >= 0 && hex(rest[i+3]) >= 0:
			w, i = append(w, byte(hex(rest[i+2])<<4|hex(rest[i+3]))), i+3
		case c == '\\' && i+1 < len(rest) && (quote == '"' || rest[i+1] == '\''):
			i++
			w = append(w, unescape(rest[i], quote))
		default:
			w = append(w, c)
		}
	}
	return nil, 0, false
}

func unescape(c, quote byte) byte {
	if quote == '"' {
		switch c {
		case 'n':
			return '\n'
		case 'r':
			return '\r'
		case 't':
			return '\t'
		case 'b':
			return '\b'
		case 'a':
			return '\a'
		}
	}
	return c
}

func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// Words splits an inline request into its arguments, as the server does.
func Words(line []byte) (args [][]byte, ok bool) { return words(nil, line) }
