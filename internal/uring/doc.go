// Package uring hands operations to the kernel through io_uring(7): one system call submits as many as were queued, and returns
// when all of them are done.
//
// It is no more than lab launch needs, two operations and one way of waiting, so that what is issued is known: no polling, no
// registered buffers, no kernel thread that submits. The layout of the shared memory is that of the kernel's header
// io_uring.h; where the kernel says otherwise, [New] is an error.
//
// # Memory
//
// Submissions are written before the tail of their queue is, and read by the kernel behind it; completions are read behind the
// tail of theirs. The kernel asks for a release and an acquire there, and the atomics of Go are both.
package uring

import "errors"

// ErrUnavailable is what [New] wraps where this system has no io_uring, or lets this process have none.
var ErrUnavailable = errors.New("io_uring is out of reach")
