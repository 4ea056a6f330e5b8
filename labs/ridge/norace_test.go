//go:build !race

package ridge

// raced says that this test was built with the race detector.
const raced = false
