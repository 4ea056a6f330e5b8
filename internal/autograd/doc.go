// Package autograd differentiates programs over dense arrays in reverse mode, in
// float32 or float64.
//
// # Graphs
//
// A [Graph] is a program that was written down: its nodes in the order in which
// they were made. A [Node] has a shape, a value and, where something that can be
// trained lies upstream of it, a gradient. Making a node computes it at once.
// [Graph.Forward] computes all of them again from whatever now stands in the
// leaves, and [Graph.Backward] finds the gradients of one of them, in the same
// buffers each time: a step of training allocates nothing. What depends on the
// data, a shape or a branch, needs another graph.
//
// The inputs of a node are older than the node. So the order of the list is a
// topological one, and the way back is a loop from its end: neither is searched
// for, and the depth of a graph is no depth of the stack.
//
// # Shapes
//
// The sizes of the axes are listed from the outermost to the innermost, whose
// elements lie side by side; a scalar has none. Two shapes are broadcast as
// follows: they are aligned at the innermost axis, axes that one of them lacks
// have size 1 there, and an axis of size 1 is repeated. An axis of size 0 has no
// elements, and no exception is made of it.
//
// Shapes that do not fit, and arguments that no program should pass, panic with
// both shapes in the text: they are faults of the program that is being written
// down, and come to light before any step is made.
//
// # Rounding
//
// Every sum is taken in the order of its elements, one after another, and every
// product is rounded before it is added to anything: a Go compiler may otherwise
// fuse the two, and does so on some machines. What still differs from one
// machine to the next is the last bit of exponentials and logarithms.
package autograd
