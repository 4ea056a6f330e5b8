package probe

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"envelope/internal/host"
)

// A ring leads through every node once and back to the first.
func TestRingIsOneCycle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 600).Draw(t, "nodes")
		seed := rapid.Uint64().Draw(t, "seed")
		nodes := make([]node, n)
		ring(rand.New(rand.NewPCG(seed, 1)), nodes)
		seen := make([]bool, n)
		at := &nodes[0]
		for i := range n {
			far := uintptr(unsafe.Pointer(at)) - uintptr(unsafe.Pointer(&nodes[0]))
			number := far / line
			if far%line != 0 || number >= uintptr(n) {
				t.Fatalf("after %d steps: %d bytes from the first of %d nodes", i, far, n)
			}
			if seen[number] {
				t.Fatalf("node %d comes again after %d of %d steps", number, i, n)
			}
			seen[number] = true
			at = at.next
		}
		if at != &nodes[0] {
			t.Fatalf("after %d steps the ring is not back", n)
		}
	})
}

func TestRingSize(t *testing.T) {
	cache := func(level int, bytes uint64) host.Cache {
		return host.Cache{Level: level, Size: bytes, Type: "Unified"}
	}
	small := []host.Cache{{Level: 1, Size: 64 << 10, Type: "Instruction"}, {Level: 1, Size: 32 << 10, Type: "Data"}, cache(2, 1<<20), cache(3, 32<<20)}
	check := func(caches []host.Cache, level int, want uint64, text string) {
		t.Helper()
		got, where, err := ringSize(caches, level)
		if err != nil {
			where = err.Error()
		}
		if got != want || !strings.Contains(where, text) {
			t.Errorf("level %d: got %d %q, want %d %q", level, got, where, want, text)
		}
	}
	check(small, 1, 16<<10, "half of the level 1 cache")
	check(small, 2, 512<<10, "half of the level 2 cache")
	check(small, 3, 2<<20, "twice the level 2 cache, in the level 3 cache of 32 MiB")
	check(small, 0, 128<<20, "far past the last cache")
	check(nil, 0, 64<<20, "far past the last cache")
	check(nil, 3, 0, "this machine tells of no level 3 cache")
	check(small[:3], 3, 0, "this machine tells of no level 3 cache")
	check(small[:3], 0, 64<<20, "far past the last cache")
	check([]host.Cache{cache(2, 2<<20), cache(3, 3<<20)}, 3, 3<<19, "half of the level 3 cache")
	check([]host.Cache{cache(2, 2<<20), cache(3, 512<<20)}, 0, 128<<20, "part of which the last cache of 512 MiB may hold")
}

// Every way to fill memory writes the same bytes, and none beside them.
func TestStores(t *testing.T) {
	with := (*[line]byte)(random(rng(), line))
	ways := stores()
	if ways[len(ways)-1].text != portable.text {
		t.Errorf("the last way is %q, want the portable one", ways[len(ways)-1].text)
	}
	for _, way := range ways {
		for _, size := range []int{0, block, 3 * block, most - block, most, most + block, 2*most + 3*block} {
			for _, off := range []int{block, block + 1, block + 8} {
				all := bytes.Repeat([]byte{0xa5}, size+3*block)
				beside := slices.Clone(all[:2*block])
				way.over(all[off:off+size], with)
				if !bytes.Equal(all[off:off+size], bytes.Repeat(with[:], size/line)) {
					t.Errorf("%s: %d bytes from %d on: not the line again and again", way.text, size, off)
				}
				if !bytes.Equal(all[:off], beside[:off]) || !bytes.Equal(all[off+size:], beside[:3*block-off]) {
					t.Errorf("%s: %d bytes from %d on: something beside them was written", way.text, size, off)
				}
			}
		}
	}
}
