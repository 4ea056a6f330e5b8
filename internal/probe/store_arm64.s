//go:build !purego

#include "textflag.h"

// func storeNEON(p *byte, n int, from *byte)
TEXT ·storeNEON(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
	MOVD from+16(FP), R2
	VLD1 (R2), [V0.B16, V1.B16, V2.B16, V3.B16]

loop:
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)
	SUBS   $256, R1, R1
	BGT    loop
	RET
