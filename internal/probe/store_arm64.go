//go:build !purego

package probe

//go:noescape
func storeNEON(p *byte, n int, from *byte)

// stores lists what this processor can run, the widest first.
func stores() []storing { return []storing{{"stores of 16 B", storeNEON}, portable} }
