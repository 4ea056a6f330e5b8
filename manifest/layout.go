package manifest

import (
	"errors"
	"fmt"
	"strings"
)

// errEmpty is the fault of a document of no bytes.
var errEmpty = errors.New("it is empty")

// layout is where the parts of a document lie in its text.
type layout struct {
	runs   []span
	insert int // where another run goes: behind the last, or behind the bracket
}

// span is a part of a text.
type span struct{ from, to int }

// readLayout checks that data is one whole document of this format, strictly,
// and finds its runs. Their fields are not looked at.
func readLayout(data []byte) (layout, error) {
	var l layout
	s := &scanner{data: data}
	s.space()
	if s.pos == len(data) {
		return l, errEmpty
	}
	if s.peek() != '{' {
		return l, s.unexpected(`a document that begins with "{"`)
	}
	format, found := "", false
	err := s.object(func(key []byte) error {
		switch string(key) {
		case "format":
			return s.textInto(&format)
		case "runs":
			found = true
			return s.runs(&l)
		}
		return s.errorf("the unknown field %q", printable(string(key)))
	})
	if err != nil {
		return l, err
	}
	if s.space(); s.pos < len(data) {
		return l, s.errorf("%q behind the end of the document", printable(string(data[s.pos:min(len(data), s.pos+8)])))
	}
	if err := checkFormat(format); err != nil {
		return l, err
	}
	if !found {
		return l, errors.New(`it has no "runs"`)
	}
	return l, nil
}

func (s *scanner) runs(l *layout) error {
	if s.peek() != '[' {
		return s.unexpected("the array of runs")
	}
	l.insert = s.pos + 1
	return s.array(func() error {
		if s.peek() != '{' {
			return s.unexpected("a run")
		}
		if len(l.runs) == maxRuns {
			return s.errorf("more than %d runs", maxRuns)
		}
		from := s.pos
		s.values = 0
		if err := s.object(func([]byte) error { return s.value() }); err != nil {
			return err
		}
		l.runs = append(l.runs, span{from, s.pos})
		l.insert = s.pos
		return nil
	})
}

// checkFormat refuses the name of any format but this one.
func checkFormat(format string) error {
	name, _, _ := strings.Cut(Format, "/")
	switch {
	case format == Format:
		return nil
	case strings.HasPrefix(format, name+"/"):
		return fmt.Errorf("its format is %q and this version of envelope knows %q: use the version that wrote it", printable(format), Format)
	case format == "":
		return errors.New(`it has no "format": it is not a results document`)
	}
	return fmt.Errorf("its format is %q, not %q: it is not a results document", printable(format), Format)
}
