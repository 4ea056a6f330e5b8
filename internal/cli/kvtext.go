package cli

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"envelope/internal/typeset"
)

// printSizing prints each step with its unit.
func (a *app) printSizing(s *sizing) {
	fmt.Fprintf(a.out, "%s, its cache in %s\n", typeset.Clean(s.Type), s.Cache)
	var rows []entry
	for _, l := range s.Layers {
		grows := fmt.Sprintf("%s B a token", humanize.Comma(l.Bytes))
		text := l.How
		if l.State > 0 {
			grows = fmt.Sprintf("%s B, once", humanize.Comma(l.State))
		}
		if l.Window > 0 {
			text += fmt.Sprintf(", of the last %s tokens", humanize.Comma(l.Window))
		}
		rows = append(rows, entry{mark: "  ", cells: []string{layers(l.Count), grows}, text: text, style: faint})
	}
	a.out.entries(rows...)
	line := func(name, format string, args ...any) {
		a.out.row("  "+typeset.Pad(name, 12), fmt.Sprintf(format, args...))
	}
	slope := fmt.Sprintf("%s B a token", humanize.Comma(s.first))
	if s.Slope != s.first {
		slope += fmt.Sprintf(" at first, %s B at %s tokens", humanize.Comma(s.Slope), humanize.Comma(s.Context))
	}
	line("slope", "%s", slope)
	line("fixed", "%s B", humanize.Comma(s.Fixed))
	line("sequence", "%s B + %s tokens x %s B = %s", humanize.Comma(s.Intercept), humanize.Comma(s.Context), humanize.Comma(s.Slope), both(s.Sequence))
	if b := s.Batch; b != nil {
		line("memory", "%s = %s", b.text, both(b.Memory))
		if p := s.Weights.Parameters; p > 0 && !s.Weights.given {
			line("weights", "%s parameters x %d B = %s", humanize.Comma(p), s.Weights.Bytes/p, both(s.Weights.Bytes))
		} else {
			line("weights", "%s, as given", both(s.Weights.Bytes))
		}
		line("free", "%s B - %s B = %s", humanize.Comma(b.Memory), humanize.Comma(s.Weights.Bytes), both(b.Free))
		line("ceiling", "%s", ceiling(s))
		if other, n, ok := otherwise(s); ok {
			line("", "of %s it would be %s: the two units are not the same, and a card's name does not say which it means", other, humanize.Comma(n))
		}
		if b.Free > 0 {
			line("ridge", "%s", b.steps)
			line("binds", "%s", binds(b))
		}
	} else if s.Weights == nil {
		line("weights", "not in the file: %s", s.unknown)
	} else {
		line("weights", "%s", both(s.Weights.Bytes))
	}
	for _, n := range s.Notes {
		a.out.entries(entry{mark: "  ", text: n, style: faint})
	}
}

func layers(n int) string {
	if n == 1 {
		return "1 layer"
	}
	return fmt.Sprintf("%d layers", n)
}

// both prints a size in bytes and in both families of units.
func both(n int64) string {
	decimal, binary := scaled(n, 1000, "kMGTPE", "B"), scaled(n, 1024, "KMGTPE", "iB")
	if decimal == "" || binary == "" {
		return humanize.Comma(n) + " B"
	}
	return fmt.Sprintf("%s B (%s, %s)", humanize.Comma(n), decimal, binary)
}

// scaled prints a size in the largest unit of a family that it fills, "" where
// it fills none.
func scaled(n int64, base float64, prefixes, unit string) string {
	v, at := float64(n), -1
	for (v >= base || v <= -base) && at < len(prefixes)-1 {
		v /= base
		at++
	}
	if at < 0 {
		return ""
	}
	text := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + " " + prefixes[at:at+1] + unit
}

func ceiling(s *sizing) string {
	if s.Batch.Free <= 0 {
		return "0 sequences: the weights leave nothing"
	}
	return fmt.Sprintf("floor(%s B / %s B) = %s sequences", humanize.Comma(s.Batch.Free), humanize.Comma(s.Sequence), humanize.Comma(s.Batch.Ceiling))
}

var decimalSize = regexp.MustCompile(`^([0-9.]+) ?([kMGTP])B$`)

// otherwise is the ceiling if a memory that was given in decimal units were
// meant in binary ones, where that makes a difference.
func otherwise(s *sizing) (text string, sequences int64, ok bool) {
	m := decimalSize.FindStringSubmatch(s.Batch.text)
	if m == nil {
		return "", 0, false
	}
	text = m[1] + " " + strings.ToUpper(m[2]) + "iB"
	memory, err := wholeBytes("--memory", text)
	if err != nil {
		return "", 0, false
	}
	sequences = max(0, memory-s.Weights.Bytes) / s.Sequence
	return text, sequences, sequences != s.Batch.Ceiling
}

func binds(b *batch) string {
	switch {
	case b.Binds == "unknown":
		return "the ceiling, as far as is known"
	case b.Ridge == nil:
		return fmt.Sprintf("the ceiling, %s sequences: each more reads longer than it computes, so no number of them makes arithmetic what is waited for", humanize.Comma(b.Ceiling))
	case b.Binds == "ceiling":
		return fmt.Sprintf("the ceiling: at %s sequences memory is full, and arithmetic is what is waited for from %s on", humanize.Comma(b.Ceiling), typeset.Number(math.Ceil(*b.Ridge)))
	}
	return fmt.Sprintf("the ridge: from %s sequences on arithmetic is what is waited for, and memory would take %s", typeset.Number(math.Ceil(*b.Ridge)), humanize.Comma(b.Ceiling))
}
