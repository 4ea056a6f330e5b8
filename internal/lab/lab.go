package lab

import (
	"context"

	"envelope/axioms"
	"envelope/internal/measure"
)

// Lab is one question that the suite can put to a machine.
type Lab struct {
	Name  string // one word, permanent: "barrier"
	Title string // the question in a few words: "what does fsync charge for?"
	Group Group
	Rule  int // the rule of RULES.md that it earns
	// Doc is the text of the lab's doc.go, the single source of its help.
	Doc       string
	Axioms    []string // names of the constants that it takes as given
	Questions []Question
	Claims    []Claim
	Controls  []Control
	// Seconds is the share of a default run's time that the lab's timing
	// claims may use before they are judged with what they have.
	Seconds float64
	// Barriers is about how many write barriers the lab's timing claims need
	// for a verdict: on a slow disk they get that much time instead.
	Barriers int
	// Memory is what the lab may take, in bytes; 0 means what the suite itself
	// does. Where less is allowed, its claims are void (unreachable).
	Memory  uint64
	Measure func(ctx context.Context, r *Run) error
	// CheckTrace, where the lab uses a user's trace of requests, refuses a file
	// that is none before anything is measured.
	CheckTrace func(path string) error
	// Children are entry points of processes that the lab starts as copies
	// of this binary. The returned value is the exit code.
	Children map[string]func(args []string) int
}

// Group is a set of labs that are run together.
type Group string

// The groups.
const (
	Storage Group = "storage"
	Serving Group = "serving"
	Studies Group = "studies"
)

// Scope says what a claim is about.
type Scope string

// The scopes. They are counted apart: a run that judged no machine claim has
// found out nothing about the machine.
const (
	Machine Scope = "machine" // this machine
	Program Scope = "program" // a program that the suite ships
)

// Claim is a falsifiable statement about one observed quantity.
type Claim struct {
	Name string // a sentence with hyphens, permanent
	Text string // the same for people, with the quantity in it
	// Version is the claim's method. It goes up when what is measured, or
	// the region, changes; results of different methods aren't compared.
	Version  int
	Scope    Scope
	Kind     measure.Kind
	Unit     string // of the quantity: "1" for ratios, "B" and so on
	Region   measure.Region
	Form     measure.Form // of a comparison: Ratio unless set
	Scale    float64      // Binomial: what a share is multiplied by; 0 means 1
	RestsOn  []string     // "lab/claim": void unless these have held
	Guard    *Guard
	Syncs    bool   // means nothing where the directory is known not to sync
	System   string // the only operating system that can tell, by its GOOS: "darwin"; "" for any
	Observed string // what is observed, and by whom: "the kernel's count of write calls"
}

// Guard is a second comparison that tells whether a claim's instrument works
// here. Outside its region, the claim is void (instrument) instead of judged.
type Guard struct {
	Text   string
	Region measure.Region
}

// Control is a named sabotage under which claims must come out failed.
type Control struct {
	Name   string
	Text   string   // what the sabotage does
	Breaks []string // names of this lab's claims
	// Dose is the control's strength where it has one; Run.Dose returns it.
	Dose *Dose
	// Dir, if set, says that the control is another kind of directory
	// ("tmpfs") instead of a change that the lab applies.
	Dir string
}

// Dose is how strong a control is by default, in its own unit.
type Dose struct {
	Default float64
	Unit    string
	Text    string
}

// Question is what a user commits to before a lab measures anything.
type Question struct {
	Name       string // unique within the lab: "fsync-8b"
	Text       string // the puzzle, without the answer
	Unit       string // what an answer is given in: "s", "B", "1"
	Candidates []Candidate
	Axioms     []string // constants and measured axioms shown with it
	// Answer names where the measured value comes from.
	Answer Answer
	// Derive is what the division gives from this machine's axioms. It is
	// registered before anything is measured, and scored like a prediction.
	Derive func(axioms.Set) (Derivation, error)
}

// Candidate is one of the possible answers, named before the question is asked.
type Candidate struct {
	Text  string
	Value axioms.Quantity
}

// Answer names a series (its median answers the question) or a claim (its
// estimate does). Exactly one is set.
type Answer struct {
	Series string
	Claim  string
}

// Derivation is arithmetic on axioms: never counted as a claim.
type Derivation struct {
	Value axioms.Quantity
	Steps string // "8 B / 2 GB/s + one barrier"
}

// Claim returns the lab's claim of that name, or nil.
func (l *Lab) Claim(name string) *Claim {
	for i := range l.Claims {
		if l.Claims[i].Name == name {
			return &l.Claims[i]
		}
	}
	return nil
}

// Control returns the lab's control of that name, or nil.
func (l *Lab) Control(name string) *Control {
	for i := range l.Controls {
		if l.Controls[i].Name == name {
			return &l.Controls[i]
		}
	}
	return nil
}

// ControlsOf returns the names of the controls that break a claim.
func (l *Lab) ControlsOf(claim string) []string {
	var names []string
	for _, c := range l.Controls {
		for _, b := range c.Breaks {
			if b == claim {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// Terms returns what the claim's evidence is judged by.
func (c *Claim) Terms() measure.Terms {
	t := measure.Terms{Kind: c.Kind, Region: c.Region, Scale: c.Scale}
	if c.Kind == measure.Comparison {
		t.Form = c.form()
	}
	if c.Guard != nil {
		t.Guard = &c.Guard.Region
	}
	return t
}
