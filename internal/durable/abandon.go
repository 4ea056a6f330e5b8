package durable

import (
	"os"
	"sync"
)

// live are the temporary files that this process is writing.
var live struct {
	sync.Mutex
	names     map[string]bool
	abandoned bool // the program is about to end
}

// Abandon removes the temporary files of this process, which is about to end
// without waiting for them. A Replace that is under way never returns, so that
// nobody is told of a failure that is none.
func Abandon() {
	live.Lock()
	live.abandoned = true
	var names []string
	for name := range live.names {
		names = append(names, name)
	}
	live.Unlock() // a disk that hangs must hold nobody but this caller
	for _, name := range names {
		os.Remove(name)
	}
}

// begin notes that a temporary file is about to be made.
func begin(name string) {
	live.Lock()
	defer live.Unlock()
	if live.names == nil {
		live.names = map[string]bool{}
	}
	live.names[name] = true
	unlessAbandoned()
}

// end notes that it is gone, or has its name.
func end(name string) {
	live.Lock()
	defer live.Unlock()
	delete(live.names, name)
	unlessAbandoned()
}

// unlessAbandoned returns unless the program is about to end. live is locked.
func unlessAbandoned() {
	if live.abandoned {
		live.Unlock()
		select {}
	}
}
