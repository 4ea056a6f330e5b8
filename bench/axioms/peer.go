package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"envelope/internal/measure"
	"envelope/internal/probe"
)

// differ says where two honest figures need not agree.
var differ = map[string]string{
	"thread-handover": placed, "tcp-round-trip": placed, "unix-round-trip": placed,
	"clock":            "Go's reading changes to the system stack first",
	"process-start":    "Go's start also opens a descriptor of the child and reads a pipe to learn that exec succeeded",
	"sha256":           "openssl, whose seconds are those of its own processor time",
	"goroutine-switch": "package testing; C has no goroutines",
	"deflate":          "package testing; what a library of C chooses to do at its fastest level is other work",
}

const placed = "two modes, both threads on one CPU or each on its own; which one a round meets is the kernel's choice, and beside other load the " +
	"median lies between them: the shortest fifth is of one mode"

// peer is the C program, which waits for requests.
type peer struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	load    string // before anything was measured
}

// start compiles the program and starts it.
func start(ctx context.Context, source, dir string) (*peer, error) {
	files, err := filepath.Glob(filepath.Join(source, "*.c"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no C program in %s: run this from the repository root, or set -peer", source)
	}
	p := &peer{load: load()}
	program := filepath.Join(dir, "peer")
	args := append([]string{"-O2", "-Wall", "-Wextra", "-o", program}, files...)
	if text, err := exec.CommandContext(ctx, "cc", append(args, "-lpthread")...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling the C program: %w\n%s", err, text)
	}
	p.command = exec.CommandContext(ctx, program, dir)
	p.command.Stderr = os.Stderr
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.command.Start()
}

// stop ends the program: it reads the end of its requests.
func (p *peer) stop() {
	p.in.Close()
	p.command.Wait()
}

var errSkipped = errors.New("skipped")

// ask takes one sample, in seconds or in seconds a byte.
func (p *peer) ask(name string, size int) (float64, error) {
	if _, err := fmt.Fprintf(p.in, "%s %d\n", name, size); err != nil {
		return 0, fmt.Errorf("asking the C program: %w", err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("the C program's answer: %w", err)
	}
	line = strings.TrimSpace(line)
	if why, ok := strings.CutPrefix(line, "skip "); ok {
		return 0, fmt.Errorf("%w: %s", errSkipped, why)
	}
	v, err := strconv.ParseFloat(line, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("the C program answered %q: want a time", line)
	}
	return v, nil
}

// arms makes an arm for each quantity, in the order of probe.Names.
func (p *peer) arms(rings map[string]int, rounds int) []measure.Single {
	var arms []measure.Single
	for _, name := range probe.Names() {
		ask, n := func() (float64, error) { return p.ask(name, rings[name]) }, rounds
		if name == "sha256" {
			ask, n = openssl, min(rounds, 8) // each takes a second
		}
		if f := byTesting[name]; f != nil {
			ask, n = f, min(rounds, 20) // each takes a tenth of one
		}
		arms = append(arms, measure.Single{N: n, Group: name, Arm: measure.Arm{Name: name, Unit: "s", Count: ask}})
	}
	return arms
}

// openssl lets openssl hash for a second of processor time, and returns seconds
// a byte.
func openssl() (float64, error) {
	path, err := exec.LookPath("openssl")
	if err != nil {
		return 0, fmt.Errorf("%w: there is no openssl here", errSkipped)
	}
	// With -mr a line begins with +F, and ends with bytes a second.
	text, err := exec.Command(path, "speed", "-mr", "-seconds", "1", "-bytes", "262144", "-evp", "sha256").Output()
	if err != nil {
		return 0, fmt.Errorf("openssl speed: %w", err)
	}
	for line := range bytes.Lines(text) {
		fields := strings.Split(strings.TrimSpace(string(line)), ":")
		if fields[0] != "+F" {
			continue
		}
		rate, err := strconv.ParseFloat(fields[len(fields)-1], 64)
		if err == nil && rate > 0 {
			return 1 / rate, nil
		}
	}
	return 0, fmt.Errorf("openssl speed told no rate: %q", text)
}

// load is the load average of the last minute.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(text), " ")
	return one
}
