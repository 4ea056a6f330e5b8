package kv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const (
	largest = 1 << 20 // bytes of a file; real ones have a few thousand
	deepest = 16      // objects and lists in one another; real ones have 4
	quoted  = 60      // bytes of a file that a message repeats
)

// object is a JSON object. Its numbers are json.Number.
type object = map[string]any

// parse reads one JSON object and nothing behind it. Too large or too deep a
// file is an error, and so is a name that an object has twice: readers differ in
// which of the two they believe.
func parse(data []byte) (object, error) {
	if len(data) > largest {
		return nil, fmt.Errorf("it has %d bytes, and a config.json has at most %d: is it another file?", len(data), largest)
	}
	data = quoteConstants(data)
	p := &parser{data: data, d: json.NewDecoder(bytes.NewReader(data))}
	p.d.UseNumber()
	v, err := p.value(0)
	if err != nil {
		return nil, p.at(err)
	}
	o, ok := v.(object)
	if !ok {
		return nil, errors.New("it holds no JSON object: a config.json is one, with a model_type")
	}
	if _, err := p.d.Token(); err != io.EOF {
		return nil, p.at(errors.New("there is something behind the object"))
	}
	return o, nil
}

// constants are numbers that Python writes and JSON does not have. Real files have
// them, such as a time_step_limit of [0.0, Infinity].
var constants = [][]byte{[]byte("NaN"), []byte("Infinity"), []byte("-Infinity")}

// quoteConstants makes texts of the constants, which no field of numbers takes.
// The lines stay where they are.
func quoteConstants(data []byte) []byte {
	var out []byte
	inside, from := false, 0 // inside a text; behind the last constant
	for i := 0; i < len(data); i++ {
		switch {
		case inside && data[i] == '\\':
			i++
		case data[i] == '"':
			inside = !inside
		case !inside:
			for _, c := range constants {
				if bytes.HasPrefix(data[i:], c) {
					out = append(out, data[from:i]...)
					out = append(append(append(out, '"'), c...), '"')
					from = i + len(c)
					i = from - 1
					break
				}
			}
		}
	}
	return append(out, data[from:]...)
}

type parser struct {
	data []byte
	d    *json.Decoder
}

// at says in which line an error was found.
func (p *parser) at(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early to be JSON")
	}
	read := int(p.d.InputOffset()) // up to the last token; the fault is in the next
	for read < len(p.data) && bytes.IndexByte([]byte(" \t\r\n:,"), p.data[read]) >= 0 {
		read++
	}
	line := 1 + bytes.Count(p.data[:read], []byte("\n"))
	return fmt.Errorf("line %d: %w", line, err)
}

func (p *parser) value(depth int) (any, error) {
	t, err := p.d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	if depth == deepest {
		return nil, fmt.Errorf("objects and lists lie more than %d deep in one another", deepest)
	}
	if delim == '[' {
		return p.list(depth)
	}
	return p.object(depth)
}

func (p *parser) list(depth int) (any, error) {
	list := []any{}
	for p.d.More() {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := p.d.Token()
	return list, err
}

func (p *parser) object(depth int) (any, error) {
	o := object{}
	for p.d.More() {
		t, err := p.d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("a name is %v, and no text", t)
		}
		if _, twice := o[name]; twice {
			return nil, fmt.Errorf("%s stands there twice in one object", quote(name))
		}
		if o[name], err = p.value(depth + 1); err != nil {
			return nil, err
		}
	}
	_, err := p.d.Token()
	return o, err
}

// quote repeats text of the file, or its beginning, in one printable line.
func quote(text string) string {
	if len(text) > quoted {
		return fmt.Sprintf("%+q...", text[:quoted])
	}
	return fmt.Sprintf("%+q", text)
}

// show repeats a value of the file.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return quote(v)
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case object:
		return "an object"
	case json.Number:
		return quote(v.String())
	}
	return fmt.Sprint(v)
}
