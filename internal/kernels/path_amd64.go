//go:build !purego

package kernels

import "golang.org/x/sys/cpu"

//go:generate go -C asm run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg kernels

// paths returns what this processor can run, the fastest last.
func paths() []*path {
	all := []*path{portable}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		all = append(all, avx2)
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasFMA {
		all = append(all, avx512)
	}
	return all
}

// Every core so far has at most two units for vector multiply-adds, and an operation counts twice for each of its lanes.
var (
	avx2 = &path{
		name: "avx2", sum: sumAVX2, fma: alternateAVX2, flops: 2 * 12 * 8, perCycle: 2 * 2 * 8, prefetchFrom: 1, width: 16,
		tiles: []tile{
			tileAVX2x1, tileAVX2x2, tileAVX2x3, tileAVX2x4, tileAVX2x5, tileAVX2x6,
		},
	}
	avx512 = &path{
		name: "avx512", sum: sumAVX512, fma: alternateAVX512, flops: 2 * 24 * 16, perCycle: 2 * 2 * 16, prefetchFrom: 2, width: 32,
		tiles: []tile{
			tileAVX512x1, tileAVX512x2, tileAVX512x3, tileAVX512x4, tileAVX512x5, tileAVX512x6,
			tileAVX512x7, tileAVX512x8, tileAVX512x9, tileAVX512x10, tileAVX512x11, tileAVX512x12,
		},
	}
)

func alternateAVX2(n int, seeds *float32) float32 { return fmaAVX2(n, factor, term, seeds) }

func alternateAVX512(n int, seeds *float32) float32 { return fmaAVX512(n, factor, term, seeds) }

// chain makes chainLength dependent additions a round.
func chain(rounds int, step uint64) uint64 { return chainAMD64(rounds, step) }
