package prereg

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"envelope/axioms"
	"envelope/internal/child"
	"envelope/manifest"
	"envelope/predict/ledger"
)

// A study is a process that registers what it expects of a holdout, asks for the
// holdout, and reveals what came of it. It has the lock that predict has, the
// record of predictions, and neither the holdout nor another way to it: the
// keeper of both, which is its parent, hears every question for it.
//
// It speaks in lines.
const (
	asksForHoldout = "look"
	finished       = "finished"
)

func sealed(seal string) string { return "sealed " + seal }

func stopped(step string) string { return "stopped " + step }

// The orders in which a study can do its work.
const (
	lockFirst = "lock-first"
	lookFirst = "look-first" // the control's fault
)

// steps are where a study can be killed: before each step of the record that
// changes the disk, and between.
var steps = []string{
	"register create", "register write", "register sync", "register sync directory", "register end",
	"registered", halfSeen, wholeSeen,
	"reveal create", "reveal write", "reveal sync", "reveal end",
}

const (
	halfSeen  = "half seen"
	wholeSeen = "whole seen"
	nowhere   = "nowhere" // it runs to its end
)

const holdoutDays = 250

// question is the lock's key. Attempts are counted by it and by the wording, so
// the wording names the holdout by its hash, and nothing of the strategy: another
// idea about the same data is another attempt at the same question.
const question = "prereg/holdout"

func wording(holdoutHash string) string {
	return "how many standard errors from zero is the mean gain over the holdout " + holdoutHash + "?"
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// newHoldout draws the returns that a study may look at once, as bytes.
func newHoldout(rng *rand.Rand) []byte {
	var data []byte
	for range holdoutDays {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(rng.NormFloat64()))
	}
	return data
}

// order is what a study's process is told.
type order struct {
	dir, first, sitting, stop, holdoutHash string
	half                                   int // bytes of the holdout at half seen
}

func (o order) args() []string {
	return []string{o.dir, o.first, o.sitting, o.stop, o.holdoutHash, strconv.Itoa(o.half)}
}

// studyChild is the child that makes one. Its arguments are those of an order.
func studyChild(args []string) int {
	return child.Main(func() error {
		if len(args) != 6 {
			return fmt.Errorf("want a directory, an order, a sitting, a step, a hash and a number, got %q", args)
		}
		half, err := strconv.Atoi(args[5])
		if err != nil || half < 1 || half >= 8*holdoutDays {
			return fmt.Errorf("want from 1 to %d bytes to read first, got %q", 8*holdoutDays-1, args[5])
		}
		return sit(order{dir: args[0], first: args[1], sitting: args[2], stop: args[3], holdoutHash: args[4], half: half})
	})
}

// sitting is a study in progress.
type sitting struct {
	order
	record     *ledger.Ledger
	phase      string
	registered []manifest.Prediction
	gone       error // why nobody killed it where it stopped
}

func sit(o order) error {
	record, _, err := ledger.Open(o.dir)
	if err != nil {
		return err
	}
	s := &sitting{order: o, record: record}
	record.Watch(func(step string) { s.at(s.phase + " " + step) })
	positions, expected := positionsOf(o.sitting), 2.0
	var t float64
	switch o.first {
	case lockFirst:
		if err = s.register(positions, expected); err == nil {
			t, err = s.look(positions)
		}
	case lookFirst:
		if t, err = s.look(positions); err == nil {
			err = s.register(positions, t)
		}
	default:
		err = fmt.Errorf("unknown order %q", o.first)
	}
	if err != nil {
		return err
	}
	if err := s.reveal(t); err != nil {
		return err
	}
	return errors.Join(s.gone, child.Say(finished))
}

// at stops where the study is to be killed.
func (s *sitting) at(step string) {
	if step == s.stop {
		s.gone = child.Stay(stopped(step))
	}
}

// positionsOf are 1 or -1 for each day of the holdout: another idea for each
// sitting.
func positionsOf(sitting string) []byte {
	seed := sha256.Sum256([]byte(sitting))
	rng := rand.New(rand.NewChaCha8(seed))
	p := make([]byte, holdoutDays)
	for i := range p {
		p[i] = byte(1 - 2*rng.IntN(2)) // as int8
	}
	return p
}

// register writes down what is expected and the hash of the positions, and says
// the hash of it all to the keeper.
func (s *sitting) register(positions []byte, expected float64) error {
	s.phase = "register"
	registered, seal, err := s.record.Register(time.Now(), []ledger.Answer{{
		Question: question, Text: wording(s.holdoutHash), Value: axioms.Count(expected),
		Derivation: manifest.Derivation{Value: &expected, Unit: "1", Steps: "positions " + hashOf(positions)},
	}})
	if err != nil {
		return err
	}
	s.registered = registered
	if err := child.Say(sealed(seal)); err != nil {
		return err
	}
	s.at("registered")
	return nil
}

// look asks for the holdout and evaluates the positions on it: how many standard
// errors their mean gain is from zero.
func (s *sitting) look(positions []byte) (t float64, err error) {
	if err := child.Say(asksForHoldout); err != nil {
		return 0, err
	}
	data := make([]byte, 8*holdoutDays)
	if _, err := io.ReadFull(os.Stdin, data[:s.half]); err != nil {
		return 0, fmt.Errorf("reading the holdout: %w", err)
	}
	s.at(halfSeen)
	if _, err := io.ReadFull(os.Stdin, data[s.half:]); err != nil {
		return 0, fmt.Errorf("reading the holdout: %w", err)
	}
	s.at(wholeSeen)
	gains := make([]float64, holdoutDays)
	for i := range gains {
		gains[i] = float64(int8(positions[i])) * math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return math.Abs(momentsOf(gains).sharpe()) * math.Sqrt(holdoutDays), nil
}

// reveal adds what came of the holdout to the registration.
func (s *sitting) reveal(t float64) error {
	s.phase = "reveal"
	return s.record.Reveal(s.registered, []ledger.Outcome{{Question: question, Measured: &t, Unit: "1", RunID: s.sitting}})
}
