// Package childtest starts the test binary again, as a process that may be
// killed, run out of disk or be another user.
package childtest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
)

// Command is the test binary again, not started yet, with v in the environment
// under that name. Main in its TestMain takes it from there.
func Command(t testing.TB, name string, v any) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), name+"="+string(text))
	return cmd
}

// Main runs the child that this process is, if Command started it, and does not
// return then.
func Main[T any](name string, run func(T) int) {
	text, ok := os.LookupEnv(name)
	if !ok {
		return
	}
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(run(v))
}

// Confine makes a process that cannot write files of more than quota bytes, as on
// a full disk, and runs as the user with that id. 0 leaves either as it is.
func Confine(quota uint64, uid int) error {
	if quota > 0 {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: quota, Max: quota}); err != nil {
			return err
		}
	}
	if uid > 0 {
		for _, err := range []error{syscall.Setgroups(nil), syscall.Setgid(uid), syscall.Setuid(uid)} {
			if err != nil {
				return err
			}
		}
	}
	return nil
}
