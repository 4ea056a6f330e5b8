package cli

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"envelope/manifest"
)

// screen starts a sitting on a terminal that is not its controlling one, and waits
// until that shows the text.
func screen(t *testing.T, dir, until string, args ...string) (p *process, master *os.File, seen *strings.Builder) {
	t.Helper()
	master, end := pair(t, 80)
	p = prepare(t, dir, args...)
	p.Env = append(p.Env, "TERM=xterm", "XDG_STATE_HOME="+dir)
	p.Stdin, p.Stdout, p.Stderr = end, end, end
	p.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end.Close()
	seen = new(strings.Builder)
	shows(t, master, seen, until)
	return p, master, seen
}

// shows reads what a terminal shows until the text is there; "" is to the end.
func shows(t *testing.T, master *os.File, seen *strings.Builder, until string) {
	t.Helper()
	for buf := make([]byte, 4096); until == "" || !strings.Contains(seen.String(), until); {
		n, err := master.Read(buf)
		seen.Write(buf[:n])
		if err != nil && until == "" {
			return
		}
		if err != nil {
			t.Fatalf("%q never came, but %q and %v", until, seen, err)
		}
	}
}

// Who leaves twice while the machine is still being measured does not wait for it,
// and finds DIR as it was.
func TestLeftWhilePreparing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, master, seen := screen(t, dir, "at work", "slow", "predict", "good")
	if len(scratch(t, dir)) != 1 {
		t.Errorf("while it prepares: got %v, want one scratch directory", scratch(t, dir))
	}
	if _, err := master.WriteString("\x03\x03"); err != nil {
		t.Fatal(err)
	}
	shows(t, master, seen, "")
	p.ends(manifest.ExitInterrupted)
	noScratch(t, dir)
}

// Whoever closes the window when all is measured has lost nothing.
func TestTerminalGoesAfterMeasuring(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, master, seen := screen(t, dir, "Your prediction", "envelope", "predict", "good")
	enter := func(text, until string) {
		t.Helper()
		if _, err := master.WriteString(text + "\r"); err != nil {
			t.Fatal(err)
		}
		shows(t, master, seen, until)
	}
	enter("2", "commits")
	enter("", "reveals it")
	master.Close()
	p.ends(manifest.ExitHeld)
	kept(t, dir, manifest.Complete, manifest.ExitHeld)
	noScratch(t, dir)
}
