package slots

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// The limits of a trace. The largest public ones have some 30 million requests
// in 1.2 GB; what is beyond a limit is another kind of file.
const (
	mostBytes    = 4e9      // of a file
	mostLine     = 1024     // bytes
	mostTokens   = 10e6     // of a prompt or an output
	mostRequests = 50e6     // in a trace
	betweenLooks = 1 << 14  // lines, before the context is asked again
	bom          = "\ufeff" // what some programs put before a header
)

// The columns of a trace, as the public Azure LLM inference traces name them.
// They may stand in any order, and others beside them.
const (
	columnTime   = "TIMESTAMP"
	columnPrompt = "ContextTokens"
	columnOutput = "GeneratedTokens"
)

var columns = []string{columnTime, columnPrompt, columnOutput}

// stamps are the forms in which the public traces write a time. A fraction of a
// second is accepted by each of them.
var stamps = []string{"2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", time.RFC3339}

// openTrace opens a file that can be read as a trace. What it says of the file
// leaves the path out: the record of a run may be shown to others.
func openTrace(path string) (*os.File, error) {
	// Without O_NONBLOCK, opening a pipe would wait for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("opening the trace: %w", withoutPath(err))
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = fmt.Errorf("opening the trace: %w", withoutPath(err))
	case !info.Mode().IsRegular():
		err = errors.New("the trace is not a regular file: write it to one first")
	case info.Size() > mostBytes:
		err = fmt.Errorf("the trace has %d bytes, and at most %d are read: cut it, for example with head -n 1000000", info.Size(), int64(mostBytes))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// checkTrace reads the header of a trace and its first request.
func checkTrace(path string) error {
	f, err := openTrace(path)
	if err != nil {
		return err
	}
	defer f.Close()
	l := &lines{in: bufio.NewReaderSize(f, mostLine)}
	p, err := l.header()
	if err != nil {
		return err
	}
	text, err := l.next()
	if err == io.EOF {
		return errHeaderAlone
	} else if err != nil {
		return err
	}
	if _, err := p.request(text); err != nil {
		return l.fault("%w", err)
	}
	return nil
}

var errHeaderAlone = errors.New("the trace has a header and no line below it: is the file complete?")

func withoutPath(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// readTrace hands each request of a CSV trace, and at most so many, to the
// caller and keeps none. The first line names the columns; TIMESTAMP,
// ContextTokens and GeneratedTokens must be among them. Requests are taken in
// the order of the file. The first line that is not as it should be ends the
// reading with an error that says which one it is, and what to do.
func readTrace(ctx context.Context, in io.Reader, most int, each func(request)) error {
	l := &lines{in: bufio.NewReaderSize(in, mostLine)}
	p, err := l.header()
	if err != nil {
		return err
	}
	for {
		if l.number%betweenLooks == 1 && ctx.Err() != nil {
			return ctx.Err()
		}
		text, err := l.next()
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		q, err := p.request(text)
		if err != nil {
			return l.fault("%w", err)
		}
		if l.number-1 > most {
			return l.fault("that is request %d, and at most %d are read: cut the trace, for example with head -n 1000000", l.number-1, most)
		}
		q.id = uint64(l.number)
		each(q)
	}
	if l.number < 2 {
		return errHeaderAlone
	}
	return nil
}

// lines reads a line at a time, and never more than one.
type lines struct {
	in     *bufio.Reader
	number int
}

// next returns the next line without its end. It is good until the next call.
func (l *lines) next() ([]byte, error) {
	text, err := l.in.ReadSlice('\n')
	if len(text) == 0 && err == io.EOF {
		return nil, io.EOF
	}
	l.number++
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, l.fault("it has over %d bytes, which no line of a trace has: is this a CSV file with one request a line?", mostLine)
	case err != nil && err != io.EOF:
		return nil, l.fault("reading it: %w", withoutPath(err))
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r")), nil
}

func (l *lines) fault(format string, args ...any) error {
	return fmt.Errorf("line %d of the trace: %w", l.number, fmt.Errorf(format, args...))
}

// header reads the names of the columns.
func (l *lines) header() (*parser, error) {
	text, err := l.next()
	if err == io.EOF {
		return nil, fmt.Errorf("the trace is empty: want a first line %s", strings.Join(columns, ","))
	} else if err != nil {
		return nil, err
	}
	names := strings.Split(strings.TrimPrefix(string(text), bom), ",")
	p := &parser{fields: make([][]byte, len(names)), stamp: stamps[0]}
	for _, c := range []struct {
		name string
		at   *int
	}{{columnTime, &p.time}, {columnPrompt, &p.prompt}, {columnOutput, &p.output}} {
		*c.at = -1
		for i, n := range names {
			if n == c.name && *c.at >= 0 {
				return nil, l.fault("there are two columns %s: remove one of them", c.name)
			} else if n == c.name {
				*c.at = i
			}
		}
		if *c.at < 0 {
			return nil, l.fault("there is no column %s in %q: name the columns in the first line, %s in any order", c.name, clip(text), strings.Join(columns, ","))
		}
	}
	return p, nil
}

// parser turns lines into requests.
type parser struct {
	time, prompt, output int      // the number of each column
	fields               [][]byte // of the line at hand
	stamp                string   // the form that the last time had
}

func (p *parser) request(text []byte) (q request, err error) {
	if n := bytes.Count(text, []byte(",")) + 1; n != len(p.fields) {
		return q, fmt.Errorf("got %d fields in %q, want %d as in the header: correct or remove the line", n, clip(text), len(p.fields))
	}
	for i := range p.fields {
		p.fields[i], text, _ = bytes.Cut(text, []byte(","))
	}
	if err := p.checkTime(p.fields[p.time]); err != nil {
		return q, err
	}
	if q.prompt, err = number(columnPrompt, p.fields[p.prompt], 0); err != nil {
		return q, err
	}
	q.output, err = number(columnOutput, p.fields[p.output], 1)
	return q, err
}

// checkTime demands a time, which tells a shifted column from a number. When
// requests came is used for nothing else: they all wait from the start.
func (p *parser) checkTime(field []byte) error {
	if _, err := time.Parse(p.stamp, string(field)); err == nil {
		return nil
	}
	for _, form := range stamps {
		if _, err := time.Parse(form, string(field)); err == nil {
			p.stamp = form
			return nil
		}
	}
	return fmt.Errorf("%s is %q: want a time such as 2023-11-16 18:15:46.6805900", columnTime, clip(field))
}

// number reads how many tokens a field says.
func number(column string, field []byte, least int) (int, error) {
	n, err := strconv.Atoi(string(field))
	switch {
	case errors.Is(err, strconv.ErrRange) && field[0] != '-' || err == nil && n > mostTokens:
		return 0, fmt.Errorf("%s is %q: over %d tokens are no request; correct or remove the line", column, clip(field), int(mostTokens))
	case errors.Is(err, strconv.ErrRange) || err == nil && n < 0:
		return 0, fmt.Errorf("%s is %q: a number of tokens can't be negative; correct or remove the line", column, clip(field))
	case err != nil:
		return 0, fmt.Errorf("%s is %q: want a whole number of tokens", column, clip(field))
	case n < least:
		return 0, fmt.Errorf("%s is 0: a request that generates nothing never holds a slot; remove the line", column)
	}
	return n, nil
}

// clip keeps a message short, whatever is quoted in it.
func clip(text []byte) []byte {
	const most = 60
	if len(text) > most {
		return append(append([]byte(nil), text[:most]...), "..."...)
	}
	return text
}
