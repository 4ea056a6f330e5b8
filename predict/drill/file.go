package drill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"envelope/internal/statefile"
)

// Name is the boxes' file in the state directory.
const Name = "drill.json"

const format = "envelope-drill/1"

// document is drill.json.
type document struct {
	Format string `json:"format"`
	Cards  State  `json:"cards"`
}

// Load reads the boxes from a state directory. Where there is no file, all
// cards are new, and none is made. The messages are for the user.
func Load(dir string) (State, []string, error) {
	data, err := statefile.Read(filepath.Join(dir, Name))
	if err != nil {
		return nil, nil, fmt.Errorf("reading the boxes: %w", err)
	}
	if s, err := decode(data); err == nil {
		return s, nil, nil
	}
	// It must be set aside, which takes the lock.
	return update(dir, func(s State) State { return s })
}

// Keep marks a card in the file as State.Mark does, and returns the boxes as
// they then are, with what another process has marked meanwhile. They are on
// the disk when it returns.
func Keep(dir string, card Card, knew bool, now time.Time) (State, []string, error) {
	return update(dir, func(s State) State { return s.Mark(card, knew, now) })
}

// update replaces the file by what change makes of it.
func update(dir string, change func(State) State) (s State, messages []string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("keeping the boxes: %w", err)
		}
	}()
	if err := statefile.MakeDir(dir); err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, Name)
	unlock, err := statefile.Lock(path)
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	data, err := statefile.Read(path)
	if err != nil {
		return nil, nil, err
	}
	s, err = decode(data)
	if err != nil {
		aside, err2 := statefile.SetAside(path, data, time.Now())
		if err2 != nil {
			return nil, nil, err2
		}
		messages = append(messages, fmt.Sprintf("%q could not be read (%v). It is kept as %q, and all cards are new again.", path, err, aside))
		s = State{}
	}
	s = change(s)
	text, err := json.Marshal(document{format, s})
	if err != nil {
		return nil, messages, err
	}
	return s, messages, statefile.Replace(path, append(text, '\n'))
}

// decode reads a file; none at all is one without cards.
func decode(data []byte) (State, error) {
	if data == nil {
		return State{}, nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var doc document
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF || doc.Format != format || doc.Cards == nil {
		return nil, fmt.Errorf("it is not one document of the format %s", format)
	}
	for id, p := range doc.Cards {
		if p.Box < 0 || p.Box >= Boxes {
			return nil, fmt.Errorf("%q lies in box %d, and there are %d", id, p.Box, Boxes)
		}
	}
	return doc.Cards, nil
}
