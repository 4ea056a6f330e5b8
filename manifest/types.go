package manifest

import (
	"time"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/measure"
)

// Format names the version of the document.
const Format = "envelope-results/1"

// Document is results.json.
type Document struct {
	Format string `json:"format"`
	Runs   []Run  `json:"runs"`
}

// Run is one run of the suite.
type Run struct {
	ID       string    `json:"id"` // time-ordered, random (UUID version 7)
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	Outcome  Outcome   `json:"outcome"`
	ExitCode int       `json:"exit_code"`
	// Command is the command line, with every path replaced by its role; of a
	// rerun, that of the run which it amounts to.
	Command        []string          `json:"command"`
	Program        Program           `json:"program"`
	Environment    host.Environment  `json:"environment"`
	EnvironmentEnd host.Volatile     `json:"environment_end"`
	Axioms         []axioms.Measured `json:"axioms"`
	Predictions    []Prediction      `json:"predictions"`
	Labs           []Lab             `json:"labs"`
	// Digest is the SHA-256 of the run's text without it and without white
	// space, in hex; see Seal. It is the last field.
	Digest string `json:"digest"`
}

// Outcome says whether the run got to its end.
type Outcome string

// The outcomes.
const (
	Complete    Outcome = "complete"
	Interrupted Outcome = "interrupted"
)

// Program is what was run.
type Program struct {
	Version   string             `json:"version"`
	Commit    host.Fact[string]  `json:"commit"`
	Dirty     host.Fact[bool]    `json:"dirty"` // staged, unstaged or untracked changes, results.json not counted
	GoVersion string             `json:"go_version"`
	GOOS      string             `json:"goos"`
	GOARCH    string             `json:"goarch"`
	Settings  map[string]string  `json:"settings"` // build settings that change behaviour
	Sources   map[string]Sources `json:"sources"`  // by package, relative to the module
}

// Sources are the SHA-256 of a package's source files, by file name, as they
// were compiled in.
type Sources map[string]string

// Prediction is one registered prediction, revealed.
type Prediction struct {
	Question   string     `json:"question"` // LAB/NAME
	TextHash   string     `json:"text_hash"`
	Time       time.Time  `json:"time"`
	Value      float64    `json:"value"`
	Unit       string     `json:"unit"`
	Low        *float64   `json:"low"` // of the 80 % interval, null where none was given
	High       *float64   `json:"high"`
	Attempt    int        `json:"attempt"` // 1 is the registered one
	Derivation Derivation `json:"derivation"`
	Nonce      string     `json:"nonce"`
	SHA256     string     `json:"sha256"` // of the registration, shown before the measurement
	Why        string     `json:"why,omitempty"`
}

// Derivation is what the division gave before anything was measured.
type Derivation struct {
	Value *float64 `json:"value"`
	Unit  string   `json:"unit"`
	Steps string   `json:"steps"`
	Error string   `json:"error,omitempty"` // why there is none
}

// Lab is one lab's part of a run.
type Lab struct {
	Name       string       `json:"name"`
	Source     string       `json:"source"` // SHA-256 over the lab's own source files
	Seed       uint64       `json:"seed"`
	Full       bool         `json:"full"`
	Seconds    float64      `json:"seconds"`
	CPUSeconds float64      `json:"cpu_seconds"`
	Barrier    float64      `json:"barrier"` // s; what sized the lab: about one write and fsync
	Questions  []Question   `json:"questions"`
	Conditions []Conditions `json:"conditions"`
	Series     []Series     `json:"series"`
	Claims     []Claim      `json:"claims"`
	Notes      []string     `json:"notes"`
	Error      string       `json:"error,omitempty"`
}

// Question is a lab's question with its registered derivation and the measured
// answer.
type Question struct {
	Name       string     `json:"name"`
	TextHash   string     `json:"text_hash"`
	Derivation Derivation `json:"derivation"`
	Measured   *float64   `json:"measured"` // null where its claim or series came to nothing
	Unit       string     `json:"unit"`
	Answer     string     `json:"answer"` // "series NAME" or "claim NAME"
}

// Conditions are the state of the machine around a stretch of measuring. A fact has
// a source only where that is not the one of the run's environment: there are
// dozens of stretches in a run.
type Conditions struct {
	Before host.Volatile `json:"before"`
	After  host.Volatile `json:"after"`
	Wall   float64       `json:"wall"` // s
	CPU    float64       `json:"cpu"`  // s
}

// Series is samples of one quantity, losslessly, with the percentiles that
// their number carries.
type Series struct {
	Name       string   `json:"name"`
	Text       string   `json:"text"`
	Unit       string   `json:"unit"`
	N          int      `json:"n"`
	Min        *float64 `json:"min"`
	P50        *float64 `json:"p50"`
	P95        *float64 `json:"p95"`
	P99        *float64 `json:"p99"`
	Max        *float64 `json:"max"`
	Calls      int      `json:"calls"`      // operations in one timed span, 0 where nothing was timed
	Conditions int      `json:"conditions"` // index into the lab's conditions, -1 for none
	Samples    Samples  `json:"samples"`
}

// Claim is one claim with all that its verdict rests on.
type Claim struct {
	Name     string          `json:"name"`
	Text     string          `json:"text"`
	Version  int             `json:"version"`
	Scope    string          `json:"scope"`
	System   string          `json:"system,omitempty"` // the only GOOS that can tell, where there is one
	Unit     string          `json:"unit"`
	Terms    measure.Terms   `json:"terms"`
	RestsOn  []string        `json:"rests_on"`
	Controls []string        `json:"controls"`
	Evidence *Evidence       `json:"evidence"` // null where nothing was observed
	Retest   *Evidence       `json:"retest"`   // null where there was none
	Estimate *Estimate       `json:"estimate"`
	Verdict  measure.Verdict `json:"verdict"`
	Reason   measure.Reason  `json:"reason"`
	Detail   string          `json:"detail"`
}

// Evidence names the series that a verdict rests on, in the order of blocks.
type Evidence struct {
	Values    string  `json:"values,omitempty"`    // exact: a series
	Successes *int    `json:"successes,omitempty"` // binomial
	Trials    *int    `json:"trials,omitempty"`
	A         string  `json:"a,omitempty"` // blocks: series
	B         string  `json:"b,omitempty"`
	Per       int     `json:"per,omitempty"`     // samples of each arm in a block
	Divisor   float64 `json:"divisor,omitempty"` // of an excess
	Clocked   bool    `json:"clocked,omitempty"` // the samples are times, which a coarse clock can spoil
	GuardA    string  `json:"guard_a,omitempty"`
	GuardB    string  `json:"guard_b,omitempty"`
	GuardPer  int     `json:"guard_per,omitempty"`
	// GuardClocked is Clocked of the guard's arms.
	GuardClocked bool `json:"guard_clocked,omitempty"`
	// Parts, where a claim has several pairs of arms, take the place of A and
	// B: each of them has to meet the region.
	Parts []Part `json:"parts,omitempty"`
}

// Part is one of several pairs of arms behind one claim.
type Part struct {
	Name    string  `json:"name"`
	A       string  `json:"a"` // series
	B       string  `json:"b"`
	Per     int     `json:"per"`
	Divisor float64 `json:"divisor,omitempty"`
	Clocked bool    `json:"clocked,omitempty"`
}

// Estimate is the interval that was held against the region.
type Estimate struct {
	Value      *float64 `json:"value"`
	Low        *float64 `json:"low"`
	High       *float64 `json:"high"`
	OuterLow   *float64 `json:"outer_low"` // the interval that failed rests on
	OuterHigh  *float64 `json:"outer_high"`
	Confidence float64  `json:"confidence"`
	N          int      `json:"n"`
}
