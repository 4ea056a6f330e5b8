package kernels

import (
	"sync"
	"testing"
	"unsafe"
)

func TestCallsAllocateNothing(t *testing.T) {
	const rows, cols, batch = 256, 1024, 40
	w := Pack(make([]float32, rows*cols), rows, cols)
	x, y := make([]float32, batch*cols), make([]float32, batch*rows)
	check := func(what string, f func()) {
		t.Helper()
		f()
		// The count is the process's: what the runtime allocates when it puts a
		// thread to sleep is in it. A call that allocates does so every time.
		got := testing.AllocsPerRun(20, f)
		for range 4 {
			got = min(got, testing.AllocsPerRun(20, f))
		}
		if got != 0 {
			t.Errorf("%s: %g allocations, want 0", what, got)
		}
	}
	for _, threads := range []int{1, 2, 4} {
		check("Read", func() { Read(x, threads) })
		check("FMA", func() { FMA(minFMA, threads) })
		check("Cycles", func() { Cycles(100) })
		check("Mul of one", func() { w.Mul(y, x, 1, threads) })
		check("Mul of many", func() { w.Mul(y, x, batch, threads) })
	}
}

func TestCallsExcludeEachOther(t *testing.T) {
	p := newProduct(90, 300, 20, ordinary)
	packed := Pack(p.w, p.rows, p.cols)
	want := Read(p.w, 1)
	var group sync.WaitGroup
	for caller := range 4 {
		group.Go(func() {
			y := make([]float32, len(p.want))
			for range 5 {
				packed.Mul(y, p.x, p.batch, 1+caller)
				p.check(t, "beside others", y)
				if got := Read(p.w, 1+caller); got != want {
					t.Errorf("Read beside others: got %g, want %g", got, want)
				}
			}
		})
	}
	group.Wait()
}

// tally counts how often each piece is done, and by threads of which numbers.
type tally struct {
	mu      sync.Mutex
	pieces  map[int]int
	threads map[int]bool
}

func (c *tally) piece(number, thread int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pieces[number]++
	c.threads[thread] = true
}

func TestEveryPieceIsDoneOnce(t *testing.T) {
	for _, threads := range []int{-5, 0, 1, 2, 7, 1000} {
		for _, pieces := range []int{0, 1, 2, 3, 100} {
			c := &tally{pieces: map[int]int{}, threads: map[int]bool{}}
			shared.mu.Lock()
			shared.do(c, pieces, threads)
			shared.mu.Unlock()
			if len(c.pieces) != pieces {
				t.Errorf("%d threads: %d pieces done, want %d", threads, len(c.pieces), pieces)
			}
			for number, times := range c.pieces {
				if times != 1 || number < 0 || number >= pieces {
					t.Errorf("%d threads: piece %d of %d done %d times", threads, number, pieces, times)
				}
			}
			for thread := range c.threads {
				if thread < 0 || thread >= max(1, threads) || thread >= maxThreads {
					t.Errorf("%d threads: thread %d took part", threads, thread)
				}
			}
		}
	}
}

func TestBuffer(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 3 << 20} {
		b, err := NewBuffer(n)
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Data) != n || cap(b.Data) != n {
			t.Errorf("%d values: got %d of %d", n, len(b.Data), cap(b.Data))
		}
		checkBuffer(t, b)
		if err := b.Free(); err != nil {
			t.Errorf("%d values: %v", n, err)
		}
		if err := b.Free(); err != nil || b.Data != nil {
			t.Errorf("%d values, freed twice: %v, data %d", n, err, len(b.Data))
		}
	}
	if _, err := NewBuffer(-1); err == nil {
		t.Error("a buffer of -1 values: no error")
	}
}

// checkBuffer holds a buffer to its alignment and writes to both ends. How much of it becomes huge is the system's affair.
func checkBuffer(t *testing.T, b *Buffer) {
	t.Helper()
	if len(b.Data) == 0 {
		return
	}
	if off := uintptr(unsafe.Pointer(&b.Data[0])) % hugePage; off != 0 {
		t.Errorf("%d values begin %d bytes after a page boundary", len(b.Data), off)
	}
	if b.Data[0] != 0 || b.Data[len(b.Data)-1] != 0 {
		t.Error("not zero")
	}
	for i := range b.Data {
		b.Data[i] = 1
	}
	huge, err := b.Huge()
	if err != nil {
		t.Logf("huge pages of %d values: %v", len(b.Data), err)
		return
	}
	if huge < 0 || huge > int64(4*len(b.Data)+hugePage) {
		t.Errorf("%d values: %d bytes in huge pages", len(b.Data), huge)
	}
	t.Logf("%d of %d bytes in huge pages", huge, 4*len(b.Data))
}
