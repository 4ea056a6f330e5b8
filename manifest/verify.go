package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"sync"

	"envelope/axioms"
	"envelope/internal/measure"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Problem is one thing in a file that is not as it must be.
type Problem struct {
	Path string // "runs[3].labs[1].claims[2].verdict"
	Text string
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Text
	}
	return p.Path + ": " + p.Text
}

// Summary counts what a document holds, as the file says.
type Summary struct {
	Runs, Labs, Claims, Predictions int
	Held, Failed, Void              int
	Interrupted                     int // runs
}

func (s *Summary) add(o Summary) {
	s.Runs, s.Labs, s.Claims, s.Predictions = s.Runs+o.Runs, s.Labs+o.Labs, s.Claims+o.Claims, s.Predictions+o.Predictions
	s.Held, s.Failed, s.Void = s.Held+o.Held, s.Failed+o.Failed, s.Void+o.Void
	s.Interrupted += o.Interrupted
}

// VerifyOptions say what a document is verified against. The zero value is the
// default.
type VerifyOptions struct {
	Limit   int64   // bytes of a document; 0 means MaxDocument
	Methods Methods // nil means those that LoadMethods returns

	unsealed bool // tests: a run may have no digest
}

// Verify reads a document and checks all that can be checked of it without the
// machine that it comes from: the schema, ids, hashes, registrations,
// percentiles against samples, and every verdict, which is judged again from
// the stored samples by the terms of its method version.
//
// What is wrong in a run is a problem with its path. The error says that the
// document can't be read at all: it is no JSON, too large, or of another
// format. Text from the file in either has no control characters.
func Verify(r io.Reader, o VerifyOptions) ([]Problem, Summary, error) {
	v, data, l, err := open(r, o)
	if err != nil {
		return nil, Summary{}, err
	}
	if len(l.runs) == 0 {
		return []Problem{{"runs", "there is no run in it, so nothing was verified"}}, Summary{}, nil
	}
	problems, sum := verifyRuns(data, l, v)
	return problems, sum, nil
}

// open reads a document, finds its runs, and what they are verified against.
func open(r io.Reader, o VerifyOptions) (*verifier, []byte, layout, error) {
	if o.Limit <= 0 {
		o.Limit = MaxDocument
	}
	if o.Methods == nil {
		m, err := LoadMethods()
		if err != nil {
			return nil, nil, layout{}, err
		}
		o.Methods = m
	}
	schema, err := runSchema()
	if err != nil {
		return nil, nil, layout{}, err
	}
	data, err := readAtMost(r, o.Limit)
	if err != nil {
		return nil, nil, layout{}, err
	}
	l, err := readLayout(data)
	if err != nil {
		return nil, nil, layout{}, fmt.Errorf("not a whole results document: %w", err)
	}
	return &verifier{schema, o.Methods, o.unsealed}, data, l, nil
}

// readAtMost reads all of r, and refuses more than limit bytes.
func readAtMost(r io.Reader, limit int64) ([]byte, error) {
	var b bytes.Buffer
	if f, ok := r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil && info.Size() <= limit {
			b.Grow(int(info.Size()) + bytes.MinRead)
		}
	}
	n, err := b.ReadFrom(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	if n > limit {
		return nil, fmt.Errorf("the document has more than %d bytes", limit)
	}
	return b.Bytes(), nil
}

// verifyRuns verifies the runs one by one, a few at a time: each is decoded,
// judged and forgotten, so that a large document takes little more memory than
// its text.
func verifyRuns(data []byte, l layout, v *verifier) ([]Problem, Summary) {
	results := make([]runResult, len(l.runs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(4, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				results[i] = v.run(data[l.runs[i].from:l.runs[i].to])
			}
		})
	}
	for i := range l.runs {
		next <- i
	}
	close(next)
	wg.Wait()

	var problems []Problem
	var sum Summary
	first := map[string]int{}
	for i, r := range results {
		at := fmt.Sprintf("runs[%d]", i)
		for _, p := range r.problems {
			problems = append(problems, Problem{at + p.Path, p.Text})
		}
		if j, twice := first[r.id]; twice && r.id != "" {
			problems = append(problems, Problem{at + ".id", fmt.Sprintf("the same as that of runs[%d]", j)})
		} else {
			first[r.id] = i
		}
		sum.add(r.sum)
	}
	return problems, sum
}

// verifier is what every run is verified against.
type verifier struct {
	schema  *jsonschema.Schema
	methods Methods
	// unsealed lets a run pass that has no digest.
	unsealed bool
}

// runResult is what came of one run; paths begin behind "runs[N]".
type runResult struct {
	id       string
	problems []Problem
	sum      Summary
}

// maxRunSamples bounds the memory that one run's samples may take: 32 MiB.
const maxRunSamples = 4 << 20

func (v *verifier) run(text []byte) runResult {
	r, problems := v.read(text)
	out := runResult{id: r.ID, problems: problems, sum: Summary{Runs: 1}}
	out.sum.count(&r)
	return out
}

// read decodes a run and checks it. A run that can't be decoded is empty.
func (v *verifier) read(text []byte) (Run, []Problem) {
	var loose any
	if err := json.Unmarshal(text, &loose); err != nil {
		return Run{}, []Problem{{"", printable(err.Error())}}
	}
	var problems []Problem
	for _, p := range schemaProblems(v.schema, loose) {
		if p.Path != "" && p.Path[0] != '[' {
			p.Path = "." + p.Path
		}
		problems = append(problems, p)
	}
	if len(problems) > 0 {
		return Run{}, problems // what its fields mean is not certain
	}
	if n := samplesIn(loose); n > maxRunSamples {
		return Run{}, []Problem{{".labs", fmt.Sprintf("%.0f samples in one run: at most %d are read", n, maxRunSamples)}}
	}
	var r Run
	if err := json.Unmarshal(text, &r); err != nil {
		return Run{}, []Problem{decodeProblem(text, err)}
	}
	if !sealed(text, r.Digest) && !(v.unsealed && r.Digest == "") {
		problems = append(problems, Problem{".digest", "the run's text is not what its digest was made of: it was changed after it was written"})
	}
	c := &checker{Run: &r, methods: v.methods, problems: problems}
	c.check()
	return r, c.problems
}

// decodeProblem says where a value that the schema lets pass can't be decoded.
// Types that decode themselves don't say where they stand, so they are tried
// one by one.
func decodeProblem(text []byte, err error) Problem {
	var r struct {
		Axioms []json.RawMessage
		Labs   []struct {
			Series []struct{ Samples json.RawMessage }
		}
	}
	if json.Unmarshal(text, &r) != nil {
		return Problem{"", "can't be decoded: " + printable(err.Error())}
	}
	for i, a := range r.Axioms {
		if err := json.Unmarshal(a, new(axioms.Measured)); err != nil {
			return Problem{fmt.Sprintf(".axioms[%d]", i), printable(err.Error())}
		}
	}
	for i, l := range r.Labs {
		for j, s := range l.Series {
			if err := json.Unmarshal(s.Samples, new(Samples)); err != nil {
				return Problem{fmt.Sprintf(".labs[%d].series[%d].samples", i, j), printable(err.Error())}
			}
		}
	}
	return Problem{"", "can't be decoded: " + printable(err.Error())}
}

// samplesIn adds up how many samples the series of a run say they have.
func samplesIn(run any) (n float64) {
	field := func(v any, name string) any {
		m, _ := v.(map[string]any)
		return m[name]
	}
	labs, _ := field(run, "labs").([]any)
	for _, l := range labs {
		series, _ := field(l, "series").([]any)
		for _, s := range series {
			switch samples := field(s, "samples").(type) {
			case []any:
				n += float64(len(samples))
			default:
				count, _ := field(samples, "n").(float64)
				n += count
			}
		}
	}
	return n
}

func (s *Summary) count(r *Run) {
	s.Labs, s.Predictions = len(r.Labs), len(r.Predictions)
	if r.Outcome == Interrupted {
		s.Interrupted = 1
	}
	var t measure.Tally
	for _, l := range r.Labs {
		s.Claims += len(l.Claims)
		for _, c := range l.Claims {
			t.Add(c.Verdict)
		}
	}
	s.Held, s.Failed, s.Void = t.Held, t.Failed, t.Void
}
