package driver

import (
	"context"
	"testing"

	"envelope/internal/host"
	"envelope/internal/lab"
)

// allowed are options on a machine where this process may use so much memory.
func allowed(t *testing.T, limit uint64, labs ...*lab.Lab) Options {
	o := options(t, labs...)
	o.Machine.Environment = func(string) host.Environment {
		return host.Environment{Memory: host.Memory{Limit: host.Known(limit, "B", "test")}}
	}
	return o
}

// hungry is a lab that takes so much memory, and says whether it was run.
func hungry(name string, memory uint64, ran *bool) *lab.Lab {
	l := fake(name, func(_ context.Context, r *lab.Run) error {
		*ran = true
		r.Observe("it-is-counted", 0)
		return nil
	}, counted("it-is-counted"))
	l.Memory = memory
	return l
}

// Where not even the suite has room, nothing is measured: the kernel would end
// the run without a word.
func TestTooLittleMemory(t *testing.T) {
	ran := false
	o := allowed(t, 100<<20, hungry("first", 0, &ran))
	_, err := Run(t.Context(), o)
	const want = "this process may use 100 MiB of memory, and measuring takes up to 256 MiB: raise the limit"
	if err == nil || err.Error() != want || ran {
		t.Errorf("got %v, lab run: %v; want %q and no lab run", err, ran, want)
	}
	left(t, o.Dir)
}

// A lab that does not fit the memory is out of reach, and is not run. The others
// are judged as ever.
func TestLabTooLargeForTheMemory(t *testing.T) {
	check := func(limit uint64, want map[string]string, largeRan bool) *Result {
		t.Helper()
		var small, large bool
		res := mustRun(t, t.Context(), allowed(t, limit, hungry("large", 512<<20, &large), hungry("small", 64<<20, &small)))
		same(t, res, want)
		if large != largeRan || !small {
			t.Errorf("limit %d MiB: ran the large one: %v, the small one: %v; want %v, true", limit>>20, large, small, largeRan)
		}
		return res
	}
	res := check(300<<20, map[string]string{"large/it-is-counted": "void (unreachable)", "small/it-is-counted": "held"}, false)
	says(t, res, "large/it-is-counted", "it takes up to 512 MiB of memory, and 300 MiB are allowed")
	both := map[string]string{"large/it-is-counted": "held", "small/it-is-counted": "held"}
	check(512<<20, both, true)
	check(256<<20, map[string]string{"large/it-is-counted": "void (unreachable)", "small/it-is-counted": "held"}, false)
}
