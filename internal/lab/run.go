package lab

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/measure"
)

// Config is what the driver gives to one run of one lab.
type Config struct {
	Lab     *Lab
	Dir     string // an empty directory on the file system under test
	Seed    uint64
	Full    bool
	Trace   string  // path of a user's trace of requests; "" for none
	Redis   string  // address of a Redis that the user allows to be asked; "" for none
	Control string  // "" for a plain run
	Dose    float64 // of the control
	// Wanted are the claims to report on; nil means all.
	Wanted map[string]bool
	Budget time.Duration // for timing claims
	Clock  *measure.Clock
	Axioms axioms.Set
	Target host.Target
	// Environment is the machine as it was when the run began.
	Environment *host.Environment
	// Barrier is about what a write and an fsync take in Dir, for sizing
	// only: never an axiom, never a claim's denominator.
	Barrier  time.Duration
	Progress func(done float64)
	// Volatile reads load, pressure and steal.
	Volatile func() host.Volatile
	// Start makes a command that runs the lab's child of that name.
	Start func(lab, child string, args []string) *exec.Cmd
	// Documents are the texts of the suite's labs, each its doc.go, for a lab
	// that wants prose.
	Documents []string
}

// Run is one run of one lab: what Measure may ask, and where it reports. It
// carries no prediction, so that a lab cannot depend on one.
type Run struct {
	Config
	record  Record
	watched []func() // ends what Watch began
}

// Record is what a run of a lab observed.
type Record struct {
	Series     []Series
	Evidence   map[string]measure.Evidence
	Voids      map[string]measure.Judgement
	Conditions []Conditions
	Notes      []string
	Tables     []Table
}

// Series is samples of one quantity.
type Series struct {
	Name       string // unique in the lab; an arm's is CLAIM/a or CLAIM/b
	Text       string // what was done
	Unit       string
	Samples    []float64
	Calls      int // operations in one timed span; 0 where nothing was timed
	Conditions int // index of the conditions under which it was taken; -1 for none
}

// Conditions are the state of the machine around a stretch of measuring.
type Conditions struct {
	Before, After host.Volatile
	Wall, CPU     time.Duration
}

// Table is text for people, made of series that the record holds.
type Table struct {
	Title  string
	Header []string
	Rows   [][]string
}

// Pair is two arms for one claim of the lab.
type Pair struct {
	Claim   string
	Part    string // of a claim that is judged over several pairs of arms; "" otherwise
	Guard   bool   // the arms are the claim's guard instead
	A, B    measure.Arm
	Unit    float64 // divisor of an excess
	Episode bool
	Warm    int // untimed A B before each block; 0 means 2
}

// NewRun prepares a run. Only the driver and tests call it.
func NewRun(c Config) *Run {
	return &Run{Config: c, record: Record{
		Evidence: map[string]measure.Evidence{},
		Voids:    map[string]measure.Judgement{},
	}}
}

// Record returns what was observed so far.
func (r *Run) Record() *Record { return &r.record }

// Wants reports whether any of the claims is asked for, so that a lab can leave
// out costly work that none of them needs.
func (r *Run) Wants(claims ...string) bool {
	wants := false
	for _, c := range claims {
		r.claim(c)
		wants = wants || r.Wanted == nil || r.Wanted[c]
	}
	return wants
}

// Sabotaged reports whether the named control is on. The name must be one of
// the lab's controls: a misspelt one would never break anything.
func (r *Run) Sabotaged(control string) bool {
	if r.Lab.Control(control) == nil {
		panic(fmt.Sprintf("lab %s has no control %q", r.Lab.Name, control))
	}
	return r.Config.Control == control
}

// Rand returns the run's random numbers for one purpose: the same seed and name
// give the same numbers.
func (r *Run) Rand(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(r.Lab.Name + "\x00" + name))
	return rand.New(rand.NewPCG(r.Seed, h.Sum64()))
}

// Payload returns n random bytes: zeros would compress away, and run twice as
// fast as anything else. The bytes are written, so the buffer's pages exist.
func (r *Run) Payload(name string, n int) []byte {
	rng := r.Rand(name)
	p := make([]byte, n)
	for i := 0; i < n; i += 8 {
		v := rng.Uint64()
		for j := i; j < min(i+8, n); j++ {
			p[j] = byte(v)
			v >>= 8
		}
	}
	return p
}

// Child returns a command that runs the lab's entry point of that name as a
// process of its own.
func (r *Run) Child(name string, args ...string) *exec.Cmd {
	if r.Lab.Children[name] == nil {
		panic(fmt.Sprintf("lab %s has no child %q", r.Lab.Name, name))
	}
	return r.Start(r.Lab.Name, name, args)
}

// Step tells the user how much of the lab is done, from 0 to 1.
func (r *Run) Step(done float64) {
	if r.Progress != nil {
		r.Progress(done)
	}
}

// Part is what observes a claim.
type Part struct {
	Claim   string
	Observe func(ctx context.Context, r *Run) error
}

// Each makes in turn the parts whose claims are wanted, and tells the user how far
// it is. An error in one makes its claim void and leaves the others as they are;
// what is returned says that the run was stopped.
func (r *Run) Each(ctx context.Context, parts []Part) error {
	for i, p := range parts {
		if !r.Wants(p.Claim) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.Observe(ctx, r); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			r.Void(p.Claim, measure.Error, "%v", err)
		}
		r.Step(float64(i+1) / float64(len(parts)))
	}
	return nil
}

// Compare times the pairs of all wanted claims, and the singles beside them,
// until the claims are decided or the lab's budget is spent. A pair whose arm
// fails voids its own claim (error) only. Its error is ctx's.
func (r *Run) Compare(ctx context.Context, pairs []Pair, singles ...measure.Single) error {
	var ask []measure.Pair
	var kept []Pair
	for _, p := range pairs {
		c := r.claim(p.Claim)
		if !r.Wants(p.Claim) || r.voided(p.Claim) {
			continue
		}
		region := c.Region
		if p.Guard {
			region = c.Guard.Region
		}
		form := c.form()
		if p.Guard {
			form = measure.Ratio
		}
		ask = append(ask, measure.Pair{Name: p.Claim, A: p.A, B: p.B, Form: form, Unit: p.Unit, Region: region, Episode: p.Episode, Warm: p.Warm})
		kept = append(kept, p)
	}
	defer r.Watch()()
	results, rows, err := measure.Compare(ctx, measure.Options{
		Clock: r.Clock, Rand: r.Rand("order"), Budget: r.Budget, Progress: r.Progress,
	}, ask, singles)
	for i := range results {
		r.keep(kept[i], &results[i])
	}
	for _, row := range rows {
		if row.Err != nil {
			r.Note("%s could not be measured: %v", row.Arm.Name, row.Err)
			continue
		}
		r.AddSeries(Series{Name: row.Arm.Name, Text: row.Arm.Name, Unit: unitOf(row.Arm), Samples: row.Samples, Calls: row.Calls, Conditions: r.now()})
	}
	return err
}

// WarmUps is how many untimed A B a pair whose arms sync should have before
// each block. At barriers of many milliseconds the caches that a warm-up fills
// are nothing, and its barriers half of the time: one is enough.
func (r *Run) WarmUps() int {
	if r.Barrier > 5*time.Millisecond {
		return 1
	}
	return 2
}

// Watch records the conditions from now until the returned function is called, or
// EndWatch. Series added in between belong to them.
func (r *Run) Watch() (done func()) {
	var before host.Volatile
	if r.Volatile != nil {
		before = r.Volatile()
	}
	start, cpu := time.Now(), processCPU()
	r.record.Conditions = append(r.record.Conditions, Conditions{Before: before})
	at := len(r.record.Conditions) - 1
	done = sync.OnceFunc(func() {
		c := &r.record.Conditions[at]
		c.Wall, c.CPU = time.Since(start), processCPU()-cpu
		if r.Volatile != nil {
			c.After = r.Volatile()
		}
	})
	r.watched = append(r.watched, done)
	return done
}

// EndWatch ends the recording of all conditions that are still open. A lab that
// was stopped in between leaves some, and a manifest in which they had no end
// would not verify.
func (r *Run) EndWatch() {
	for _, done := range r.watched {
		done()
	}
}

// now returns the index of the conditions that are being recorded.
func (r *Run) now() int { return len(r.record.Conditions) - 1 }

func (r *Run) keep(p Pair, res *measure.Result) {
	if res.Err != nil {
		r.Void(p.Claim, measure.Error, "%v", res.Err)
		return
	}
	for _, v := range append(slices.Clone(res.Blocks.A), res.Blocks.B...) {
		if !finite(v) {
			r.Void(p.Claim, measure.Error, "an arm came to %v, which is no number", v)
			return
		}
	}
	e := r.record.Evidence[p.Claim]
	arms := "/"
	switch {
	case p.Guard:
		e.Guard, arms = &res.Blocks, "/guard-"
	case p.Part != "":
		e.Parts = append(e.Parts, measure.Part{Name: p.Part, Blocks: res.Blocks, CallsA: res.CallsA, CallsB: res.CallsB})
		arms = "/" + p.Part + "/"
	default:
		e.Blocks, e.CallsA, e.CallsB = &res.Blocks, res.CallsA, res.CallsB
	}
	r.record.Evidence[p.Claim] = e
	r.AddSeries(Series{Name: p.Claim + arms + "a", Text: p.A.Name, Unit: unitOf(&p.A), Samples: res.Blocks.A, Calls: res.CallsA, Conditions: r.now()})
	r.AddSeries(Series{Name: p.Claim + arms + "b", Text: p.B.Name, Unit: unitOf(&p.B), Samples: res.Blocks.B, Calls: res.CallsB, Conditions: r.now()})
}

// finite reports whether v is a number that can be written and judged.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func unitOf(a *measure.Arm) string {
	if a.Unit == "" {
		return "s"
	}
	return a.Unit
}

func (r *Run) voided(claim string) bool {
	_, ok := r.record.Voids[claim]
	return ok
}

// claim returns the lab's claim of that name. Reporting on a claim that does
// not exist is a fault of the lab's code.
func (r *Run) claim(name string) *Claim {
	if c := r.Lab.Claim(name); c != nil {
		return c
	}
	var names []string
	for _, c := range r.Lab.Claims {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	panic(fmt.Sprintf("lab %s has no claim %q; it has %s", r.Lab.Name, name, strings.Join(names, ", ")))
}
