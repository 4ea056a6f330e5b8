package pipelining

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"envelope/internal/child"
	"envelope/internal/resp"
)

// tornRecords is how many records a log has that is cut or damaged; tornServers
// how many of each kind a real server is started with.
const (
	tornRecords = 24
	tornServers = 2
)

// history is a log with what each of its records leaves behind.
type history struct {
	image []byte
	ends  []int               // of each record
	after []map[string]string // the keys after each; after[0] is before the first
}

// compose makes a history of random changes.
func compose(rng *rand.Rand) history {
	h := history{after: []map[string]string{{}}}
	for i := range tornRecords {
		state := map[string]string{}
		for k, v := range h.after[i] {
			state[k] = v
		}
		key := fmt.Sprintf("key:%d", rng.IntN(8))
		var args [][]byte
		if _, there := state[key]; there && rng.IntN(4) == 0 {
			args = [][]byte{[]byte("DEL"), []byte(key)}
			delete(state, key)
		} else {
			value := make([]byte, 1+rng.IntN(40))
			for j := range value {
				value[j] = byte(rng.Uint32())
			}
			args = [][]byte{[]byte("SET"), []byte(key), value}
			state[key] = string(value)
		}
		h.image = resp.AppendRecord(h.image, uint64(i)+1, args...)
		h.ends, h.after = append(h.ends, len(h.image)), append(h.after, state)
	}
	return h
}

// holds reports whether a database is exactly that.
func holds(d *resp.Database, want map[string]string) bool {
	if all, _ := d.Size(); all != len(want) {
		return false
	}
	for k, v := range want {
		if got, ok := d.Value(k); !ok || string(got) != v {
			return false
		}
	}
	return true
}

// torn cuts the last record at every byte, and changes every byte in front of it.
func (b *bench) torn(ctx context.Context) error {
	rng := b.Rand("history")
	logs := 2
	if b.Full {
		logs = 40
	}
	for range logs {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := compose(rng)
		b.Observe(onlyTorn, h.cuts(b.Sabotaged(tearAnywhere))...)
		b.Observe(onlyTorn, h.flips(b.Sabotaged(tearAnywhere), rng)...)
	}
	return b.tornForReal(ctx, compose(rng), rng)
}

func (h history) cuts(anywhere bool) (exceptions []float64) {
	last := h.ends[tornRecords-2]
	for cut := last; cut < len(h.image); cut++ {
		d, _, end, err := resp.Load(h.image[:cut], anywhere)
		exceptions = append(exceptions, exception(err != nil || end != last || !holds(d, h.after[tornRecords-1])))
	}
	return exceptions
}

func (h history) flips(anywhere bool, rng *rand.Rand) (exceptions []float64) {
	image := bytes.Clone(h.image)
	for at := range h.ends[tornRecords-2] {
		bit := byte(1) << rng.IntN(8)
		image[at] ^= bit
		_, _, _, err := resp.Load(image, anywhere)
		var damage *resp.DamageError
		exceptions = append(exceptions, exception(!errors.As(err, &damage)))
		image[at] ^= bit
	}
	return exceptions
}

func exception(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// tornForReal does a few of each with a server and the file that it finds.
func (b *bench) tornForReal(ctx context.Context, h history, rng *rand.Rand) error {
	last := h.ends[tornRecords-2]
	for i := range 2 * tornServers {
		image := bytes.Clone(h.image)
		cut := i%2 == 0
		if cut {
			image = image[:last+rng.IntN(len(image)-last)]
		} else {
			image[rng.IntN(last)] ^= 1 << rng.IntN(8)
		}
		dir := b.directory()
		if err := os.Mkdir(dir, 0o700); err != nil {
			return child.Bare(err)
		}
		if err := os.WriteFile(filepath.Join(dir, logName), image, 0o600); err != nil {
			return child.Bare(err)
		}
		s, err := start(ctx, b.Run, dir, setup{Log: true, Policy: resp.Never, Faults: resp.Faults{TearAnywhere: b.Sabotaged(tearAnywhere)}})
		refused := err != nil && strings.Contains(err.Error(), "the log is damaged")
		switch {
		case err != nil && !refused:
			return err
		case err == nil && cut:
			same, err := s.holds(ctx, h.after[tornRecords-1])
			s.Close()
			if err != nil {
				return err
			}
			b.Observe(onlyTorn, exception(!same))
			continue
		case err == nil:
			s.Close()
		}
		b.Observe(onlyTorn, exception(refused == cut))
	}
	return nil
}

// holds asks a server for every key that any history has.
func (s *server) holds(ctx context.Context, want map[string]string) (bool, error) {
	var request, reply []byte
	for i := range 8 {
		key := fmt.Sprintf("key:%d", i)
		request = resp.AppendRequest(request, []byte("GET"), []byte(key))
		if v, ok := want[key]; ok {
			reply = resp.AppendBulk(reply, []byte(v))
		} else {
			reply = append(reply, "$-1\r\n"...)
		}
	}
	c, err := connection(s.dir, socketName)
	if err != nil {
		return false, err
	}
	defer c.Close()
	got, err := converse(ctx, c, request)
	return bytes.Equal(got, reply), err
}
