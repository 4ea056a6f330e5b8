package launch

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"envelope/internal/host"
	"envelope/internal/lab"
)

const (
	large = 16 << 10  // bytes of an operation whose dispatch is to be seen: not many times what a dispatch takes
	small = large / 2 // the same with half of the bytes
	heavy = 128 << 10 // bytes of one whose floor is to be seen: many times what an operation takes without them
	piece = 256 << 10 // bytes of a read by the caller, which costs what its bytes do

	limit = 512 << 20 // bytes that the weights may take
	spare = 96 << 20  // bytes that everything else takes, at most
)

// weights are random bytes in the page cache, more than any processor cache holds. Whoever reads takes the next ones, so that
// nobody finds its own or another's in a cache.
type weights struct {
	file   *os.File
	fd     int // the file's
	size   int64
	at     int64  // of the first byte that is due
	target []byte // where reads go: small enough for a cache
	source []byte // what the file begins with, and goes on with
}

// take returns where the next so many bytes begin.
func (w *weights) take(n int) int64 {
	if w.at+int64(n) > w.size {
		w.at = 0
	}
	at := w.at
	w.at += int64(n)
	return at
}

// read reads the weights that are due, by a system call of its own.
func (w *weights) read(n int) error {
	at := w.take(n)
	if err := whole(n, func() (int, error) { return unix.Pread(w.fd, w.target[:n], at) }); err != nil {
		return fmt.Errorf("reading %d bytes at %d: %w", n, at, err)
	}
	return nil
}

func (w *weights) close() error { return w.file.Close() }

// weightsSize is how many bytes it takes for reads to come from memory, or why that can't be had: four times the last-level cache
// of the one processor that reads.
func weightsSize(cpu host.CPU, memory host.Memory) (int64, string) {
	caches, _ := cpu.Caches.Get()
	var last uint64
	level := 0
	for _, c := range caches {
		if c.Type != "Instruction" && c.Level >= level {
			level, last = c.Level, c.Size
		}
	}
	if last == 0 {
		return 0, "the size of the last-level cache is unknown, so nothing can be said to come from memory"
	}
	size := (max(4*last, 64<<20) + 1<<20 - 1) >> 20 << 20
	if size > limit {
		return 0, fmt.Sprintf("four times the last-level cache (%d MiB) is over %d MiB", last>>20, limit>>20)
	}
	if allowed, ok := memory.Limit.Get(); ok && size+spare > allowed {
		return 0, fmt.Sprintf("the weights and all else need %d MiB, and %d MiB of memory are allowed", (size+spare)>>20, allowed>>20)
	}
	return int64(size), ""
}

// heldUp says that a writer of so many bytes would have to wait for the disk. The kernel sees to it that no more than a fifth of
// the memory is unwritten, and slows writers down from three quarters of that.
func heldUp(size int64, memory host.Memory) error {
	for _, fact := range []host.Fact[uint64]{memory.Limit, memory.Available} {
		if room, ok := fact.Get(); ok && 7*uint64(size) > room {
			return fmt.Errorf("%d MiB in a file would wait for the disk, with %d MiB of memory", size>>20, room>>20)
		}
	}
	return nil
}

// newWeights writes them to a file without a name. One in the directory is best: if its file system can't be read without
// waiting, the kernel gives each read that it is handed to a thread of its own, which io_uring is not asked about here. Then, and
// where there is no room, they lie in memory alone, and wait says why.
func newWeights(r *lab.Run, size int64) (w *weights, wait string, err error) {
	w = &weights{size: size, target: make([]byte, piece), source: r.Payload("weights", 1<<20)}
	copy(w.target, w.source) // its pages exist
	if err = heldUp(size, r.Environment.Memory); err == nil {
		if err = w.inDirectory(r.Dir); err == nil {
			return w, "", nil
		}
	}
	wait = fmt.Sprintf("no file in the directory can be read without waiting: %v", err)
	if err = w.open(inMemory()); err != nil {
		return nil, "", fmt.Errorf("%s, and there is no other file: %w", wait, err)
	}
	if err := w.fill(size); err != nil {
		return nil, "", errors.Join(err, w.file.Close())
	}
	return w, wait, nil
}

// inDirectory writes them to a file there, if it can be read without waiting.
func (w *weights) inDirectory(dir string) error {
	err := w.open(unnamed(dir))
	if err != nil {
		return err
	}
	if err = w.fill(4 << 10); err == nil {
		err = readsWithoutWaiting(w.fd)
	}
	if err == nil {
		err = w.fill(w.size)
	}
	if err != nil {
		w.file.Close()
	}
	return err
}

func (w *weights) open(f *os.File, err error) error {
	if err == nil {
		w.file, w.fd = f, int(f.Fd())
	}
	return err
}

// unnamed returns a new file that ends with this process.
func unnamed(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "weights-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// fill writes so many bytes from the start.
func (w *weights) fill(size int64) error {
	for at := int64(0); at < size; at += int64(len(w.source)) {
		if _, err := w.file.WriteAt(w.source[:min(int64(len(w.source)), size-at)], at); err != nil {
			return fmt.Errorf("writing the weights: %w", err)
		}
	}
	return nil
}

// holds reports whether so many bytes at the start of the target are what the file has at a place.
func (w *weights) holds(at int64, n int) bool {
	for i, b := range w.target[:n] {
		if b != w.source[(at+int64(i))%int64(len(w.source))] {
			return false
		}
	}
	return true
}
