package pipelining

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"envelope/internal/child"
	"envelope/internal/resp"
)

// A server runs in a process of its own, in its own directory, and is steered by
// lines at its standard input, which it answers in lines.
const (
	socketName = "sock"
	logName    = "log"

	listening = "listening"
	holding   = "holding" // the loop rests until "go"
	resumed   = "resumed"
)

// setup is how a server is started: it goes to the child as one argument.
type setup struct {
	Log    bool        `json:",omitempty"`
	Policy resp.Policy `json:",omitempty"`
	Faults resp.Faults
	// Stop, where it is not empty, is the step at which the server stops for good
	// once its log has After records.
	Stop  string `json:",omitempty"`
	After uint64 `json:",omitempty"`
}

// report is what a server says of itself.
type report struct {
	resp.Counts
	CPU       time.Duration // that the process has used
	All, Dead int           // keys
}

func stopped(step string) string { return "stopped " + step }

// serve is the child that runs a server.
func serve(args []string) int {
	return child.Main(func() error {
		if len(args) != 1 {
			return fmt.Errorf("want a setup, got %q", args)
		}
		var u setup
		if err := json.Unmarshal([]byte(args[0]), &u); err != nil {
			return fmt.Errorf("reading the setup: %w", err)
		}
		return u.run()
	})
}

func (u setup) run() error {
	// The loop is the only one that works here; a collection would work beside it, on the processor of its clients.
	runtime.LockOSThread()
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(64 << 20)
	o := resp.Options{Socket: socketName, Policy: u.Policy, Control: command, Faults: u.Faults}
	if u.Log {
		o.Log = logName
	}
	if u.Stop != "" {
		o.At = func(s resp.Step, sequence uint64) error {
			if s.String() == u.Stop && sequence >= u.After {
				return child.Stay(stopped(u.Stop))
			}
			return nil
		}
	}
	s, err := resp.Open(o)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := child.Say(listening); err != nil {
		return err
	}
	return s.Run()
}

// command carries out a line.
func command(s *resp.Server, line string) error {
	name, argument, _ := strings.Cut(line, " ")
	n, _ := strconv.Atoi(argument)
	switch name {
	case "report":
	case "advance":
		s.Advance(time.Duration(n) * time.Millisecond)
	case "cycle":
		for range n {
			s.Cycle()
		}
	case "hold":
		if err := child.Say(holding); err != nil {
			return err
		}
		// Nothing else comes before the answer to this line.
		if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
			return err
		}
		return child.Say(resumed)
	default:
		return fmt.Errorf("unknown command %q", line)
	}
	return answer(s)
}

func answer(s *resp.Server) error {
	r := report{Counts: s.Report()}
	r.All, r.Dead = s.Keys()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return fmt.Errorf("getrusage: %w", err)
	}
	r.CPU = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return child.Say(string(text))
}
