//go:build purego || !(amd64 || arm64)

package kernels

// paths returns what can run here, the fastest last.
func paths() []*path { return []*path{portable} }

// chain makes chainLength dependent additions a round. They are left to the compiler, which does not shorten a sum that
// it could.
func chain(rounds int, step uint64) uint64 {
	var total uint64
	for range rounds * chainLength {
		total += step
	}
	return total
}
