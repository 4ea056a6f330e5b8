package main

import (
	"compress/flate"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
)

// byTesting is what C has no counterpart of, measured by the benchmarks of package testing instead: another harness over code
// of its own. Each returns seconds an operation, or seconds a byte.
var byTesting = map[string]func() (float64, error){
	"goroutine-switch": goroutineSwitch,
	"deflate":          deflate,
}

// benchtime is how long package testing repeats an operation.
const benchtime = "50ms"

// setBenchtime is for after the program's own flags have been read: package testing keeps its settings among them.
func setBenchtime() error {
	testing.Init()
	return flag.Set("test.benchtime", benchtime)
}

func perOperation(f func(b *testing.B)) (float64, error) {
	r := testing.Benchmark(f)
	if r.N == 0 || r.T <= 0 {
		return 0, fmt.Errorf("package testing has measured nothing: %+v", r)
	}
	return r.T.Seconds() / float64(r.N), nil
}

func goroutineSwitch() (float64, error) {
	procs := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(procs)
	pair, err := perOperation(func(b *testing.B) {
		to, from := make(chan bool), make(chan bool)
		go func() {
			for v := range to {
				from <- !v
			}
			close(from)
		}()
		v := false
		for range b.N {
			to <- v
			v = <-from
		}
		close(to)
		<-from
	})
	return pair / 2, err
}

func deflate() (float64, error) {
	text := prose(rand.New(rand.NewPCG(2, 0)), 256<<10)
	w, err := flate.NewWriter(io.Discard, 1)
	if err != nil {
		return 0, err
	}
	var failed error
	whole, err := perOperation(func(b *testing.B) {
		for range b.N {
			w.Reset(io.Discard)
			if _, err := w.Write(text); err != nil {
				failed = err
			}
			if err := w.Close(); err != nil {
				failed = err
			}
		}
	})
	if failed != nil {
		return 0, failed
	}
	return whole / float64(len(text)), err
}

// prose is like what the axiom compresses: at least so many bytes of 500 words of 2 to 10 letters, some much commoner than
// others.
func prose(rng *rand.Rand, size int) []byte {
	vocabulary := make([]string, 500)
	for i := range vocabulary {
		for range 2 + rng.IntN(9) {
			vocabulary[i] += string(rune('a' + rng.IntN(26)))
		}
	}
	var text []byte
	for len(text) < size {
		text = append(text, vocabulary[min(rng.IntN(500), rng.IntN(500))]...)
		text = append(text, ' ')
	}
	return text
}
