package pipelining

// bytesWaiting asks a descriptor how many bytes can be read from it at once:
// FIONREAD of sys/filio.h.
const bytesWaiting = 0x4004667f
