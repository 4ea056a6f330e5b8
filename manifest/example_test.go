package manifest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/measure"
)

// populate sets every field that is reached from v: facts to something known,
// lists to one element.
func populate(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if isFact(v.Type()) {
			value := v.FieldByName("Value")
			value.Set(reflect.New(value.Type().Elem()))
			populate(value.Elem())
			v.FieldByName("Source").SetString("test")
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				populate(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		populate(v.Index(0))
	case reflect.String:
		v.SetString("text")
	case reflect.Int:
		v.SetInt(4)
	case reflect.Uint64:
		v.SetUint(4096)
	case reflect.Float64:
		v.SetFloat(0.25)
	case reflect.Bool:
		v.SetBool(true)
	}
}

// exampleMethods are the methods of the labs of exampleRun.
func exampleMethods() Methods {
	guard := measure.AtLeast(0.5)
	return Methods{
		"barrier/an-fsync-is-dear": {
			1: {measure.Terms{Kind: measure.Comparison, Region: measure.AtLeast(2), Form: measure.Ratio}, "1", "machine", nil, true, "storage", "0.1.0", ""},
			2: {measure.Terms{Kind: measure.Comparison, Region: measure.AtLeast(3), Form: measure.Ratio, Guard: &guard}, "1", "machine", nil, true, "storage", "0.1.0", ""},
		},
		"barrier/a-flush-each": {1: {measure.Terms{Kind: measure.Exact, Region: measure.Equal(1)}, "1", "machine", []string{"barrier/an-fsync-is-dear"}, false, "storage", "0.1.0", ""}},
		"torntail/most-survive": {1: {measure.Terms{Kind: measure.Binomial, Region: measure.AtLeast(0.9)}, "1", "program",
			[]string{"barrier/an-fsync-is-dear", "barrier/a-flush-each"}, false, "storage", "0.1.0", ""}},
		"torntail/size-is-free":   {1: {measure.Terms{Kind: measure.Comparison, Region: measure.AtMost(1.5), Form: measure.Ratio}, "1", "machine", nil, true, "storage", "0.1.0", ""}},
		"torntail/needs-a-device": {1: {measure.Terms{Kind: measure.Exact, Region: measure.AtMost(0)}, "B", "machine", nil, false, "storage", "0.1.0", ""}},
	}
}

// example builds a run through the functions that a real one is made by.
type example struct {
	*Run
	methods Methods
	rng     *rand.Rand
}

const exampleOverhead = 4e-8

// exampleRun is a run with claims of every kind, one of them with a retest,
// that verify has nothing against.
func exampleRun(t testing.TB) Run {
	t.Helper()
	at := time.Date(2026, 5, 17, 9, 30, 0, 0, time.UTC)
	e := example{&Run{
		ID: NewID(at), Started: at, Finished: at.Add(9 * time.Second), Outcome: Complete,
		Command: []string{"envelope", "run", "--require", "barrier"},
		Program: Program{
			Version: "v1", Commit: host.Known(strings.Repeat("0a", 20), "", "git"), Dirty: host.Known(false, "", "git"),
			GoVersion: "go1.26", GOOS: "linux", GOARCH: "amd64", Settings: map[string]string{"CGO_ENABLED": "0"},
			Sources: map[string]Sources{
				"labs/barrier":  {"barrier.go": strings.Repeat("1a", 32), "barrier_test.go": strings.Repeat("2b", 32)},
				"labs/torntail": {"doc.go": strings.Repeat("3c", 32), "torntail.go": strings.Repeat("4d", 32)},
			},
		},
	}, exampleMethods(), rand.New(rand.NewPCG(1, 2))}
	populate(reflect.ValueOf(&e.Environment).Elem())
	populate(reflect.ValueOf(&e.EnvironmentEnd).Elem())
	e.Environment.Clock.Overhead = host.Known(exampleOverhead, "s", "measured")
	ms := axioms.Quantity{Value: 0.001, Dim: axioms.DimSecond}
	e.Axioms = []axioms.Measured{{Name: "example", Quantity: ms, Low: ms, High: ms, N: 9, Method: "by hand", Bounds: "nothing"},
		{Name: "kept", Quantity: ms, Low: ms, High: ms, N: 9, Method: "by hand", Bounds: "nothing", Taken: time.Date(2026, 5, 16, 0, 0, 0, 0, time.UTC)}}

	b := e.lab("barrier")
	b.arms("an-fsync-is-dear", 2, e.noise(2*16, 9e-4), e.noise(2*16, 1e-4), nil)
	b.exact("a-flush-each", 1, make([]float64, 100), 1)
	b.question("dear", "claim an-fsync-is-dear")
	l := e.lab("torntail")
	l.trials("most-survive", 1, 995, 1000)
	l.arms("size-is-free", 1, e.noise(2*16, 9e-4), e.noise(2*16, 1e-4), e.noise(4*128, 1.5e-4))
	l.void("needs-a-device", measure.Unreachable, "no such device here")
	l.question("size", "series size-is-free/b")

	low, high := 2.5, 40.0
	p := Prediction{Question: "barrier/dear", TextHash: b.Questions[0].TextHash, Time: at, Value: 10.5, Unit: "1",
		Low: &low, High: &high, Attempt: 1, Derivation: b.Questions[0].Derivation, Nonce: strings.Repeat("5e", 16), Why: "a guess"}
	p.SHA256 = p.Digest()
	e.Predictions = []Prediction{p}
	require, allow := RequiredOf(e.Command)
	e.Run.ExitCode = ExitCode(*e.Run, require, allow)
	return whole(*e.Run)
}

// noise is n times around a typical one.
func (e example) noise(n int, typical float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = typical * math.Exp(0.1*e.rng.NormFloat64())
	}
	return out
}

type exampleLab struct {
	*Lab
	e example
}

func (e example) lab(name string) exampleLab {
	var v host.Volatile
	populate(reflect.ValueOf(&v).Elem())
	e.Labs = append(e.Labs, Lab{
		Name: name, Source: SourceHash(e.Program.Sources["labs/"+name]), Seed: math.MaxUint64, Seconds: 1, CPUSeconds: 0.5, Barrier: 1e-3,
		Conditions: []Conditions{{v, v, 1, 0.5}}, Notes: []string{"a note"},
	})
	return exampleLab{&e.Labs[len(e.Labs)-1], e}
}

func (l exampleLab) add(name, unit string, samples []float64, calls int) {
	s := Series{Name: name, Text: "what was done", Unit: unit, Calls: calls, Samples: samples}
	s.Describe()
	l.Series = append(l.Series, s)
}

// claim appends a claim with what its method gives of the evidence.
func (l exampleLab) claim(name string, version int, first, second *measure.Evidence) {
	m := l.e.methods[l.Name+"/"+name][version]
	j := measure.Judge(m.Terms, *first, exampleOverhead)
	if second != nil {
		j = measure.Retest(j, measure.Judge(m.Terms, *second, exampleOverhead))
	}
	l.Claims = append(l.Claims, Claim{
		Name: name, Text: "a text", Version: version, Scope: m.Scope, Unit: m.Unit, Terms: m.Terms, RestsOn: m.RestsOn,
		Controls: []string{"sabotage"}, Evidence: NewEvidence(name, first, false), Retest: NewEvidence(name, second, true),
		Estimate: NewEstimate(j.Estimate), Verdict: j.Verdict, Reason: j.Reason, Detail: j.Detail,
	})
}

// arms adds a claim of timed arms; again are both arms of a retest in which
// they are alike. Version 2 has a guard.
func (l exampleLab) arms(name string, version int, a, b, again []float64) {
	evidence := func(arm string, a, b []float64) *measure.Evidence {
		l.add(name+"/"+arm+"a", "s", a, 1)
		l.add(name+"/"+arm+"b", "s", b, 8)
		e := &measure.Evidence{CallsA: 1, CallsB: 8,
			Blocks: &measure.Blocks{A: a, B: b, Per: 2, Form: measure.Ratio, Clocked: true}}
		if version == 2 {
			l.add(name+"/"+arm+"guard-a", "1", a, 0)
			l.add(name+"/"+arm+"guard-b", "1", b, 0)
			e.Guard = &measure.Blocks{A: a, B: b, Per: 2, Form: measure.Ratio}
		}
		return e
	}
	var second *measure.Evidence
	first := evidence("", a, b)
	if again != nil {
		second = evidence("retest-", again[:len(again)/2], again[len(again)/2:])
	}
	l.claim(name, version, first, second)
}

func (l exampleLab) exact(name string, version int, values []float64, v float64) {
	for i := range values {
		values[i] = v
	}
	l.add(name, "1", values, 0)
	l.claim(name, version, &measure.Evidence{Values: values}, nil)
}

func (l exampleLab) trials(name string, version, successes, n int) {
	l.claim(name, version, &measure.Evidence{Trials: measure.Trials{Successes: successes, N: n}}, nil)
}

func (l exampleLab) void(name string, reason measure.Reason, detail string) {
	m := l.e.methods[l.Name+"/"+name][1]
	l.Claims = append(l.Claims, Claim{Name: name, Text: "a text", Version: 1, Scope: m.Scope, Unit: m.Unit, Terms: m.Terms,
		Controls: []string{"sabotage"}, Reason: reason, Detail: detail})
}

func (l exampleLab) question(name, answer string) {
	v := 9.0
	q := Question{Name: name, TextHash: strings.Repeat("6f", 32), Derivation: Derivation{&v, "1", "9 ms / 1 ms", ""}, Unit: "1", Answer: answer}
	kind, of, _ := strings.Cut(answer, " ")
	for _, s := range l.Series {
		if kind == "series" && s.Name == of {
			q.Measured, q.Unit = s.P50, s.Unit
		}
	}
	for _, c := range l.Claims {
		if kind == "claim" && c.Name == of {
			q.Measured = c.Estimate.Value
		}
	}
	if q.Measured == nil {
		panic(fmt.Sprintf("nothing is called %q", answer))
	}
	l.Questions = append(l.Questions, q)
}
