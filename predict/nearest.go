package predict

import (
	"cmp"
	"slices"
	"strings"
)

// nearest returns the three names that are most like what was written, or all of
// fewer, the most like first.
func nearest(written string, names []string) []string {
	near := map[string]int{}
	for _, name := range names {
		_, question, _ := strings.Cut(name, "/")
		near[name] = min(distance(written, name), distance(written, question))
		if written != "" && strings.Contains(name, written) {
			near[name] = 0
		}
	}
	out := slices.Clone(names)
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(near[a], near[b]) })
	return out[:min(len(out), 3)]
}

// distance is the number of characters to insert, delete or replace that make b
// of a (Levenshtein).
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j := range to {
			replaced := diagonal
			if from[i] != to[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
