package report

import (
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"envelope/internal/measure"
	"envelope/manifest"
)

// mutator changes a run at random: numbers become very large, very small,
// negative, zero or null, and lists lose, repeat or reorder what is in them.
type mutator struct {
	*rand.Rand
	odds float64 // of a change at each value
}

func (m *mutator) hit() bool { return m.Float64() < m.odds }

var extremes = []float64{0, 1, -1, 0.5, 5e-324, 1e-300, -1e-12, 1e12, 1e300, math.MaxFloat64, -math.MaxFloat64}

func (m *mutator) mutate(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Float64:
		if m.hit() {
			out.SetFloat(extremes[m.IntN(len(extremes))])
		}
	case reflect.Int:
		if m.hit() {
			out.SetInt([]int64{0, 1, -1, 2, math.MaxInt32, math.MaxInt64}[m.IntN(6)])
		}
	case reflect.Uint64:
		if m.hit() {
			out.SetUint([]uint64{0, 1, math.MaxUint64}[m.IntN(3)])
		}
	case reflect.Bool:
		if m.hit() {
			out.SetBool(!v.Bool())
		}
	case reflect.String:
		if m.hit() {
			out.SetString([]string{"", "s", "B", "1", "FLOP/s", "another"}[m.IntN(6)])
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(m.mutate(v.Field(i)))
			}
		}
	case reflect.Pointer:
		if v.IsNil() || m.hit() {
			out.SetZero()
			break
		}
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(m.mutate(v.Elem()))
	case reflect.Slice:
		out.Set(m.list(v))
	}
	return out
}

func (m *mutator) list(v reflect.Value) reflect.Value {
	out := reflect.MakeSlice(v.Type(), 0, v.Len())
	if m.Float64() < m.odds*m.odds {
		return out
	}
	for i := range v.Len() {
		if m.hit() && m.IntN(3) == 0 {
			continue
		}
		out = reflect.Append(out, m.mutate(v.Index(i)))
		if m.hit() && m.IntN(3) == 0 {
			out = reflect.Append(out, out.Index(m.IntN(out.Len())))
		}
	}
	return out
}

// region gives a claim back a region that a claim may have: one with a bound.
func (m *mutator) region(run *manifest.Run) {
	for i := range run.Labs {
		for j := range run.Labs[i].Claims {
			if t := &run.Labs[i].Claims[j].Terms; t.Region.Valid() != nil {
				t.Region = measure.AtMost(extremes[m.IntN(len(extremes))])
			}
		}
	}
}

func (m *mutator) run(run manifest.Run) manifest.Run {
	out := m.mutate(reflect.ValueOf(run)).Interface().(manifest.Run)
	m.region(&out)
	return out
}

var (
	paths    = regexp.MustCompile(` d="([^"]*)"`)
	xOfWords = regexp.MustCompile(` x="([^"]*)"`)
	number   = regexp.MustCompile(`-?[0-9.]+`)
	noNumber = regexp.MustCompile(`[^A-Za-z](NaN|[+-]?Inf)[^A-Za-z]`)
)

// drawable fails where a page is broken, says a number that there is none of, or
// draws outside its pictures.
func drawable(t *testing.T, page string) {
	t.Helper()
	if fault := nested(page); fault != "" {
		t.Error(fault)
	}
	if at := noNumber.FindStringIndex(page); at != nil {
		t.Errorf("the page has %q", excerpt(page, at[0]))
	}
	for _, list := range []*regexp.Regexp{paths, xOfWords} {
		for _, path := range list.FindAllStringSubmatch(page, -1) {
			for _, text := range number.FindAllString(path[1], -1) {
				if v, err := strconv.ParseFloat(text, 64); err != nil || v < -10 || v > 4000 || strings.Contains(path[1], "e") {
					t.Fatalf("a coordinate is %q in %q", text, path[1])
				}
			}
		}
	}
}

// Any run is drawn without a panic, whatever its numbers are.
func TestAnyRunIsDrawn(t *testing.T) {
	runs := []manifest.Run{whole(t)}
	for _, name := range fixed {
		runs = append(runs, testRun(t, name))
	}
	for i, run := range runs {
		for seed := range pick(i == 0, uint64(3), 12) { // the whole run takes its time
			m := &mutator{rand.New(rand.NewPCG(seed, uint64(i))), []float64{0.002, 0.02, 0.2}[seed%3]}
			drawable(t, pageOf(t, m.run(run)))
		}
	}
	drawable(t, pageOf(t, manifest.Run{}))
}

func FuzzWrite(f *testing.F) {
	runs := []manifest.Run{testRun(f, "held"), testRun(f, "failed"), testRun(f, "predicted")}
	f.Add(uint64(1), uint8(10))
	f.Add(uint64(2), uint8(200))
	f.Fuzz(func(t *testing.T, seed uint64, odds uint8) {
		m := &mutator{rand.New(rand.NewPCG(seed, 0)), float64(odds) / 512}
		drawable(t, pageOf(t, m.run(runs[seed%3])))
	})
}
