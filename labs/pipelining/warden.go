package pipelining

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"envelope/internal/child"
)

// neverStarts begins what a warden says where there is no Redis to be had.
const neverStarts = "does not start: "

// warden is the child that keeps a Redis: its argument is the program's path. A
// Redis does not end with its parent of itself. The warden does not die with the
// run; its standard input ends then, and it ends the Redis.
func warden(args []string) int {
	return child.Main(func() error {
		if len(args) != 1 {
			return fmt.Errorf("want the path of a program, got %q", args)
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		p, err := child.Start(ctx, redisCommand(args[0]), child.Options{Patience: wardenPatience})
		if err != nil {
			return child.Say(neverStarts + err.Error())
		}
		defer p.Close()
		go func() {
			io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
		said := false
		for { // until the input ends, or Redis does
			line, err := p.Line()
			if ctx.Err() != nil {
				return nil
			}
			if err != nil && !said {
				return child.Say(neverStarts + strings.ReplaceAll(err.Error(), "\n", " "))
			}
			if err != nil {
				return err
			}
			if !said && strings.Contains(line, "eady to accept connections") {
				said = true
				if err := child.Say(listening); err != nil {
					return err
				}
			}
		}
	})
}

// wardenPatience is how long a Redis may live: a corpus takes a fraction of it.
const wardenPatience = time.Minute

// redisCommand is a Redis that listens on a Unix socket in the working directory
// alone, and keeps nothing.
func redisCommand(path string) *exec.Cmd {
	return exec.Command(path, "--port", "0", "--unixsocket", socketName, "--unixsocketperm", "700",
		"--save", "", "--appendonly", "no", "--daemonize", "no", "--logfile", "")
}
