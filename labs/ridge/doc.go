// Package ridge asks whether a processor that multiplies matrices waits for its
// arithmetic or for its memory.
//
// # Question
//
// A layer of a model is a matrix of weights, and a token is one row that is
// multiplied by it. With one row, what share of this processor's arithmetic is
// in use? How many rows does it take before the arithmetic is what one waits
// for? And what does the second row cost, beside the first?
//
// # Axioms
//
// An A100 makes 312 TFLOP/s and reads 2 TB/s. A model of 7 billion parameters in
// 16 bits is 14 GB, and takes 14 GFLOP a token: 1 FLOP for each byte. Assumed
// of a processor core: about 100 GFLOP/s in float32, and 15 GB/s from memory.
//
// # Division
//
// Each weight is used for one multiplication and one addition a row, so the
// intensity is 2 x rows / bytes per weight. On the A100 the arithmetic of a
// token takes 14 GFLOP / 312 TFLOP/s = 45 µs and its bytes 14 GB / 2 TB/s =
// 7 ms: 156 times longer. That ratio is the ridge: the FLOP/B under which
// memory is what one waits for.
//
// # Measurement
//
// Nothing comes from a data sheet. The bandwidth is that of a sum over the same
// number of bytes, the peak that of fused multiply-adds in registers, both by
// the same threads and in turn with the product. Weights are random float32 in
// parts of 1024 x 4096, four of which are a matrix of 4096 x 4096, in one ring of
// at least four times the last-level cache. Whatever reads weights, sum or
// product, takes the next part, so that nothing finds its weights in a cache.
// From 64 rows on, where the arithmetic decides, parts of 512 x 4096 keep a call
// short. A sweep from one row, a token that is generated, to 512, a prompt that
// is read at once, is drawn beside the roof. Over eight threads the parts grow, up to the whole matrix, so that
// there is work for all. Products are checked against float64, and the peak
// against what the processor's units can do at the clock that a chain of
// additions shows.
//
// # Claims
//
// For each device, cpu-1 (one thread) and cpu-all:
// batch-one-runs-at-memory-speed, batch-one-wastes-the-arithmetic,
// below-the-ridge-more-is-nearly-free, batching-recovers-the-throughput,
// nothing-beats-the-roof.
//
// # Limits
//
// The peak is that of the vector width which this program chose; a library with
// wider or narrower ones has another. Plain Go, where there is no assembly for a
// processor, has so little arithmetic that nothing lies under its ridge, and all
// is void. Two hardware threads of one core share
// its arithmetic, so nothing is claimed about how threads scale. Intensity
// counts the weights alone; activations add to the bytes where there are many
// rows.
package ridge
