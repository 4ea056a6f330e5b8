package launch

import (
	"strings"
	"testing"

	"envelope/internal/host"
)

func known[T any](v T) host.Fact[T] { return host.Known(v, "", "test") }

// The weights outgrow the cache of the processor that reads, and fit into memory.
func TestWeightsOutgrowTheCache(t *testing.T) {
	const mib = 1 << 20
	check := func(caches []host.Cache, allowed uint64, size int64, why string) {
		t.Helper()
		memory := host.Memory{}
		if allowed > 0 {
			memory.Limit = known(allowed)
		}
		got, reason := weightsSize(host.CPU{Caches: known(caches)}, memory)
		if got != size || !strings.Contains(reason, why) || (why == "") != (reason == "") {
			t.Errorf("%v, %d B: got %d, %q; want %d, %q", caches, allowed, got, reason, size, why)
		}
	}
	l2 := host.Cache{Level: 2, Type: "Unified", Size: mib}
	l3 := func(size uint64) host.Cache { return host.Cache{Level: 3, Type: "Unified", Size: size, SharedBy: 8} }
	check([]host.Cache{l2, l3(32 * mib)}, 0, 128*mib, "")
	check([]host.Cache{l3(32 * mib), l2}, 0, 128*mib, "")
	check([]host.Cache{l2, l3(16*mib + 1)}, 0, 65*mib, "")
	check([]host.Cache{l2}, 0, 64*mib, "") // never under 64 MiB
	check([]host.Cache{l2, {Level: 3, Type: "Instruction", Size: 1 << 40}}, 0, 64*mib, "")
	check([]host.Cache{l2, l3(128 * mib)}, 0, 512*mib, "")
	check([]host.Cache{l2, l3(129 * mib)}, 0, 0, "is over 512 MiB")
	check([]host.Cache{l2, l3(32 * mib)}, 224*mib, 128*mib, "")
	check([]host.Cache{l2, l3(32 * mib)}, 224*mib-1, 0, "need 224 MiB, and 223 MiB of memory are allowed")
	check(nil, 0, 0, "unknown")
}

// Nobody writes so much that he has to wait for the disk.
func TestHeldUp(t *testing.T) {
	check := func(limit, available uint64, want string) {
		t.Helper()
		m := host.Memory{Limit: known(limit), Available: known(available)}
		err := heldUp(128<<20, m)
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d of %d B: got %v, want %q", available, limit, err, want)
		}
	}
	check(896<<20, 896<<20, "")
	check(896<<20-1, 2<<30, "with 895 MiB of memory")
	check(2<<30, 512<<20, "with 512 MiB of memory")
	if err := heldUp(128<<20, host.Memory{}); err != nil {
		t.Errorf("with nothing known: %v", err)
	}
}
