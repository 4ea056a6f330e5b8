// Package disk issues the system calls that the storage labs measure: one call
// for one method, no buffering, no retry, no goroutine hand-off, so that what a
// lab times is the call that it names.
//
// On Linux calls go in raw: the Go scheduler is not told that the thread may
// block. The usual entry lets another thread take over, and under load the way
// back makes an fsync look ten times dearer than it was.
package disk
