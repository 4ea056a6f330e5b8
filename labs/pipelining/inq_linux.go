package pipelining

import "golang.org/x/sys/unix"

// bytesWaiting asks a descriptor how many bytes can be read from it at once.
const bytesWaiting = unix.TIOCINQ
