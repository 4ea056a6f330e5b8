package pipelining

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"envelope/internal/child"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/internal/resp"
)

// aim is one trial: where a server is killed.
type aim struct {
	seed   uint64
	policy resp.Policy
	step   string // where it has stopped; "" where it runs
	after  int    // records in the log, or acknowledgements where it runs
}

var policies = []resp.Policy{resp.Always, resp.EverySecond, resp.Never}

// aims are the trials of a run: every other one finds the server stopped at a
// step, the others as it runs.
func (b *bench) aims() []aim {
	n := defaultKills
	if b.Full {
		n = 2000
	} else if b.Barrier > 0 {
		// A trial of policy always takes some ten barriers, and four run at once.
		n = max(min(n, 24), min(n, int(12*killTime/(10*b.Barrier))))
	}
	rng := b.Rand("kills")
	out := make([]aim, n)
	for i := range out {
		a := aim{seed: rng.Uint64(), policy: policies[i/2%3], after: 1 + rng.IntN(24)}
		if i%2 == 0 {
			a.step = resp.Step(i / 2 % int(resp.Steps)).String()
			if a.step == resp.Synced.String() {
				a.policy = resp.Always // the others pass it once a second at most
			}
		}
		out[i] = a
	}
	return out
}

// killTime is what a default run has for its kills. Tests make fewer.
const killTime = 2 * time.Second

var defaultKills = 90

// outcome is what a kill left.
type outcome struct {
	acked, lost int
	records     int // of the log that was left
}

// kills kills servers and looks for what they had acknowledged.
func (b *bench) kills(ctx context.Context) error {
	aims := b.aims()
	out := make([]outcome, len(aims))
	var mu sync.Mutex
	done := 0
	err := child.Pool(ctx, len(aims), func(ctx context.Context, i int) (err error) {
		dir := filepath.Join(b.Dir, "killed-"+strconv.Itoa(i))
		defer os.RemoveAll(dir)
		out[i], err = aims[i].fire(ctx, b, dir)
		mu.Lock()
		defer mu.Unlock()
		done++
		b.Step(b.done + b.part*float64(done)/float64(len(aims)))
		return err
	})
	if err != nil {
		return err
	}
	t := lab.Table{Title: "SIGKILL, by where the server was in its loop", Header: []string{"step", "kills", "acknowledged", "lost"}}
	losing := 0
	for s := range resp.Steps + 1 {
		name, where := "", "as it runs"
		if s < resp.Steps {
			name, where = s.String(), s.String()
		}
		var n, acked, lost int
		for i, o := range out {
			if aims[i].step == name {
				n, acked, lost = n+1, acked+o.acked, lost+o.lost
			}
		}
		t.Rows = append(t.Rows, []string{where, humanize.Comma(int64(n)), humanize.Comma(int64(acked)), humanize.Comma(int64(lost))})
	}
	for _, o := range out {
		b.Observe(ackedSurvive, float64(o.lost))
		losing += int(exception(o.lost > 0))
	}
	b.AddTable(t)
	if losing == 0 {
		b.Note("0 of %s kills lost an acknowledged SET: at most 1 in %s does, with 95 %% confidence; of a power cut no trial says anything",
			humanize.Comma(int64(len(out))), humanize.Comma(int64(math.Round(1/measure.ZeroFailureBound(len(out))))))
	}
	return nil
}

// fire starts a server, has clients write to it, kills it, and reads its log.
func (a aim) fire(ctx context.Context, b *bench, dir string) (o outcome, err error) {
	u := setup{Log: true, Policy: a.policy, Stop: a.step, Faults: resp.Faults{ReplyFirst: b.Sabotaged(replyFirst)}}
	if a.step != "" {
		u.After = uint64(a.after)
	}
	s, err := start(ctx, b.Run, dir, u)
	if err != nil {
		return o, err
	}
	defer s.Close()
	w, err := newWriters(dir, a.seed)
	if err != nil {
		return o, err
	}
	defer w.close()
	over, reached := make(chan error, 1), make(chan struct{})
	go func() { over <- w.run(a.after, reached) }()
	if err := a.await(s, over, reached); err != nil {
		s.Close() // the writers end with it
		return o, errors.Join(err, <-over)
	}
	if err := s.slay(); err != nil {
		s.Close()
		return o, errors.Join(err, <-over)
	}
	if err := <-over; err != nil {
		return o, err
	}
	image, err := os.ReadFile(filepath.Join(dir, logName))
	if err != nil {
		return o, child.Bare(err)
	}
	d, records, _, err := resp.Load(image, false)
	if err != nil {
		return o, fmt.Errorf("recovering after a kill %s: %w", a.where(), err)
	}
	o.records = records
	o.acked, o.lost = w.compare(d)
	return o, nil
}

// slay kills a server and waits for its end. Process.Kill also reads what the child
// had said, to its end, which a sibling that is just being started can hold up on a
// busy machine; a server has nothing more to say.
func (s *server) slay() error {
	s.SendKill()
	if err := s.Wait(patience); err != nil {
		return err
	}
	if why := s.Complaint(); why != "" {
		return errors.New("the server ended by itself" + why)
	}
	return nil
}

func (a aim) where() string {
	if a.step == "" {
		return "as it ran"
	}
	return "at step " + a.step
}

// await returns when the server is where it is to be killed.
func (a aim) await(s *server, over chan error, reached chan struct{}) error {
	if a.step != "" {
		return s.expect(stopped(a.step))
	}
	select {
	case <-reached:
		return nil
	case err := <-over:
		over <- nil // it is waited for once more
		if err == nil {
			err = errors.New("the server closed its connections by itself" + s.Complaint())
		}
		return err
	}
}

// valueOf is what a writer sets its key number j to.
func valueOf(seed uint64, writer, j int) []byte {
	rng := rand.New(rand.NewPCG(seed, uint64(writer)<<32|uint64(j)))
	v := make([]byte, 1+rng.IntN(60))
	for i := range v {
		v[i] = byte(rng.Uint32())
	}
	return v
}

func writtenKey(writer, j int) string { return fmt.Sprintf("%d:%d", writer, j) }
