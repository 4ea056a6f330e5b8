package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The bounds of a text that is read. A file is somebody else's text; none of
// these comes near what the suite writes.
const (
	maxDepth  = 32
	maxValues = 1 << 20 // JSON values in one run
	maxRuns   = 1 << 17 // in one document
	maxNumber = 40      // bytes of one number; the shortest form of any float64 has 25
	fewKeys   = 32      // up to here a linear search for duplicate keys is the fastest
)

// scanner reads JSON text more strictly than encoding/json: keys must not come
// twice, strings must be UTF-8 with whole surrogate pairs, numbers must be
// finite, and depth and count are bounded.
type scanner struct {
	data   []byte
	pos    int
	depth  int
	values int
	keys   [][]byte // of the objects that are open, each object's behind its parent's
}

// textError is a fault of a text: at which byte, and inside which value.
type textError struct {
	path string // ".runs[0].labs"
	pos  int
	msg  string
}

func (e *textError) Error() string {
	if e.path == "" {
		return fmt.Sprintf("byte %d: %s", e.pos, e.msg)
	}
	return fmt.Sprintf("%s: byte %d: %s", strings.TrimPrefix(e.path, "."), e.pos, e.msg)
}

func (s *scanner) errorf(format string, args ...any) error {
	return &textError{pos: s.pos, msg: fmt.Sprintf(format, args...)}
}

// within adds a step to the path of a fault on its way out.
func within(step string, err error) error {
	if e, ok := err.(*textError); ok && len(e.path) < 200 {
		e.path = step + e.path
	}
	return err
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.pos >= len(s.data) {
		return 0
	}
	return s.data[s.pos]
}

// unexpected names what stands where something else is wanted.
func (s *scanner) unexpected(want string) error {
	if s.pos >= len(s.data) {
		return s.errorf("the text ends where %s should be", want)
	}
	return s.errorf("%q where %s should be", printable(string(s.data[s.pos:min(s.pos+8, len(s.data))])), want)
}

// value reads any value and the space around it.
func (s *scanner) value() error {
	if s.values++; s.values > maxValues {
		return s.errorf("more than %d values", maxValues)
	}
	s.space()
	var err error
	switch c := s.peek(); {
	case c == '{':
		err = s.object(func([]byte) error { return s.value() })
	case c == '[':
		err = s.array(s.value)
	case c == '"':
		_, err = s.text()
	case c == '-' || c >= '0' && c <= '9':
		err = s.number()
	case c == 't':
		err = s.word("true")
	case c == 'f':
		err = s.word("false")
	case c == 'n':
		err = s.word("null")
	default:
		err = s.unexpected("a value")
	}
	s.space()
	return err
}

func (s *scanner) word(w string) error {
	if !bytes.HasPrefix(s.data[s.pos:], []byte(w)) {
		return s.unexpected("a value")
	}
	s.pos += len(w)
	return nil
}

func (s *scanner) enter() error {
	if s.depth++; s.depth > maxDepth {
		return s.errorf("nested deeper than %d", maxDepth)
	}
	s.pos++
	s.space()
	return nil
}

// more steps over a comma and reports true, or over the closing byte and
// reports false.
func (s *scanner) more(closing byte) (bool, error) {
	s.space()
	switch s.peek() {
	case ',':
		s.pos++
		s.space()
		return true, nil
	case closing:
		s.pos++
		s.depth--
		return false, nil
	}
	return false, s.unexpected(fmt.Sprintf(`"," or %q`, string(closing)))
}

// array reads an array whose elements are read by element.
func (s *scanner) array(element func() error) error {
	if err := s.enter(); err != nil {
		return err
	}
	if s.peek() == ']' {
		_, err := s.more(']')
		return err
	}
	for i := 0; ; i++ {
		if err := element(); err != nil {
			return within("["+strconv.Itoa(i)+"]", err)
		}
		if more, err := s.more(']'); err != nil || !more {
			return err
		}
	}
}

// object reads an object whose values are read by value, which is told the key.
func (s *scanner) object(value func(key []byte) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	base, seen := len(s.keys), map[string]bool(nil)
	defer func() { s.keys = s.keys[:base] }()
	if s.peek() == '}' {
		_, err := s.more('}')
		return err
	}
	for {
		key, err := s.key(base, &seen)
		if err != nil {
			return err
		}
		if s.space(); s.peek() != ':' {
			return s.unexpected(`":"`)
		}
		s.pos++
		s.space()
		if err := value(key); err != nil {
			return within("."+printable(string(key)), err)
		}
		if more, err := s.more('}'); err != nil || !more {
			return err
		}
	}
}

// key reads a key of the object whose keys begin at base, and refuses one that
// was there before.
func (s *scanner) key(base int, seen *map[string]bool) ([]byte, error) {
	if s.peek() != '"' {
		return nil, s.unexpected("a key")
	}
	at := s.pos
	key, err := s.text()
	if err != nil {
		return nil, err
	}
	twice := false
	if *seen != nil {
		twice = (*seen)[string(key)]
		(*seen)[string(key)] = true
	} else {
		for _, k := range s.keys[base:] {
			twice = twice || bytes.Equal(k, key)
		}
		if s.keys = append(s.keys, key); len(s.keys)-base > fewKeys {
			*seen = map[string]bool{}
			for _, k := range s.keys[base:] {
				(*seen)[string(k)] = true
			}
		}
	}
	if twice {
		s.pos = at
		return nil, s.errorf("the key %q comes twice in one object", printable(string(key)))
	}
	return key, nil
}

// text reads a string and returns what it stands for.
func (s *scanner) text() ([]byte, error) {
	start, escaped := s.pos, false
	for s.pos++; s.pos < len(s.data); {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			if !escaped {
				return s.data[start+1 : s.pos-1], nil
			}
			var out string
			err := json.Unmarshal(s.data[start:s.pos], &out)
			return []byte(out), err
		case c == '\\':
			escaped = true
			if err := s.escape(); err != nil {
				return nil, err
			}
		case c < ' ':
			return nil, s.errorf("a control character in a string")
		case c < utf8.RuneSelf:
			s.pos++
		default:
			r, size := utf8.DecodeRune(s.data[s.pos:])
			if r == utf8.RuneError && size == 1 {
				return nil, s.errorf("a string is not UTF-8")
			}
			s.pos += size
		}
	}
	return nil, s.errorf("the text ends inside a string")
}

// textInto reads a string, and nothing else, into out.
func (s *scanner) textInto(out *string) error {
	if s.peek() != '"' {
		return s.unexpected("a string")
	}
	text, err := s.text()
	*out = string(text)
	return err
}

func (s *scanner) escape() error {
	rest := s.data[s.pos:]
	if len(rest) < 2 {
		return s.errorf("the text ends inside a string")
	}
	if rest[1] != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), rest[1]) < 0 {
			return s.errorf("an unknown escape in a string")
		}
		s.pos += 2
		return nil
	}
	const low, high, end = 0xd800, 0xdc00, 0xe000
	first := hex4(rest)
	switch {
	case first < 0:
		return s.errorf("an unknown escape in a string")
	case first < low || first >= end:
		s.pos += 6
		return nil
	}
	if second := hex4(rest[6:]); first >= high || second < high || second >= end {
		return s.errorf("half a surrogate pair in a string")
	}
	s.pos += 12
	return nil
}

// hex4 returns the number of an escape \uXXXX, or -1.
func hex4(b []byte) int {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return int(n)
}

func (s *scanner) number() error {
	start := s.pos
	digits := func() bool {
		from := s.pos
		for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
			s.pos++
		}
		return s.pos > from
	}
	if s.peek() == '-' {
		s.pos++
	}
	if s.peek() == '0' {
		s.pos++
	} else if !digits() {
		return s.unexpected("a digit")
	}
	if s.peek() == '.' {
		if s.pos++; !digits() {
			return s.unexpected("a digit")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if !digits() {
			return s.unexpected("a digit")
		}
	}
	text := s.data[start:s.pos]
	s.pos, start = start, s.pos // errors name where the number begins
	if len(text) > maxNumber {
		return s.errorf("a number of %d bytes: at most %d", len(text), maxNumber)
	}
	if v, err := strconv.ParseFloat(string(text), 64); err != nil || math.IsInf(v, 0) {
		return s.errorf("the number %s is out of range", text)
	}
	s.pos = start
	return nil
}
