package kvcache

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"envelope/internal/child"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// tries is how often a trial is made that another cause disturbed.
const tries = 5

// repeat is how often a default run makes each measurement; a full one makes
// each ten times as often. Tests set it lower.
var repeat = struct{ products, groups, limits int }{products: 2, groups: 3, limits: 3}

// rounds is a number of measurements.
func rounds(r *lab.Run, n int) int {
	if r.Full {
		return 10 * n
	}
	return n
}

// steps are the measurements in their order, each with the claims that it
// observes.
var steps = []struct {
	claims  []string
	observe func(context.Context, *lab.Run) error
}{
	{[]string{costs}, product},
	{[]string{divides}, groups},
	{[]string{ceiling, doubles}, ceilings},
}

// measureAll takes the claims one by one: where one of them is out of reach, the
// others stand.
func measureAll(ctx context.Context, r *lab.Run) error {
	show(r)
	for i, s := range steps {
		if !r.Wants(s.claims...) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error = refusal(outOfReach)
		if outOfReach == "" {
			err = s.observe(ctx, r)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, c := range s.claims {
			if no := refusal(""); errors.As(err, &no) {
				r.Void(c, measure.Unreachable, "%v", no)
			} else if err != nil {
				r.Void(c, measure.Error, "%v", err)
			}
		}
		r.Step(float64(i+1) / float64(len(steps)))
	}
	return nil
}

// ask runs a child that says one line.
func ask(ctx context.Context, r *lab.Run, name string, s shape, more ...int) (string, error) {
	args := s.args()
	for _, n := range more {
		args = append(args, strconv.Itoa(n))
	}
	p, err := child.Start(ctx, r.Child(name, args...), child.Options{})
	if err != nil {
		return "", err
	}
	defer p.Close()
	line, err := p.Line()
	if err != nil {
		return "", err
	}
	if why, no := strings.CutPrefix(line, refused); no {
		return "", refusal(why)
	}
	return line, nil
}

// growth is how much the kernel counts more for a child that keeps a cache.
func growth(ctx context.Context, r *lab.Run, s shape, tensors int) (float64, error) {
	line, err := ask(ctx, r, "occupy", s, tensors)
	if err != nil {
		return 0, err
	}
	h, err := parseHeld(line)
	if err != nil {
		return 0, fmt.Errorf("child occupy: %w", err)
	}
	return float64(h.after - h.before), nil
}

// product lets children keep caches of several shapes. The slope between two
// lengths of the first is what a token costs, whatever the process takes beside
// it.
func product(ctx context.Context, r *lab.Run) error {
	tensors := 2
	if r.Sabotaged(valuesMissing) {
		tensors = 1
	}
	short, long := seven.times(32), seven.times(128)
	var slopes []float64
	for range rounds(r, repeat.products) {
		took := map[shape]float64{}
		for _, s := range []shape{short, long, grouped.times(256)} {
			g, err := growth(ctx, r, s, tensors)
			if err != nil {
				return err
			}
			took[s] = g
			r.Observe(costs, g/float64(s.bytes()))
		}
		slopes = append(slopes, (took[long]-took[short])/float64(long.tokens-short.tokens))
	}
	r.AddSeries(lab.Series{Name: aToken, Text: "growth of the resident set between 32 and 128 tokens of the 7B shape / 96", Unit: "B", Samples: slopes, Conditions: -1})
	return nil
}

// groups compares two shapes that differ in nothing but who keeps keys and
// values.
func groups(ctx context.Context, r *lab.Run) error {
	few := alone
	if !r.Sabotaged(notShared) {
		few.heads = queries / shared
	}
	for range rounds(r, repeat.groups) {
		a, err := growth(ctx, r, alone, 2)
		if err != nil {
			return err
		}
		b, err := growth(ctx, r, few, 2)
		if err != nil {
			return err
		}
		if b <= 0 {
			return fmt.Errorf("a cache of %d B did not show in the resident set", few.bytes())
		}
		r.Observe(divides, a/b)
	}
	return nil
}
