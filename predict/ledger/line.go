package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// line is how an event stands in the file: its bytes, and their CRC-32C in
// hex. The checksum has the standard seed and covers no empty event, so neither
// zeros nor an empty line pass for one.
type line struct {
	Sum   string          `json:"sum"`
	Event json.RawMessage `json:"event"`
}

// opening is how every line begins. Inside a line it can't occur again: a
// quotation mark in a JSON string is escaped.
const opening = `{"sum":"`

// longest is how many bytes a line may have that was being written. The line of a
// lab's predictions has some thousands: what is longer was not written here.
const longest = 1 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(event []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(event, castagnoli)) }

// encode returns the event as a line, with its newline.
func encode(e event) ([]byte, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	text, err = json.Marshal(line{sum(text), text})
	return append(text, '\n'), err
}

var errLine = errors.New("the line is not as it was written")

// decode reads a line. A line that is whole but in a form that this version
// doesn't know comes back as an event of no kind.
func decode(text []byte) (event, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil || len(l.Event) == 0 || l.Sum != sum(l.Event) {
		return event{}, errLine
	}
	var e event
	if json.Unmarshal(l.Event, &e) != nil {
		return event{}, nil
	}
	return e, nil
}

// contents is a file taken apart.
type contents struct {
	events []event
	lines  [][]byte // the text of each, without its newline
	good   int      // length of the file up to the end of its last whole line
	open   bool     // the last line is whole but lacks its newline
	torn   int      // bytes of a last line that was being written
	bad    []int    // numbers of damaged lines, from 1
}

// scan takes a file apart.
func scan(data []byte) contents {
	var c contents
	for n, at := 1, 0; at < len(data); n++ {
		text, rest, ended := bytes.Cut(data[at:], []byte("\n"))
		e, err := decode(text)
		switch {
		case err == nil:
			c.keep(e, text)
			c.open = !ended
		case ended && len(bytes.TrimSpace(text)) == 0:
			// An editor's empty line holds nothing.
		case !ended && len(text) <= longest && unfinished(text):
			c.torn = len(text)
			return c
		default:
			c.bad = append(c.bad, n)
			c.salvage(text)
		}
		at = len(data) - len(rest)
		c.good = at
	}
	return c
}

func (c *contents) keep(e event, text []byte) {
	c.events = append(c.events, e)
	c.lines = append(c.lines, text)
}

// salvage finds whole lines inside a damaged one, which are there when a
// newline was lost.
func (c *contents) salvage(text []byte) {
	for at := bytes.Index(text, []byte(opening)); at >= 0; {
		var raw json.RawMessage
		if json.NewDecoder(bytes.NewReader(text[at:])).Decode(&raw) == nil {
			if e, err := decode(raw); err == nil {
				c.keep(e, raw)
			}
		}
		next := bytes.Index(text[at+1:], []byte(opening))
		if next < 0 {
			return
		}
		at += 1 + next
	}
}

// unfinished reports whether text is the beginning of a line, as a killed
// writer leaves it, or zeros, as a power cut may.
func unfinished(text []byte) bool {
	text = bytes.TrimRight(text, "\x00")
	var raw json.RawMessage
	err := json.NewDecoder(bytes.NewReader(text)).Decode(&raw)
	return len(text) == 0 || errors.Is(err, io.ErrUnexpectedEOF)
}
