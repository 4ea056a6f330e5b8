package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"charm.land/lipgloss/v2"
	"golang.org/x/sys/unix"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/probe"
	"envelope/manifest"
)

// pair opens a terminal of so many columns: the end of who sits in front of it, and
// the end that a program has.
func pair(t *testing.T, columns int) (master, end *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminal here: ", err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err := errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0),
		unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)})); err != nil {
		t.Fatal(err)
	}
	end, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminal here: ", err)
	}
	t.Cleanup(func() { end.Close() })
	return master, end
}

// terminal opens a terminal of so many columns: the end that a program writes to,
// and all that was written once that end and its copies are closed.
func terminal(t *testing.T, columns int) (end *os.File, text func() string) {
	t.Helper()
	master, end := pair(t, columns)
	var all bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(&all, master) // ends with an error when the last writer has closed
	}()
	return end, func() string {
		end.Close()
		<-done
		return strings.ReplaceAll(all.String(), "\r\n", "\n")
	}
}

// shown runs a program on a terminal of so many columns, and returns what the
// terminal got.
func shown(t *testing.T, columns int, term string, args ...string) string {
	t.Helper()
	end, text := terminal(t, columns)
	p := prepare(t, t.TempDir(), args...)
	p.Env = append(p.Env, "TERM="+term, "NO_COLOR=", "COLORTERM=", "CLICOLOR_FORCE=", "TMUX=", "XDG_STATE_HOME="+p.Dir)
	p.Stdout = end
	var errs bytes.Buffer
	if p.Stderr = &errs; !strings.HasPrefix(strings.Join(args, " "), "envelope run bad") { // whose bar draws over itself
		p.Stderr = end
	}
	p.Run() // with any exit code
	if out := text(); out != "" {
		return out
	}
	t.Fatalf("%v on %d columns: nothing was shown; on standard error %q", args, columns, &errs)
	return ""
}

// Nothing leaves a terminal: what would is wrapped, and its rest indented.
func TestTerminalWidth(t *testing.T) {
	for _, args := range []string{
		"envelope list", "envelope show good", "envelope doctor", "envelope run bad wild noisy away --results none", "envelope controls bad noisy",
		"envelope floor 1MB --took 25us", "envelope floor 1MB", "envelope divide 1MiB/dram-copy+1MB/dram-copy", "envelope drill", "envelope axioms fsync-flash core-peak", "envelope run --help", "envelope compare --help", "envelope rerun --help",
		"envelope", "envelope show nosuchlab", "envelope predict good --answer a-name-that-is-rather-long=1", "envelope verify a-file-that-is-not-there-and-has-a-long-name",
		"envelope report results.json", "envelope report --help", "real list", "real show slots", "real show barrier",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			sizes := []int{50, 80}
			if args == "envelope" { // the list of commands is a table
				sizes = sizes[1:]
			}
			for _, columns := range sizes {
				out := shown(t, columns, "xterm", strings.Fields(args)...)
				for line := range strings.Lines(out) {
					if w := lipgloss.Width(strings.TrimRight(line, "\n")); w > columns {
						t.Errorf("%d columns on a terminal of %d: %q", w, columns, line)
					}
				}
			}
		})
	}
}

// A page is not poured into a terminal; nothing of the run is read before that.
func TestReportLeavesTerminalsAlone(t *testing.T) {
	const want = "envelope: a page is no text for a terminal: name a file for it, with -o page.html, or\nredirect the output\n"
	if out := shown(t, 80, "xterm", "envelope", "report", "nowhere.json"); strings.Join(strings.Fields(out), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("got %q, want %q", out, want)
	}
	if out := shown(t, 80, "xterm", "envelope", "report", "nowhere.json", "-o", "page.html"); !strings.Contains(out, "nowhere.json: no such file") {
		t.Errorf("got %q, want that there is no run", out)
	}
}

// The list of axioms has room on an ordinary terminal, with every one measured.
func TestAxiomsFit(t *testing.T) {
	var all []axioms.Measured
	for _, c := range axioms.All() {
		if !slices.Contains(probe.Names(), c.Name) {
			continue
		}
		low, high := c.Quantity, c.Quantity
		low.Value, high.Value = c.Quantity.Value*0.987, c.Quantity.Value*1.03
		all = append(all, axioms.Measured{Name: c.Name, Quantity: c.Quantity, Low: low, High: high, N: 21, Method: "given", Bounds: "nothing"})
	}
	dir := t.TempDir()
	if _, err := probe.Save(dir, probe.Taken{Time: time.Now(), Environment: host.Here(dir), Axioms: all}); err != nil {
		t.Fatal(err)
	}
	out := shown(t, 80, "xterm", "envelope", "axioms", "--state", dir, "--dir", dir)
	if !strings.Contains(out, "thread-handover") {
		t.Errorf("got %q, want all axioms", out)
	}
	for line := range strings.Lines(out) {
		if w := lipgloss.Width(strings.TrimRight(line, "\n")); w > 80 {
			t.Errorf("%d columns on a terminal of 80: %q", w, line)
		}
	}
}

// A comparison stays inside a terminal, and has a claim and its figures in one row
// only where there is room.
func TestComparisonFits(t *testing.T) {
	file := two(t)
	check := func(columns int, row string, names ...string) {
		t.Helper()
		out := colourless(shown(t, columns, "xterm", append([]string{"later", "compare"}, names...)...))
		for line := range strings.Lines(out) {
			if w := lipgloss.Width(strings.TrimRight(line, "\n")); w > columns {
				t.Errorf("%d columns on a terminal of %d: %q", w, columns, line)
			}
		}
		if !strings.Contains(out, row) {
			t.Errorf("%d columns: got\n%s\nwant %q", columns, out, row)
		}
	}
	check(40, "\n  never-holds\n    A  0 to 12 failed\n    B  0, differs\n", file)
	check(60, "\n  never-holds\n    0 to 12 failed", file)
	check(80, "\n  never-holds      0 to 12 failed      0                  differs\n", file)
	check(200, "\n  never-holds      0 to 12 failed      0                  differs\n", file)
	check(60, "\n  never-holds\n    A  0 to 12 failed\n    B  0, differs\n    C  0 to 12 failed, equal\n", file+"#1", file+"#2", file+"#1")
}

// Prose does not become wider than can be read, however wide the terminal.
func TestTerminalIsWide(t *testing.T) {
	widths := func(columns int) (most int) {
		for line := range strings.Lines(shown(t, columns, "xterm", "real", "show", "slots")) {
			most = max(most, lipgloss.Width(strings.TrimRight(line, "\n")))
		}
		return most
	}
	if got := widths(300); got <= usual || got > widest {
		t.Errorf("got %d columns, want over %d and at most %d", got, usual, widest)
	}
	if got := widths(10); got > narrowest+10 || got < narrowest-10 { // a claim's name is wider
		t.Errorf("got %d columns on a terminal of 10, want about %d", got, narrowest)
	}
	if got := widths(0); got > usual || got < usual-20 {
		t.Errorf("got %d columns on a terminal that does not say, want %d", got, usual)
	}
}

// A terminal gets bold and colours, but where it can't show them.
func TestTerminalLooks(t *testing.T) {
	check := func(term string, want bool, args ...string) {
		t.Helper()
		if got := strings.Contains(shown(t, 80, term, args...), "\x1b["); got != want {
			t.Errorf("%v on %s: escapes %v, want %v", args, term, got, want)
		}
	}
	check("xterm", true, "envelope", "list")
	check("dumb", false, "envelope", "list")
	check("xterm", true, "envelope", "run", "bad", "--results", "none")
}

// seated starts a sitting on a terminal that is not its controlling one, so that no
// signal comes from there, and waits until it has asked its question.
func seated(t *testing.T, dir string) (p *process, master *os.File) {
	t.Helper()
	master, end := pair(t, 80)
	p = prepare(t, dir, "envelope", "predict", "good")
	p.Env = append(p.Env, "TERM=xterm", "XDG_STATE_HOME="+dir)
	p.Stdin, p.Stdout, p.Stderr = end, end, end
	p.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end.Close()
	var seen strings.Builder
	for buf := make([]byte, 4096); !strings.Contains(seen.String(), "Your prediction"); {
		n, err := master.Read(buf)
		if err != nil {
			t.Fatalf("no question came, but %q and %v", seen.String(), err)
		}
		seen.Write(buf[:n])
	}
	if len(scratch(t, dir)) != 1 {
		t.Errorf("while it asks: got %v, want one scratch directory", scratch(t, dir))
	}
	return p, master
}

// Who closes the window, or says that the input ends, has left: nothing is
// registered, and nothing stays.
func TestTerminalGoes(t *testing.T) {
	check := func(name string, leave func(master *os.File) error) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p, master := seated(t, dir)
			if err := leave(master); err != nil {
				t.Fatal(err)
			}
			p.ends(manifest.ExitInterrupted)
			noScratch(t, dir)
			for _, name := range []string{"results.json", "envelope/predictions.jsonl"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
					t.Errorf("%s was written", name)
				}
			}
		})
	}
	check("hung up", func(master *os.File) error { return master.Close() })
	check("end of input", func(master *os.File) error {
		go io.Copy(io.Discard, master)
		_, err := master.WriteString("\x04")
		return err
	})
}
