package pipelining

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"

	"envelope/internal/lab"
	"envelope/internal/resp"
)

// The keys of the claim about expiry, and how often the server looks.
const (
	livingKeys = 1000
	dyingKeys  = 1000
	cycles     = 30
)

// deadSeries is the share of dead keys cycle by cycle.
const deadSeries = "dead-share"

// expiry gives keys a time to live, sets the server's clock forward, and has it
// look for what is dead while no client asks for anything. It does so of itself
// ten times a second; here it does when it is told, so that nobody waits.
func (b *bench) expiry(ctx context.Context) error {
	trials := 4
	if b.Full {
		trials = 40
	}
	s, err := b.serve(ctx, setup{Faults: resp.Faults{KeepDead: b.Sabotaged(activeOff)}}, 1)
	if err != nil {
		return err
	}
	defer s.close()
	var shares []float64
	for trial := range trials {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.mortal(ctx, trial); err != nil {
			return err
		}
		r, err := s.tell("advance 60000")
		if err != nil {
			return err
		}
		if living := (trial + 1) * livingKeys; trial == 0 && (r.All != living+dyingKeys || r.Dead != dyingKeys) {
			return fmt.Errorf("the server has %d keys, %d of them dead; want %d and %d", r.All, r.Dead, living+dyingKeys, dyingKeys)
		}
		shares = append(shares[:0], share(r))
		for range cycles {
			if r, err = s.tell("cycle 1"); err != nil {
				return err
			}
			shares = append(shares, share(r))
		}
		b.Observe(deadBounded, share(r))
		if err := s.bury(ctx, trial); err != nil {
			return err
		}
	}
	b.AddSeries(lab.Series{Name: deadSeries, Text: "dead keys / all keys after 0, 1, 2, ... cycles of active expiry, last trial", Unit: "1", Samples: shares, Conditions: -1})
	b.Note("of %s keys half were dead; after 1, 10 and %d cycles of active expiry %.0f, %.0f and %.0f %% of what was left",
		humanize.Comma(livingKeys+dyingKeys), cycles, 100*shares[1], 100*shares[10], 100*shares[cycles])
	return nil
}

func share(r report) float64 { return float64(r.Dead) / float64(max(r.All, 1)) }

// mortal sets the keys of a trial: some live for a day, some for a second.
func (s started) mortal(ctx context.Context, trial int) error {
	return s.each(ctx, func(i int) ([][]byte, []byte) {
		ttl := "86400000"
		if i >= livingKeys {
			ttl = "1000"
		}
		return [][]byte{[]byte("SET"), mortalKey(trial, i), []byte("v"), []byte("PX"), []byte(ttl)}, []byte("+OK\r\n")
	}, livingKeys+dyingKeys)
}

// bury deletes the keys of a trial that live, and meets those that are dead.
func (s started) bury(ctx context.Context, trial int) error {
	return s.each(ctx, func(i int) ([][]byte, []byte) {
		reply := ":1\r\n"
		if i >= livingKeys {
			reply = ":0\r\n"
		}
		return [][]byte{[]byte("DEL"), mortalKey(trial, i)}, []byte(reply)
	}, livingKeys+dyingKeys)
}

func mortalKey(trial, i int) []byte { return fmt.Appendf(nil, "mortal:%d:%d", trial, i) }

// each has the first client send n commands at once.
func (s started) each(ctx context.Context, command func(i int) (args [][]byte, reply []byte), n int) error {
	one := s.only(0)
	k := one.order[0]
	k.turns, k.next = []batch{{}}, 0
	for i := range n {
		args, reply := command(i)
		k.turns[0].add(args, reply)
	}
	return one.play(ctx, 1)
}
