package speculate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	check := func(text string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, words(text)); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
	}
	check("")
	check("  one\ttwo_2\n", "one", "two_2")
	check("x:=f(a,b)", "x", ":", "=", "f", "(", "a", ",", "b", ")")
	check("take 0.28 µs… ", "take", "0", ".", "28", "µs", "…")
	if d := cmp.Diff([]int32{0, 1, 0, 2}, number([]string{"a", "b", "a", ""})); d != "" {
		t.Error(d)
	}
}

// follow against passes that are played through by hand.
func TestFollow(t *testing.T) {
	check := func(text string, want lookup) {
		t.Helper()
		if got := follow(number(words(text))); got != want {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
	check("", lookup{})
	check("a b c d", lookup{passes: 4, words: 4})
	// a, b, c, a; behind a: b c and an a more, which is wrong; d.
	check("a b c a b c d", lookup{accepted: 2, judged: 3, passes: 5, words: 7})
	// a; a; behind a stood one a that is already there, and so again at the end.
	check("a a a a a", lookup{accepted: 2, judged: 2, passes: 4, words: 5})
	// The latest of two places: behind b, d and not c.
	check("b c b d b d", lookup{accepted: 1, judged: 2, passes: 6, words: 6})
	// Two words tell more than one: behind x b stood c, behind b alone last d.
	check("x b c x y b d x b c", lookup{accepted: 1, judged: 4, passes: 10, words: 10})
}

// slowly is follow by searching the text itself.
func slowly(text []int32) (l lookup) {
	for at := 0; at < len(text); l.passes++ {
		from := -1
		for n := min(lookBack, at); n > 0 && from < 0; n-- {
			for i := at - 1; i >= n; i-- {
				if slices.Equal(text[i-n:i], text[at-n:at]) {
					from = i
					break
				}
			}
		}
		wrong := false
		start := at
		for i := 0; from >= 0 && i < copied && from+i < start && start+i < len(text) && !wrong; i++ {
			l.judged++
			if wrong = text[from+i] != text[start+i]; !wrong {
				l.accepted++
				at++
			}
		}
		if at < len(text) {
			at++
		}
		l.words += at - start
	}
	return l
}

func TestFollowAgainstSearching(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.Int32Range(0, int32(rapid.IntRange(0, 4).Draw(t, "words"))), 0, 60).Draw(t, "text")
		if got, want := follow(text), slowly(text); got != want {
			t.Errorf("%v: got %+v, want %+v", text, got, want)
		}
	})
}

// The text is the lab's source without its tests, and shuffling keeps its words.
func TestOwnWords(t *testing.T) {
	text, err := ownWords()
	if err != nil {
		t.Fatal(err)
	}
	if len(text) < 5000 || len(text) > 50_000 {
		t.Errorf("got %d words", len(text))
	}
	other := shuffled(rand.New(rand.NewPCG(1, 1)), text)
	if slices.Equal(text, other) {
		t.Error("shuffling changed nothing")
	}
	slices.Sort(other)
	if !slices.Equal(slices.Sorted(slices.Values(text)), other) {
		t.Error("shuffling changed the words")
	}
	if l := follow(text); l.words != len(text) || l.accepted+l.passes < l.words || l.judged < l.accepted {
		t.Errorf("%+v for %d words", l, len(text))
	}
}
