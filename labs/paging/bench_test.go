package paging

import (
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// rate reports operations a second of this process's own time: on a machine that
// others use as well, a wall clock would count their work too.
func rate(b *testing.B, each int) (done func()) {
	spent := func() time.Duration {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := spent()
	return func() {
		b.ReportMetric(float64(each)*float64(b.N)/(spent()-before).Seconds()/1e6, "Mop/cpu-s")
	}
}

// BenchmarkTakeDrop is the hardware's side of it: a block off the stack of free
// ones and back.
func BenchmarkTakeDrop(b *testing.B) {
	a, err := newAllocator(config{blocks: 8448, size: 16, sequences: 1})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	done := rate(b, 2)
	for b.Loop() {
		if err := a.drop(a.take()); err != nil {
			b.Fatal(err)
		}
	}
	done()
}

// BenchmarkAppend grows 64 sequences in turn to 344 tokens and starts them anew.
func BenchmarkAppend(b *testing.B) {
	for name, off := range map[string]bool{"cached": false, "uncached": true} {
		b.Run(name, func(b *testing.B) {
			a, err := newAllocator(config{blocks: 2048, size: 16, sequences: 64, faults: faults{noSharing: off}})
			if err != nil {
				b.Fatal(err)
			}
			live := make([]handle, 64)
			for i := range live {
				live[i], _ = a.start(nil)
			}
			token, i, length := int32(0), 0, 0
			b.ReportAllocs()
			done := rate(b, 1)
			for b.Loop() {
				token++
				if err := a.append(live[i], token); err != nil {
					b.Fatal(err)
				}
				if i++; i < len(live) {
					continue
				}
				if i, length = 0, length+1; length == 344 {
					length = 0
					for j, h := range live {
						if err := a.release(h); err != nil {
							b.Fatal(err)
						}
						live[j], _ = a.start(nil)
					}
				}
			}
			done()
		})
	}
}

// BenchmarkOperations is a random mix as a busy engine makes it: of 64 operations
// one start with a prompt of up to 64 tokens, one fork, two releases; the rest
// appends to a random sequence. The random numbers are made beforehand.
func BenchmarkOperations(b *testing.B) {
	a, err := newAllocator(config{blocks: 8448, size: 16, sequences: 512})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	ops := make([]uint32, 1<<16)
	for i := range ops {
		ops[i] = rng.Uint32()
	}
	prompts := make([][]int32, 64)
	for i := range prompts {
		for j := range i + 1 {
			prompts[i] = append(prompts[i], int32(mix(uint64(i%8), int32(j))))
		}
	}
	live := make([]handle, 0, 512)
	release := func(x int) {
		i := x % len(live)
		if err := a.release(live[i]); err != nil {
			b.Fatal(err)
		}
		live[i] = live[len(live)-1]
		live = live[:len(live)-1]
	}
	for range 256 {
		h, _ := a.start(nil)
		live = append(live, h)
	}
	n := 0
	b.ReportAllocs()
	done := rate(b, 1)
	for b.Loop() {
		op := ops[n&(1<<16-1)]
		n++
		x := int(op >> 6)
		switch op & 63 {
		case 0:
			if len(live) < 500 {
				if h, err := a.start(prompts[x&63]); err == nil {
					live = append(live, h)
				}
			}
		case 1:
			if len(live) < 500 {
				if h, err := a.fork(live[x%len(live)]); err == nil {
					live = append(live, h)
				}
			}
		case 2, 3:
			if len(live) > 200 {
				release(x)
			}
		default:
			if a.append(live[x%len(live)], int32(x)) != nil {
				release(x)
			}
		}
	}
	done()
}
