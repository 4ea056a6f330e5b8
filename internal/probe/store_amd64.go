//go:build !purego

package probe

import "golang.org/x/sys/cpu"

//go:noescape
func store512(p *byte, n int, from *byte)

//go:noescape
func store256(p *byte, n int, from *byte)

// stores lists what this processor can run, the widest first.
func stores() []storing {
	var all []storing
	if cpu.X86.HasAVX512F {
		all = append(all, storing{"stores of 64 B", store512})
	}
	if cpu.X86.HasAVX2 {
		all = append(all, storing{"stores of 32 B", store256})
	}
	return append(all, portable)
}
