package pipelining

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"envelope/internal/resp"
)

// scenario is a conversation of the corpus.
type scenario struct {
	name  string
	scans bool // it has a server look at all of its keys
	lines []string
}

// corpus takes the text apart.
func corpus(text string) (all []scenario, err error) {
	for i, line := range strings.Split(text, "\n") {
		head, isHead := strings.CutPrefix(line, "== ")
		switch {
		case isHead:
			name, mark, _ := strings.Cut(head, " ")
			all = append(all, scenario{name: name, scans: mark == "scans"})
		case line == "":
		case len(all) == 0:
			return nil, fmt.Errorf("line %d of the corpus is in front of the first scenario", i+1)
		default:
			all[len(all)-1].lines = append(all[len(all)-1].lines, line)
		}
	}
	for _, s := range all {
		if _, err := s.requests(""); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// requests are the bytes that are sent, with the prefix in place of every @.
func (s scenario) requests(prefix string) (out []byte, err error) {
	for _, line := range s.lines {
		line = strings.ReplaceAll(line, "@", prefix)
		if text, ok := strings.CutPrefix(line, "! "); ok {
			raw, err := strconv.Unquote(text)
			if err != nil {
				return nil, fmt.Errorf("scenario %s: %s is not quoted as Go does", s.name, text)
			}
			out = append(out, raw...)
			continue
		}
		if text, ok := strings.CutPrefix(line, ">"); ok {
			out = append(out, strings.TrimPrefix(text, " ")+"\r\n"...)
			continue
		}
		args, ok := resp.Words([]byte(line))
		if !ok || len(args) == 0 {
			return nil, fmt.Errorf("scenario %s: %q is no command", s.name, line)
		}
		out = resp.AppendRequest(out, args...)
	}
	return out, nil
}

// differing counts the bytes in which two replies differ; what one has more than
// the other differs too.
func differing(a, b []byte) (n int) {
	if bytes.Equal(a, b) {
		return 0
	}
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			n++
		}
	}
	return n
}
