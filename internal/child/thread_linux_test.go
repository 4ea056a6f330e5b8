package child

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// A child does not die with the thread of the goroutine that asked for it: the
// kernel's parent-death signal is about threads (prctl(2)).
func TestThreadEnds(t *testing.T) {
	var p *Process
	thread := make(chan int)
	var ask func()
	ask = func() {
		runtime.LockOSThread()
		if unix.Gettid() == os.Getpid() {
			go ask() // elsewhere: the main thread never ends
			return
		}
		p = begin(t, t.Context(), "listen", Options{})
		thread <- unix.Gettid() // never unlocked: the thread ends with this goroutine
	}
	go ask()
	id := <-thread
	says(t, p, "ready")
	until(t, "the thread ends", func() bool { return unix.Tgkill(os.Getpid(), id, 0) == unix.ESRCH })
	if err := p.Send([]byte("x")); err != nil {
		t.Fatal(err)
	}
	p.EndInput()
	says(t, p, "end after 1")
}
