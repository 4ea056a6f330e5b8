// Package poll waits for many descriptors at once, on one thread: epoll on Linux,
// kqueue on macOS, by raw system calls.
//
// Both are level-triggered: a descriptor is reported for as long as it is ready,
// so that who takes only a part of what is there loses nothing.
package poll

// Event says that a descriptor is ready. An end or an error of the other side
// counts as both: the call that follows finds out which.
type Event struct {
	FD       int
	Readable bool
	Writable bool
}
