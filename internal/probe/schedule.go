package probe

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"envelope/internal/measure"
)

// turns is how often a token goes back and forth in one timed call.
const turns = 200

// goroutineSwitch passes a token between two goroutines of one processor: each
// pass is one switch.
func goroutineSwitch(*bench) (probe, error) {
	return probe{
		method: "a token through unbuffered channels between two goroutines on one processor (GOMAXPROCS 1), per pass", n: 15,
		bounds: "work that is cut into goroutines",
		arm:    measure.Arm{Ops: 2 * turns, Op: onOneProcessor(turns)},
	}, nil
}

// onOneProcessor lets two goroutines play, and waits on a third, unlocked one:
// the measuring goroutine owns a thread, and switching to it would be timed.
func onOneProcessor(n int) func() error {
	ping, pong, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	return func() error {
		procs := runtime.GOMAXPROCS(1)
		defer runtime.GOMAXPROCS(procs)
		go func() {
			for range n {
				<-ping
				pong <- struct{}{}
			}
		}()
		go func() {
			for range n {
				ping <- struct{}{}
				<-pong
			}
			done <- struct{}{}
		}()
		<-done
		return nil
	}
}

// threadHandover passes a byte through two pipes between two threads of the
// operating system: each pass wakes a sleeping thread.
func threadHandover(*bench) (probe, error) {
	var there, back [2]int
	if err := unix.Pipe(there[:]); err != nil {
		return probe{}, err
	}
	if err := unix.Pipe(back[:]); err != nil {
		return probe{}, err
	}
	go echo(there[0], back[1])
	return probe{
		method: "a byte through pipes between two threads, per pass", n: 15,
		bounds: "hand-overs to a worker that sleeps",
		arm:    measure.Arm{Ops: 2 * turns, Op: volley(there[1], back[0], turns)},
		close:  func() { closeAll(there[1], back[0]) },
	}, nil
}

// echo sends every byte back on a thread of its own until the other side
// closes.
func echo(in, out int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var b [1]byte
	for {
		n, err := unix.Read(in, b[:])
		if err == unix.EINTR {
			continue
		}
		if n != 1 || err != nil {
			break
		}
		if _, err := unix.Write(out, b[:]); err != nil {
			break
		}
	}
	closeAll(in, out)
}

// volley sends a byte and waits for it n times.
func volley(out, in, n int) func() error {
	var b [1]byte
	return func() error {
		for range n {
			if _, err := unix.Write(out, b[:]); err != nil {
				return err
			}
			for {
				got, err := unix.Read(in, b[:])
				if err == unix.EINTR {
					continue
				}
				if err != nil {
					return err
				}
				if got != 1 {
					return fmt.Errorf("the other side is gone")
				}
				break
			}
		}
		return nil
	}
}

func closeAll(fds ...int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
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
		method: "start of " + argv[0] + " and wait for its end", n: 15,
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
