package manifest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fullRun is a run of about the size of a default one: the example's claims
// many times over.
func fullRun(tb testing.TB) (Run, Methods) {
	tb.Helper()
	r := exampleRun(tb)
	methods := exampleMethods()
	for k := range 20 {
		l := r.Labs[1]
		l.Name = fmt.Sprintf("torntail%d", k)
		for name, m := range exampleMethods() {
			if rest, ok := strings.CutPrefix(name, "torntail/"); ok {
				methods[l.Name+"/"+rest] = m
			}
		}
		r.Program.Sources["labs/"+l.Name] = r.Program.Sources["labs/torntail"]
		l.Series = append([]Series{}, l.Series...)
		for i := range 4 {
			s := Series{Name: fmt.Sprintf("row%d", i), Text: "a row", Unit: "s", Samples: ticks(300)}
			s.Describe()
			l.Series = append(l.Series, s)
		}
		r.Labs = append(r.Labs, l)
	}
	require, allow := RequiredOf(r.Command)
	r.ExitCode = ExitCode(r, require, allow)
	return r, methods
}

// ticks are samples of a clock that counts nanoseconds.
func ticks(n int) Samples {
	out := make(Samples, n)
	for i := range out {
		out[i] = (time.Duration(250000+(i*7919)%9973) * time.Nanosecond).Seconds()
	}
	return out
}

// fullDocument is a document of the given size made of full runs.
func fullDocument(tb testing.TB, size int) ([]byte, Methods) {
	tb.Helper()
	r, methods := fullRun(tb)
	var doc bytes.Buffer
	doc.WriteString(head)
	for i := 0; ; i++ {
		r.ID = NewID(r.Started)
		text, err := encode(r)
		if err != nil {
			tb.Fatal(err)
		}
		if doc.Len()+len(text)+len(tail)+2 > size {
			break
		}
		if i > 0 {
			doc.WriteString(",\n")
		}
		doc.Write(text)
		if i == 0 {
			tb.Logf("a run has %d bytes", len(text))
		}
	}
	doc.WriteString(tail)
	return doc.Bytes(), methods
}

// cpuTime is what this process has used so far: on a busy machine it says more
// than the time on the wall.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkAppendTo64MiB(b *testing.B) {
	doc, _ := fullDocument(b, MaxDocument-(1<<20))
	path := filepath.Join(b.TempDir(), "results.json")
	r, _ := fullRun(b)
	for b.Loop() {
		b.StopTimer()
		if err := os.WriteFile(path, doc, 0o644); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := Append(path, r, AppendOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify64MiB(b *testing.B) {
	doc, methods := fullDocument(b, MaxDocument)
	path := filepath.Join(b.TempDir(), "results.json")
	if err := os.WriteFile(path, doc, 0o644); err != nil {
		b.Fatal(err)
	}
	doc = nil
	runtime.GC()
	b.SetBytes(MaxDocument)
	before := cpuTime(b)
	defer func() { b.ReportMetric((cpuTime(b)-before).Seconds()/float64(b.N), "cpu-s/op") }()
	for b.Loop() {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		problems, sum, err := Verify(f, VerifyOptions{Methods: methods, unsealed: true})
		f.Close()
		if err != nil || len(problems) > 0 || sum.Runs < 2 {
			b.Fatalf("%v, %v, %+v", problems, err, sum)
		}
	}
}

func BenchmarkReadLayout(b *testing.B) {
	doc, _ := fullDocument(b, 16<<20)
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, err := readLayout(doc); err != nil {
			b.Fatal(err)
		}
	}
}
