package cli

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"envelope/internal/measure"
	"envelope/manifest"
)

// A run that is stopped says so in its exit code and in the manifest, and leaves
// nothing on the disk.
func TestStopped(t *testing.T) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := prepare(t, dir, "envelope", "run", "hang").start()
			p.says("at work")
			if len(scratch(t, dir)) != 1 {
				t.Errorf("at work: got %v, want one directory", scratch(t, dir))
			}
			p.signal(s)
			p.says("envelope: stopping; once more to stop at once")
			p.ends(manifest.ExitInterrupted)
			run := kept(t, dir, manifest.Interrupted, manifest.ExitInterrupted)
			if c := run.Labs[0].Claims[0]; c.Verdict != measure.Void || c.Reason != measure.Interrupted {
				t.Errorf("got %v (%s), want void (interrupted)", c.Verdict, c.Reason)
			}
			noScratch(t, dir)
		})
	}
}

// A second signal, not right behind the first, ends a run that does not heed it,
// and takes the scratch files with it.
func TestStoppedAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := prepare(t, dir, "envelope", "run", "stuck").start()
	p.says("at work")
	p.signal(os.Interrupt)
	p.says("stopping")
	ended := make(chan struct{})
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				p.Process.Signal(os.Interrupt)
			}
		}
	}()
	p.ends(manifest.ExitInterrupted)
	close(ended)
	if _, err := os.Stat(dir + "/results.json"); err == nil {
		t.Error("a run that was cut short was appended")
	}
	noScratch(t, dir)
}

// Whoever starts a run with nohup wants it to outlive the terminal.
func TestHangupIgnored(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell here: ", err)
	}
	dir := t.TempDir()
	p := prepare(t, dir, "sh", "-c", `trap "" HUP; exec envelope run hang`).start()
	p.says("at work")
	p.signal(syscall.SIGHUP)
	p.signal(syscall.SIGHUP)
	p.stdin.Close() // what the lab waits for
	p.ends(manifest.ExitHeld)
	kept(t, dir, manifest.Complete, manifest.ExitHeld)
	noScratch(t, dir)
}

func TestControlsStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := prepare(t, dir, "envelope", "controls", "hang").start()
	p.says("at work")
	p.signal(os.Interrupt)
	p.says("envelope: interrupted")
	p.ends(manifest.ExitInterrupted)
	noScratch(t, dir)
}

// The registry, stopped while the axioms of this machine are measured: all is
// void, and the file still bears checking.
func TestRealRunStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := prepare(t, dir, "real", "run", "all").start()
	p.says("measuring the axioms")
	p.signal(os.Interrupt)
	p.ends(manifest.ExitInterrupted)
	kept(t, dir, manifest.Interrupted, manifest.ExitInterrupted)
	noScratch(t, dir)
	prepare(t, dir, "real", "verify", "results.json").start().ends(0)
}
