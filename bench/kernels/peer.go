package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// peer is the C program, which works when it is asked to and otherwise waits for a line.
type peer struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	banner  string
}

// start runs the program in this process group, without the variables by which a user may have bent OpenBLAS: a forced old core
// type would make a comparison with it worthless.
func start(path string) (*peer, error) {
	p := &peer{command: exec.Command(path)}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OPENBLAS_") && !strings.HasPrefix(v, "OMP_") && !strings.HasPrefix(v, "GOTO_") {
			p.command.Env = append(p.command.Env, v)
		}
	}
	p.command.Stderr = os.Stderr
	in, err := p.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("starting the peer (run.sh builds it): %w", err)
	}
	p.in, p.out = in, bufio.NewScanner(out)
	p.banner, err = p.line()
	return p, err
}

func (p *peer) line() (string, error) {
	if !p.out.Scan() {
		return "", fmt.Errorf("the peer stopped: %v", p.out.Err())
	}
	return p.out.Text(), nil
}

// ask has the peer do one request.
func (p *peer) ask(format string, args ...any) (sample, error) {
	var s sample
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		return s, err
	}
	line, err := p.line()
	if err != nil {
		return s, err
	}
	if _, err := fmt.Sscan(line, &s.wall, &s.cpu, &s.work, &s.check); err != nil {
		return s, fmt.Errorf("reading %q: %w", line, err)
	}
	return s, nil
}

func (p *peer) stop() {
	_ = p.in.Close()
	_ = p.command.Wait()
}
