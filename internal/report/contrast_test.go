package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var colour = regexp.MustCompile(`--([a-z]+): #([0-9a-f]{3,6});`)

// luminance is the relative luminance of a colour (WCAG 2.2).
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) == 3 {
		hex = strings.Repeat(hex[:1], 2) + strings.Repeat(hex[1:2], 2) + strings.Repeat(hex[2:], 2)
	}
	var sum float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// Words have a contrast of 4.5 and marks one of 3 against what they stand on, in
// the light, in the dark and on paper.
func TestContrast(t *testing.T) {
	blocks := strings.Split(style, ":root {")[1:]
	if len(blocks) != 3 {
		t.Fatalf("got %d sets of colours, want 3: light, dark and print", len(blocks))
	}
	for i, block := range blocks {
		block, _, _ = strings.Cut(block, "}")
		has := map[string]string{}
		for _, m := range colour.FindAllStringSubmatch(block, -1) {
			has[m[1]] = m[2]
		}
		check := func(least float64, on string, names ...string) {
			t.Helper()
			for _, name := range names {
				if has[name] == "" || has[on] == "" {
					t.Fatalf("set %d has no colour %s or %s", i, name, on)
				}
				a, b := luminance(t, has[name]), luminance(t, has[on])
				if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < least {
					t.Errorf("set %d: %s on %s has a contrast of %.2f, want %v", i, name, on, ratio, least)
				}
			}
		}
		words := []string{"ink", "soft", "held", "failed", "void", "a", "b", "c", "d"}
		check(4.5, "paper", words...)
		check(4.5, "faint", words...)
		check(3, "region", "ink", "held", "failed", "void", "bound", "a", "b")
		check(4.5, "held", "sheet") // the marks of the overview
		check(4.5, "failed", "sheet")
	}
}
