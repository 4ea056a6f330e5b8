// Pipelining holds the server of lab pipelining against Redis, in turn, with
// redis-benchmark over a Unix socket in the same directory, and prints the ratios
// of commands per second and of processor time for a command:
//
//	go run ./bench/pipelining [-dir DIR] [-rounds 10]
//
// redis-server and redis-benchmark must be in PATH. Neither server writes anything
// down in the first four rows; in the others both sync their log before each reply.
package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"envelope/internal/measure"
	"envelope/internal/resp"
)

// row is one load.
type row struct {
	test           string
	clients, depth int
	n              int // commands
	log            bool
}

var rows = []row{
	{"set", 50, 1, 60_000, false}, {"get", 50, 1, 60_000, false},
	{"set", 50, 128, 2_000_000, false}, {"get", 50, 128, 2_000_000, false},
	{"set", 1, 1, 1_000, true}, {"set", 50, 1, 20_000, true},
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "serve" {
		fail(serve(os.Args[2], os.Args[3]))
	}
	dir := flag.String("dir", ".", "directory for the sockets and logs")
	rounds := flag.Int("rounds", 10, "turns of each server")
	flag.Parse()
	fail(run(*dir, *rounds))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/pipelining:", err)
		os.Exit(1)
	}
}

// serve is the server in a process of its own, with the garbage collector set as
// the lab sets it.
func serve(socket, log string) error {
	runtime.LockOSThread()
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(64 << 20)
	o := resp.Options{Socket: socket, Hz: 10}
	if log != "-" {
		o.Log, o.Policy = log, resp.Always
	}
	s, err := resp.Open(o)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Run()
}

func run(dir string, rounds int) error {
	dir, err := os.MkdirTemp(dir, "bench-pipelining-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	for _, log := range []bool{false, true} {
		if err := compare(dir, rounds, log); err != nil {
			return err
		}
	}
	return nil
}

// peer is one of the two servers.
type peer struct {
	cmd    *exec.Cmd
	socket string
}

func (p peer) stop() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

func start(socket string, name string, args ...string) (peer, error) {
	p := peer{exec.Command(name, args...), socket}
	p.cmd.Dir, p.cmd.Stderr = filepath.Dir(socket), os.Stderr
	if err := p.cmd.Start(); err != nil {
		return p, err
	}
	for range 500 {
		if _, err := os.Stat(socket); err == nil {
			return p, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.stop()
	return p, fmt.Errorf("%s has made no socket in 5 s", name)
}

// compare runs the rows with a log or without, the two servers by turns.
func compare(dir string, rounds int, log bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	suffix, file, keep := strconv.FormatBool(log), "-", []string{"--appendonly", "no"}
	if log {
		file, keep = filepath.Join(dir, "own.log"), []string{"--appendonly", "yes", "--appendfsync", "always"}
	}
	own, err := start(filepath.Join(dir, "own-"+suffix), self, "serve", filepath.Join(dir, "own-"+suffix), file)
	if err != nil {
		return err
	}
	defer own.stop()
	theirs, err := start(filepath.Join(dir, "redis-"+suffix), "redis-server", append([]string{"--port", "0", "--save", "",
		"--unixsocket", filepath.Join(dir, "redis-"+suffix), "--auto-aof-rewrite-percentage", "0"}, keep...)...)
	if err != nil {
		return err
	}
	defer theirs.stop()
	for _, r := range rows {
		if r.log != log {
			continue
		}
		var speed, work, speeds, works, theirSpeeds, theirWorks []float64
		for i := range rounds {
			var v [2][2]float64 // of own and theirs: commands a second, seconds of processor time a command
			for _, turn := range []int{i % 2, 1 - i%2} {
				if v[turn][0], v[turn][1], err = r.load([]peer{own, theirs}[turn]); err != nil {
					return err
				}
			}
			speed, work = append(speed, v[0][0]/v[1][0]), append(work, v[0][1]/v[1][1])
			speeds, works = append(speeds, v[0][0]), append(works, v[0][1])
			theirSpeeds, theirWorks = append(theirSpeeds, v[1][0]), append(theirWorks, v[1][1])
		}
		low, high, _ := measure.MedianInterval(speed, 0.95)
		fmt.Printf("%s, %d clients, depth %d, log synced %v: own / redis %.2f (%.2f to %.2f, n %d) commands/s, %.2f processor time; own %.0f/s and %.2f µs, redis %.0f/s and %.2f µs\n",
			r.test, r.clients, r.depth, log, mid(speed), low, high, rounds, mid(work), mid(speeds), 1e6*mid(works), mid(theirSpeeds), 1e6*mid(theirWorks))
	}
	return nil
}

func mid(v []float64) float64 { return slices.Sorted(slices.Values(v))[len(v)/2] }

// load runs redis-benchmark once.
func (r row) load(p peer) (perSecond, cpu float64, err error) {
	before, err := processorTime(p.cmd.Process.Pid)
	if err != nil {
		return 0, 0, err
	}
	out, err := exec.Command("redis-benchmark", "-s", p.socket, "-t", r.test, "-c", strconv.Itoa(r.clients),
		"-P", strconv.Itoa(r.depth), "-n", strconv.Itoa(r.n), "-r", "1000", "--csv").Output()
	if err != nil {
		return 0, 0, fmt.Errorf("running redis-benchmark: %w", err)
	}
	after, err := processorTime(p.cmd.Process.Pid)
	if err != nil {
		return 0, 0, err
	}
	lines, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
	if err != nil || len(lines) != 2 || len(lines[1]) < 2 {
		return 0, 0, fmt.Errorf("redis-benchmark printed %.200q, %v; want a header and a line", out, err)
	}
	perSecond, err = strconv.ParseFloat(lines[1][1], 64)
	return perSecond, (after - before) / float64(r.n), err
}

// processorTime is what a process has used, in seconds, by the kernel's ticks of
// 10 ms.
func processorTime(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ") // behind the name, which may hold anything
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat is %q", pid, text)
	}
	user, err1 := strconv.ParseFloat(fields[11], 64)
	system, err2 := strconv.ParseFloat(fields[12], 64)
	if err1 != nil || err2 != nil {
		return 0, fmt.Errorf("/proc/%d/stat is %q", pid, text)
	}
	return (user + system) / 100, nil
}
