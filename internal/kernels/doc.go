// Package kernels runs the three loops that a roofline is drawn from, as fast as this processor can: a streaming read, fused
// multiply-adds in registers alone, and the matrix product Y = X W^T in float32 for small batches against large weights.
//
// It measures nothing. Each function does a stated amount of work and returns something that could not be known without
// doing it; the caller holds the clock.
//
// # Paths
//
// The loops are assembly for AVX2 with FMA, for AVX-512 and for NEON, chosen at run time, and plain Go for everything
// else and under the build tag purego. [Features] says which path runs. On amd64 the environment variable
// GODEBUG=cpu.avx512f=off (and cpu.avx2=off) takes a path away, so that two can be compared on one machine.
//
// # Threads
//
// A call works on as many threads as it is asked for, the caller's among them, kept between 1 and 256. The others are goroutines
// locked to their threads that sleep between calls. On Linux each is bound to a processor of its own, other than the caller's,
// while there are enough and the system allows it; two may share a core. Work is handed out in pieces, so that a thread that
// the system takes away holds up the rest by the piece that it has begun, and one that never came not at all. Calls exclude
// each other: two at once would only measure each other. Once a number of threads and a shape have been used, calls allocate
// nothing.
//
// # Numbers
//
// The product follows IEEE 754 without flushing: subnormal values count, an infinity or a NaN in a row of x reaches that
// row of y alone, one in a row of w that column alone, and 0 times infinity is NaN. Which NaN comes out is not specified.
// Products are summed in the order of the columns, one sum for each element of y. So a row of y has the same bits
// whatever the batch around it, its place in the batch and the number of threads; between paths that fuse the multiply-add
// too. The portable path may round each product first, and then differs in the last bits.
package kernels
