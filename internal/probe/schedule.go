package probe

import (
	"fmt"
	"os"

	"envelope/internal/measure"
)

// goroutineSwitch passes a token between two goroutines of one processor: each
// pass is one switch.
func goroutineSwitch(*bench) (probe, error) {
	const turns = 2000
	ping, pong := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(pong)
		for range ping {
			pong <- struct{}{}
		}
	}()
	return probe{
		method: "a token through unbuffered channels between two goroutines on one processor (GOMAXPROCS 1), per pass", n: 51,
		bounds: "work that is cut into goroutines", alone: true,
		arm: measure.Arm{Ops: 2 * turns, Op: func() error {
			for range turns {
				ping <- struct{}{}
				<-pong
			}
			return nil
		}},
		close: func() { close(ping); <-pong },
	}, nil
}

// threadHandover passes a byte through two pipes between two threads of the
// operating system: each pass wakes a sleeping thread.
func threadHandover(*bench) (probe, error) {
	there, err := pipe()
	if err != nil {
		return probe{}, err
	}
	back, err := pipe()
	if err != nil {
		closeAll(there[:]...)
		return probe{}, err
	}
	gone := echo(there[0], back[1])
	return probe{
		method: "a byte through pipes between two threads, wherever the kernel puts them, per pass", n: 51,
		bounds: "hand-overs to a worker that sleeps",
		arm:    measure.Arm{Ops: 2 * turns, Op: volley(there[1], back[0])},
		close: func() {
			closeAll(there[1])
			<-gone
			closeAll(there[0], back[0], back[1])
		},
	}, nil
}

// endsAtOnce returns a program that does nothing, nil where none is found.
func endsAtOnce() []string {
	for _, path := range []string{"/bin/true", "/usr/bin/true"} {
		if _, err := os.Stat(path); err == nil {
			return []string{path}
		}
	}
	return nil
}

func processStart(b *bench) (probe, error) {
	argv := b.exe()
	if argv == nil {
		return probe{}, fmt.Errorf("there is no program true here to start")
	}
	return probe{
		method: "start of " + argv[0] + " and wait for its end", n: 51,
		bounds: "a process for each request, scripts, shells",
		arm: measure.Arm{Op: func() error {
			p, err := os.StartProcess(argv[0], argv, &os.ProcAttr{})
			if err != nil {
				return err
			}
			_, err = p.Wait()
			return err
		}},
	}, nil
}
