package ledger

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"envelope/axioms"
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
	if text := os.Getenv(childEnv); text != "" {
		var c child
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(c.run())
	}
	flag.Parse()
	if f := flag.Lookup("rapid.seed"); f != nil && f.Value.String() == "0" {
		flag.Set("rapid.seed", "20260517") // the same properties on every run
	}
	os.Exit(m.Run())
}

// run registers, and prints the hash that it was shown for each registration.
func (c child) run() int {
	if c.Quota > 0 {
		signal.Ignore(syscall.SIGXFSZ)
		l := syscall.Rlimit{Cur: c.Quota, Max: c.Quota}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	if c.UID > 0 {
		for _, err := range []error{syscall.Setgroups(nil), syscall.Setgid(c.UID), syscall.Setuid(c.UID)} {
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 2
			}
		}
	}
	l, _, err := Open(c.Dir)
	if err == nil && c.Die != "" {
		l.at = func(step string) {
			if step == c.Die {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
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
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	return cmd
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
