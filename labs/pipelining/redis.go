package pipelining

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"envelope/internal/child"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/internal/resp"
)

// Before version 7 some errors had other words. What the corpus was recorded from
// is 7.0; another version may have changed a word since, which is no fault of
// anybody's.
const (
	oldest   = 7
	recorded = "7.0."
)

// real is a Redis to be compared with.
type real struct {
	process *child.Process // the warden of our own; nil where it is somebody's
	dir     string
	address string
	version string
}

// errNone says why there is no Redis to compare with.
type errNone string

func (e errNone) Error() string { return string(e) }

// findReal takes the server at the address that the user gave, or starts one of
// our own. One that happens to listen somewhere is somebody's, and left alone.
func (b *bench) findReal(ctx context.Context) (*real, error) {
	re := &real{address: b.Redis}
	if b.Redis == "" {
		path, err := exec.LookPath("redis-server")
		if err != nil {
			return nil, errNone("there is no redis-server in PATH, and no --redis ADDR was given")
		}
		re.dir = b.directory()
		if err := re.start(ctx, b.Run, path); err != nil {
			return nil, err
		}
	}
	if err := re.look(ctx); err != nil {
		re.close()
		return nil, err
	}
	return re, nil
}

// start has a warden start a Redis in a directory of its own.
func (re *real) start(ctx context.Context, r *lab.Run, path string) error {
	if err := os.Mkdir(re.dir, 0o700); err != nil {
		return child.Bare(err)
	}
	cmd := r.Child("redis", path)
	cmd.Dir = re.dir
	p, err := child.Start(ctx, cmd, child.Options{Outlives: true, Stop: (*child.Process).EndInput})
	if err != nil {
		return err
	}
	re.process = p
	line, err := p.Line()
	if why, ok := strings.CutPrefix(line, neverStarts); ok && err == nil {
		err = errNone("the redis-server in PATH " + neverStarts + why)
	} else if err == nil && line != listening {
		err = p.Nonsense(line, listening)
	}
	if err != nil {
		re.close()
	}
	return err
}

// close ends a Redis of our own in order: a warden that was killed could not.
func (re *real) close() {
	if re.process != nil {
		re.process.EndInput()
		re.process.Wait(patience)
		re.process.Close()
	}
}

// dial connects to it. Its errors do not name the address, which is nobody's
// business.
func (re *real) dial() (net.Conn, error) {
	if re.process != nil {
		return connection(re.dir, socketName)
	}
	network := "tcp"
	if strings.Contains(re.address, "/") {
		network = "unix"
	}
	c, err := net.DialTimeout(network, re.address, patience)
	if err != nil {
		var errno syscall.Errno
		if errors.As(err, &errno) {
			return nil, fmt.Errorf("connecting to the address of --redis: %w", errno)
		}
		return nil, errors.New("connecting to the address of --redis: it can't be resolved, is not HOST:PORT or a path, or does not answer")
	}
	return c, nil
}

// look asks it what it is.
func (re *real) look(ctx context.Context) error {
	c, err := re.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	got, err := converse(ctx, c, resp.AppendRequest(nil, []byte("INFO"), []byte("server")))
	if err != nil {
		return err
	}
	if code := refusal(got); code != "" {
		return errNone("the server refuses to say what it is: " + code)
	}
	_, text, ok := bytes.Cut(got, []byte("redis_version:"))
	if !ok {
		return errNone("the server does not say which version of Redis it is")
	}
	version, _, _ := strings.Cut(string(text), "\r")
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	if err != nil || len(version) > 32 {
		return errNone(fmt.Sprintf("the server says that it is version %.32q", version))
	}
	if n < oldest {
		return errNone(fmt.Sprintf("this is Redis %s, and the corpus has the replies of version %d and later", version, oldest))
	}
	re.version = version
	return nil
}

// refusals are errors that a server makes for reasons of its own: that it is a
// replica, a part of a cluster, out of memory, or that this user may not. Those of
// the corpus are all called ERR.
var refusals = regexp.MustCompile(`(?m)^-([A-Z]+) `)

// refusal is the name of the first such error; "" where there is none. What
// follows it may name the server's machines, and is not quoted.
func refusal(replies []byte) string {
	for _, m := range refusals.FindAllSubmatch(replies, -1) {
		if string(m[1]) != "ERR" {
			return string(m[1])
		}
	}
	return ""
}

// replies sends the corpus to both servers and compares what they say.
func (b *bench) replies(ctx context.Context) error {
	scenarios, err := corpus(corpusText)
	if err != nil {
		return err
	}
	re, err := b.findReal(ctx)
	if none := errNone(""); errors.As(err, &none) {
		b.Void(sameReplies, measure.Unreachable, "%s", none)
		return nil
	}
	if err != nil {
		return err
	}
	defer re.close()
	own, err := start(ctx, b.Run, b.directory(), setup{})
	if err != nil {
		return err
	}
	defer own.Close()
	commands := 0
	var differ []float64
	where := ""
	for _, s := range scenarios {
		if s.scans && re.process == nil {
			continue // its owner may have many keys
		}
		n, err := b.compare(ctx, s, own, re)
		if none := errNone(""); errors.As(err, &none) {
			b.Void(sameReplies, measure.Unreachable, "%s", none)
			return nil
		}
		if err != nil {
			return fmt.Errorf("scenario %s: %w", s.name, err)
		}
		if n > 0 && where == "" {
			where = fmt.Sprintf("in scenario %s %d bytes of the replies differ", s.name, n)
			b.Note("%s", where)
		}
		differ = append(differ, float64(n))
		commands += len(s.lines)
	}
	if where != "" && !strings.HasPrefix(re.version, recorded) && !b.Sabotaged(oneReplyWrong) {
		b.Void(sameReplies, measure.Unreachable, "this is Redis %s, the corpus was made with %sx, and %s", re.version, recorded, where)
		return nil
	}
	b.Observe(sameReplies, differ...)
	b.Note("%d commands in %d scenarios were put to this server and to Redis %s", commands, len(differ), re.version)
	return nil
}

// tries is how often a scenario may come out otherwise before it counts: between
// two commands that speak of time a second may end on one of the two servers.
const tries = 3

func (b *bench) compare(ctx context.Context, s scenario, own *server, re *real) (differ int, err error) {
	for i := range tries {
		rng := b.Rand(fmt.Sprintf("prefix of %s, %d", s.name, i))
		requests, err := s.requests(fmt.Sprintf("envelope:%016x:", rng.Uint64()))
		if err != nil {
			return 0, err
		}
		ours, err := b.ask(ctx, func() (net.Conn, error) { return connection(own.dir, socketName) }, requests)
		if err != nil {
			return 0, err
		}
		theirs, err := b.ask(ctx, re.dial, requests)
		if err != nil {
			return 0, err
		}
		if code := refusal(theirs); code != "" {
			return 0, errNone("the server refuses commands of scenario " + s.name + ": " + code)
		}
		if b.Sabotaged(oneReplyWrong) && len(ours) > 0 {
			ours[rng.IntN(len(ours))] ^= 1
		}
		if differ = differing(ours, theirs); differ == 0 {
			break
		}
	}
	return differ, nil
}

func (b *bench) ask(ctx context.Context, dial func() (net.Conn, error), requests []byte) ([]byte, error) {
	c, err := dial()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return converse(ctx, c, requests)
}
