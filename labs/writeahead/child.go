package writeahead

import (
	"errors"
	"fmt"
	"strconv"

	"envelope/internal/child"
)

// A child speaks in lines: what it promises, and where it has stopped to be
// killed.
func promised(groups int) string { return "promised " + strconv.Itoa(groups) }

func stopped(s step) string { return "stopped " + s.String() }

// When a child acknowledges, and the group at which it stops.
const (
	logFirst = "log-first"
	ackFirst = "ack-first" // the control's fault
	// inRecovery stands for a group: the child stops before it writes any.
	inRecovery = -1
)

// streamEnd is how many groups a child writes that was never told to stop, or
// never reached its step.
const streamEnd = 64

// keep is the child that keeps a store. Its arguments are DIR SEED ORDER STEP
// GROUP: it opens the store, appends the groups of the seed's stream, and stops
// where it reaches the step in that group or a later one.
func keep(args []string) int {
	return child.Main(func() error {
		if len(args) != 5 {
			return fmt.Errorf("want a directory, a seed, an order, a step and a group, got %q", args)
		}
		seed, errSeed := strconv.ParseUint(args[1], 16, 64)
		group, errGroup := strconv.Atoi(args[4])
		if err := errors.Join(errSeed, errGroup); err != nil {
			return err
		}
		return serve(args[0], seed, args[2] == ackFirst, args[3], group)
	})
}

func serve(dir string, seed uint64, ackFirst bool, stop string, group int) error {
	at := inRecovery
	s, err := openStore(dir, hooks{
		ack: func(groups int) error { return child.Say(promised(groups)) },
		at: func(st step) error {
			if st.String() == stop && at >= group {
				return child.Stay(stopped(st))
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	defer s.close()
	if group == inRecovery {
		return fmt.Errorf("the recovery ended before %s was reached", stop)
	}
	s.ackFirst = ackFirst
	for at = s.groups; at < streamEnd; at++ {
		if err := s.commit(groupOf(seed, at)); err != nil {
			return err
		}
	}
	return fmt.Errorf("the stream of %d groups ended before %s was reached", streamEnd, stop)
}
