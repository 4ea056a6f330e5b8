package probe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/internal/child/childtest"
	"envelope/internal/measure"
)

func options() measure.Options { return measure.Options{Clock: measure.NewClock(), Rand: rng()} }

// names returns what the texts of errors begin with.
func names(errs []error) []string {
	var out []string
	for _, e := range errs {
		name, _, _ := strings.Cut(e.Error(), ":")
		out = append(out, name)
	}
	return out
}

// Every name is measured or skipped with a reason, nothing else is, and nothing
// is left behind.
func TestSuite(t *testing.T) {
	procs, threads, files := runtime.GOMAXPROCS(0), runtime.NumGoroutine(), childtest.Descriptors(t)
	s, err := Open(t.Context(), measure.NewClock(), t.TempDir(), rng())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	series, _, err := s.Sample(t.Context(), options(), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range series {
		if want, ok := dimOf(one.Name); !ok || one.Dim != want {
			t.Errorf("%s: got %v, want %v", one.Name, one.Dim, want)
		}
		if one.Err == nil && len(one.Samples) != 2 {
			t.Errorf("%s: got %d samples, want 2", one.Name, len(one.Samples))
		}
	}
	for i, p := range s.probes { // Sample gives seconds a byte
		for j := range series[i].Samples {
			series[i].Samples[j] *= float64(p.work())
		}
	}
	got, failed := conclude(s.probes, series)
	told := names(append(s.Skipped, failed...))
	for _, m := range got {
		dim, _ := dimOf(m.Name)
		sound(t, m, dim.String())
		told = append(told, m.Name)
	}
	if want := slices.Sorted(slices.Values(Names())); !slices.Equal(slices.Sorted(slices.Values(told)), want) {
		t.Errorf("measured or skipped: got %v, want %v", told, want)
	}
	if _, err := axioms.NewSet(got...); err != nil {
		t.Errorf("as a set: %v", err)
	}
	s.Close()
	if now := runtime.GOMAXPROCS(0); now != procs {
		t.Errorf("GOMAXPROCS is %d, and was %d", now, procs)
	}
	leftBehind(t, threads, files)
}

func leftBehind(t *testing.T, goroutines, files int) {
	t.Helper()
	// A goroutine that has said that it ends is counted until it has.
	for range 1000 {
		if runtime.NumGoroutine() <= goroutines {
			break
		}
		runtime.Gosched()
	}
	if now := runtime.NumGoroutine(); now > goroutines {
		text := make([]byte, 1<<16)
		t.Errorf("%d goroutines, and there were %d:\n%s", now, goroutines, text[:runtime.Stack(text, true)])
	}
	if now := childtest.Descriptors(t); now > files {
		t.Errorf("%d files are open, and there were %d", now, files)
	}
}

// What the budget leaves no time for says so by name.
func TestEverythingNamesWhatItLeftOut(t *testing.T) {
	threads, files := runtime.NumGoroutine(), childtest.Descriptors(t)
	got, skipped, err := Everything(t.Context(), measure.NewClock(), t.TempDir(), rng(), time.Nanosecond)
	if err != nil || len(got) > 0 {
		t.Errorf("got %v, %v; want nothing within no time", got, err)
	}
	if got, want := slices.Sorted(slices.Values(names(skipped))), slices.Sorted(slices.Values(Names())); !slices.Equal(got, want) {
		t.Errorf("skipped: got %v, want each of %v once", got, want)
	}
	leftBehind(t, threads, files)
}

func TestOneObservationIsNoAxiom(t *testing.T) {
	broken := errors.New("broken")
	series := []Series{{Samples: make([]float64, fewest)}, {Samples: make([]float64, fewest-1)}, {}, {Err: broken}}
	demand(series)
	if series[0].Err != nil || series[3].Err != broken {
		t.Errorf("got %v and %v, want what was there", series[0].Err, series[3].Err)
	}
	for _, s := range series[1:3] {
		if want := fmt.Sprintf("after %d observations, and %d are the least", len(s.Samples), fewest); s.Err == nil || !strings.HasSuffix(s.Err.Error(), want) {
			t.Errorf("got %v, want an error with %q", s.Err, want)
		}
	}
}

func TestEverythingIsRefused(t *testing.T) {
	threads, files := runtime.NumGoroutine(), childtest.Descriptors(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Everything(ctx, measure.NewClock(), t.TempDir(), rng(), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: got %v, want %v", err, context.Canceled)
	}
	if _, _, err := Everything(t.Context(), measure.NewClock(), t.TempDir()+"/nowhere", rng(), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: got %v, want %v", err, fs.ErrNotExist)
	}
	leftBehind(t, threads, files)
}

// counted is an arm that counts what f returns.
func counted(name string, f func() float64) measure.Arm {
	return measure.Arm{Name: name, Unit: "s", Count: func() (float64, error) { return f(), nil }}
}

// A context that is done in the middle ends the suite after the sample that is
// under way, of the probes that are sampled alone too.
func TestSampleStops(t *testing.T) {
	for _, alone := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		samples := 0
		p := probe{name: "endless", n: 1 << 30, alone: alone, arm: counted("endless", func() float64 {
			if samples++; samples == 3 {
				cancel()
			}
			return 1
		})}
		_, _, err := sample(ctx, options(), []probe{p}, nil)
		if !errors.Is(err, context.Canceled) || samples != 3 {
			t.Errorf("alone %v: got %v after %d samples, want %v after 3", alone, err, samples, context.Canceled)
		}
	}
}

func TestAloneHasOneProcessor(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	got := 0
	p := probe{name: "alone", n: 1, alone: true, arm: counted("alone", func() float64 { got = runtime.GOMAXPROCS(0); return 1 })}
	if _, _, err := sample(t.Context(), options(), []probe{p}, nil); err != nil || got != 1 || runtime.GOMAXPROCS(0) != procs {
		t.Errorf("got %d processors, then %d (%v); want 1, then %d", got, runtime.GOMAXPROCS(0), err, procs)
	}
}

// What is taken off, and what stands beside, belongs to the same round.
func TestSamplesOfARoundBelongTogether(t *testing.T) {
	rounds := [3]float64{}
	arm := func(i int, extra float64) measure.Arm {
		return counted(string(rune('a'+i)), func() float64 { rounds[i]++; return rounds[i]*100 + extra })
	}
	base := arm(0, 0)
	probes := []probe{{name: "net", n: 20, arm: arm(1, 7), less: &base}, {name: "plain", n: 20, arm: counted("plain", func() float64 { return 1 })}}
	series, rows, err := sample(t.Context(), options(), probes, []measure.Single{{Arm: arm(2, 3), N: 10}})
	if err != nil || len(series) != 2 || len(rows) != 1 {
		t.Fatalf("got %d series and %d rows (%v), want 2 and 1", len(series), len(rows), err)
	}
	// The untimed first run of each counted too.
	for i, v := range series[0].Samples {
		if v != 7 {
			t.Errorf("sample %d: got %v, want 7", i, v)
		}
	}
	if len(series[0].Samples) != 20 || series[1].Name != "plain" || len(series[1].Samples) != 20 {
		t.Errorf("got %v", series)
	}
	for i, v := range rows[0].Samples {
		if want := float64(i+2)*100 + 3; v != want {
			t.Errorf("beside: got %v in round %d, want %v", v, i, want)
		}
	}
}

func TestLess(t *testing.T) {
	if got := less([]float64{5, 9, 7}, []float64{1, 2}); !slices.Equal(got, []float64{4, 7}) {
		t.Errorf("got %v, want 4 and 7", got)
	}
}

// What was opened is closed once, last first, whether or not others could be
// made.
func TestSuiteCloses(t *testing.T) {
	var closed []string
	good := func(name string) maker {
		return maker{name, func(*bench) (probe, error) {
			return probe{close: func() { closed = append(closed, name) }}, nil
		}}
	}
	bad := maker{"bad", func(*bench) (probe, error) { return probe{}, errors.New("out of order") }}
	s := &Suite{}
	if err := s.add(t.Context(), &bench{}, []maker{good("first"), bad, good("second")}); err != nil {
		t.Fatal(err)
	}
	if len(s.probes) != 2 || s.probes[1].name != "second" || s.probes[1].arm.Name != "second" {
		t.Errorf("got %v, want first and second", s.probes)
	}
	if len(s.Skipped) != 1 || s.Skipped[0].Error() != "bad: out of order" {
		t.Errorf("skipped: got %v", s.Skipped)
	}
	s.Close()
	s.Close()
	if !slices.Equal(closed, []string{"second", "first"}) {
		t.Errorf("closed: got %v, want second, then first", closed)
	}
}

// Threads that wait in the kernel for each other do not need two processors.
func TestHandOversOnOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := &Suite{}
	defer s.Close()
	spare(s)
	threads, files := runtime.NumGoroutine(), childtest.Descriptors(t)
	all := []maker{{"threads", threadHandover}, {"tcp", tcpRoundTrip}, {"unix", unixRoundTrip}, {"goroutines", goroutineSwitch}}
	if err := s.add(t.Context(), &bench{}, all); err != nil || len(s.Skipped) > 0 {
		t.Fatalf("got %v, skipped %v", err, s.Skipped)
	}
	series, _, err := s.Sample(t.Context(), options(), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range series {
		if one.Err != nil || len(one.Samples) != 1 || one.Samples[0] <= 0 {
			t.Errorf("%s: got %v, %v; want a time", one.Name, one.Samples, one.Err)
		}
	}
	s.Close()
	leftBehind(t, threads, files)
	if now := runtime.GOMAXPROCS(0); now != 1 {
		t.Errorf("GOMAXPROCS is %d, want 1 again", now)
	}
}

func TestNoProgramToStart(t *testing.T) {
	if _, err := processStart(&bench{exe: func() []string { return nil }}); err == nil {
		t.Error("got no error where there is nothing to start")
	}
}

// A peer that is gone is an error, not a wait.
func TestVolleyWithoutAPeer(t *testing.T) {
	ends, err := loopback()
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(ends[0])
	closeAll(ends[1])
	if err := volley(ends[0], ends[0])(); err == nil {
		t.Error("got no error from a connection that the other side closed")
	}
}
