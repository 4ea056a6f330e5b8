// Package kv reads a model's config.json and says how much memory the keys and
// values of its tokens take.
//
// A sequence of T tokens takes
//
//	KV(T) = fixed + sum over layers of bytes x min(T, window)
//
// where a layer without a window keeps every token, and fixed is the state of
// the layers that keep a summary in place of tokens.
//
// # What is refused
//
// A number that is nearly right is worse than none, so nothing is guessed. A
// model_type that is not in the table of families is refused; so is a field
// whose name has to do with attention, layers or caches and whose meaning for
// that family is not known here, unless it is null or false. A field that the
// family's own definition lets a file leave out means what is said there, and
// that it was left out is noted.
//
// # The state of recurrent layers
//
// What such a layer must keep is its state and, for a convolution over k tokens,
// k-1 inputs. Engines may keep more. The inputs have the size of the cache's
// unquantized values; the state has it too, but for those families whose own
// implementation keeps it in 32 bits.
package kv
