package ledger

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/internal/child/childtest"
)

// child is what a copy of the test binary is told to do.
type child struct {
	Dir   string
	Die   string // step of the first registration at which it kills itself
	N     int    // registrations to make, 0 for no end
	Quota uint64 // largest file that it may write
	UID   int    // whom it runs as, 0 for the same user
}

const childEnv = "ENVELOPE_TEST_LEDGER"

func TestMain(m *testing.M) {
	childtest.Main(childEnv, child.run)
	flag.Parse()
	if f := flag.Lookup("rapid.seed"); f != nil && f.Value.String() == "0" {
		flag.Set("rapid.seed", "20260517") // the same properties on every run
	}
	os.Exit(m.Run())
}

// run registers, and prints the hash that it was shown for each registration.
func (c child) run() int {
	if err := childtest.Confine(c.Quota, c.UID); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	l, _, err := Open(c.Dir)
	if err == nil && c.Die != "" {
		l.Watch(func(step string) {
			if step == c.Die {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		})
	}
	for i := 0; err == nil && (c.N == 0 || i < c.N); i++ {
		var seal string
		if _, seal, err = l.Register(start, []Answer{answer("lab/one"), answer("lab/two")}); err == nil {
			fmt.Println(seal)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// command returns the command of a child that was not started yet.
func (c child) command(t *testing.T) *exec.Cmd {
	t.Helper()
	return childtest.Command(t, childEnv, c)
}

var start = time.Date(2026, 5, 17, 9, 30, 0, 123456789, time.UTC)

// answer is a prediction of 300 µs for a question of that name.
func answer(question string) Answer {
	return Answer{Question: question, Text: "How long?", Value: axioms.Seconds(300e-6)}
}

func mustOpen(t *testing.T, dir string) *Ledger {
	t.Helper()
	l, messages, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(messages) > 0 {
		t.Fatalf("messages %q, want none", messages)
	}
	return l
}
