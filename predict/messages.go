package predict

import (
	"envelope/axioms"
)

// axiomsMeasured: the axioms are known, and questions can be asked.
type axiomsMeasured struct {
	set axioms.Set
	err error
}

// predictionsRegistered: they are on the disk, or err says why not.
type predictionsRegistered struct {
	commit Commitment
	err    error
}

// labMeasured: the lab has run, and its run is kept.
type labMeasured struct {
	reveal *Reveal
	err    error
}

// whyKept: the user's line is on the disk, or err says why not.
type whyKept struct{ err error }

// progressDue: it is time to look how far the measurement has come.
type progressDue struct{}

// stopAsked: a signal asked the program to stop.
type stopAsked struct{}
