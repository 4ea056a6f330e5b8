package speculate

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"unicode"

	"envelope/internal/lab"
)

// sources is the lab's own text: what the n-gram proposer is put to. A lab knows
// nothing of the program around it, and this much is enough.
//
//go:embed *.go
var sources embed.FS

// lookBack is how many words the proposer looks for at most, and copied how many
// it proposes.
const (
	lookBack = 3
	copied   = 8
)

// shuffles is how many times the words are shuffled.
const shuffles = 16

// ownWords returns the words of the lab's source, its tests left out: what it
// counts should not change whenever a test is added.
func ownWords() ([]int32, error) {
	files, err := fs.Glob(sources, "*.go")
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := sources.ReadFile(name)
		if err != nil {
			return nil, err
		}
		text.Write(b)
	}
	return number(words(text.String())), nil
}

// words splits a text into words, and signs that stand for themselves.
func words(text string) (out []string) {
	for _, field := range strings.Fields(text) {
		start := 0
		for i, c := range field {
			if unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_' {
				continue
			}
			if start < i {
				out = append(out, field[start:i])
			}
			out = append(out, string(c))
			start = i + len(string(c))
		}
		if start < len(field) {
			out = append(out, field[start:])
		}
	}
	return out
}

// number gives equal words equal numbers.
func number(words []string) []int32 {
	known := map[string]int32{}
	out := make([]int32, len(words))
	for i, w := range words {
		n, ok := known[w]
		if !ok {
			n = int32(len(known))
			known[w] = n
		}
		out[i] = n
	}
	return out
}

// gram is the last words of a text, -1 where there are fewer.
type gram [lookBack]int32

// lookup is what became of an n-gram proposer's words.
type lookup struct {
	accepted, judged int // judged: those accepted, and the first rejected of a pass
	passes, words    int
}

func (l lookup) acceptance() float64 { return float64(l.accepted) / float64(l.judged) }

// follow plays a text through as if a model that can say nothing else had
// generated it. The proposer looks for the last place at which the latest words
// stood before, three of them or else two or one, and proposes what followed
// there. A model that is certain of one word accepts that with probability 1
// and any other with 0, so nothing has to be drawn.
func follow(text []int32) (l lookup) {
	seen := map[gram]int{} // where the text went on, behind these words
	for at := 0; at < len(text); l.passes++ {
		from := longest(seen, text[:at])
		accepted := 0
		for i := 0; from >= 0 && i < copied && from+i < at && at+i < len(text); i++ {
			l.judged++
			if text[from+i] != text[at+i] {
				break
			}
			accepted++
		}
		l.accepted += accepted
		next := min(at+accepted+1, len(text)) // one word is the model's own
		for ; at < next; at++ {
			for n := 1; n <= min(lookBack, at); n++ {
				seen[latest(text[:at], n)] = at
			}
			l.words++
		}
	}
	return l
}

// longest returns where the text went on behind its latest words when they last
// stood, -1 if they never did.
func longest(seen map[gram]int, text []int32) int {
	for n := min(lookBack, len(text)); n > 0; n-- {
		if from, ok := seen[latest(text, n)]; ok {
			return from
		}
	}
	return -1
}

func latest(text []int32, n int) (g gram) {
	for i := range g {
		g[i] = -1
		if i < n {
			g[i] = text[len(text)-1-i]
		}
	}
	return g
}

// copying compares the acceptance on the source with that on its words in random
// order. A text is what it is: both are counts, and nothing is estimated.
func copying(ctx context.Context, r *lab.Run) error {
	text, err := ownWords()
	if err != nil {
		return err
	}
	rng := r.Rand("shuffles")
	n := shuffles
	if r.Full {
		n *= 16
	}
	source := follow(text)
	var own, mixed []float64
	for range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.Sabotaged(bothShuffled) {
			source = follow(shuffled(rng, text))
		}
		other := follow(shuffled(rng, text))
		own, mixed = append(own, source.acceptance()), append(mixed, other.acceptance())
		r.Observe(predictable, source.acceptance()/other.acceptance())
	}
	r.AddSeries(lab.Series{Name: "accepted-on-source", Text: "share of the n-gram proposer's words that were accepted on the lab's source",
		Unit: "1", Samples: own[:1], Conditions: -1})
	r.AddSeries(lab.Series{Name: "accepted-on-shuffled-words", Text: "the same on the source's words in random order, one for each order",
		Unit: "1", Samples: mixed, Conditions: -1})
	r.Note("An n-gram proposer had %.0f %% of its words accepted on this lab's source, %s words and signs in %s passes (%s a pass), and %.1f %% on the same words shuffled.",
		100*source.acceptance(), grouped(source.words), grouped(source.passes),
		fmt.Sprintf("%.2f", float64(source.words)/float64(source.passes)), 100*mixed[0])
	return nil
}

func shuffled(rng *rand.Rand, text []int32) []int32 {
	out := append([]int32(nil), text...)
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
