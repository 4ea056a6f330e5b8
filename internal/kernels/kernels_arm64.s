//go:build !purego

#include "textflag.h"

// The assembler has no vector addition of floats: a multiply-add by one is exact and runs on the same units.

// func sumNEON(p *float32, n int, partial *float32)
TEXT ·sumNEON(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
	MOVD partial+16(FP), R2
	FMOVS $1.0, F16
	VDUP V16.S[0], V16.S4
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16

block:
	CMP $32, R1
	BLT rest
	VLD1.P 64(R0), [V20.S4, V21.S4, V22.S4, V23.S4]
	VLD1.P 64(R0), [V24.S4, V25.S4, V26.S4, V27.S4]
	VFMLA V16.S4, V20.S4, V0.S4
	VFMLA V16.S4, V21.S4, V1.S4
	VFMLA V16.S4, V22.S4, V2.S4
	VFMLA V16.S4, V23.S4, V3.S4
	VFMLA V16.S4, V24.S4, V4.S4
	VFMLA V16.S4, V25.S4, V5.S4
	VFMLA V16.S4, V26.S4, V6.S4
	VFMLA V16.S4, V27.S4, V7.S4
	SUB $32, R1
	B block

rest:
	FMOVS ZR, F17

one:
	CMP $1, R1
	BLT done
	FMOVS.P 4(R0), F18
	FADDS F18, F17, F17
	SUB $1, R1
	B one

done:
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R2)
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], 64(R2)
	FMOVS F17, (R2)
	RET

#define UP(v) VFMLA V28.S4, V29.S4, v.S4
#define DOWN(v) VFMLS V28.S4, V30.S4, v.S4

#define EACH(op) \
	op(V0); op(V1); op(V2); op(V3); op(V4); op(V5); op(V6); op(V7); op(V8); op(V9); op(V10); op(V11); op(V12); op(V13); \
	op(V14); op(V15); op(V16); op(V17); op(V18); op(V19); op(V20); op(V21); op(V22); op(V23); op(V24); op(V25); op(V26); op(V27)

// func fmaNEON(n int, factor, up, down float32, seeds, out *float32)
TEXT ·fmaNEON(SB), NOSPLIT, $0-40
	MOVD n+0(FP), R0
	FMOVS factor+8(FP), F28
	FMOVS up+12(FP), F29
	FMOVS down+16(FP), F30
	MOVD seeds+24(FP), R1
	MOVD out+32(FP), R2
	VDUP V28.S[0], V28.S4
	VDUP V29.S[0], V29.S4
	VDUP V30.S[0], V30.S4
	VLD1.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R1), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R1), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD1.P 64(R1), [V12.S4, V13.S4, V14.S4, V15.S4]
	VLD1.P 64(R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1.P 64(R1), [V20.S4, V21.S4, V22.S4, V23.S4]
	VLD1.P 64(R1), [V24.S4, V25.S4, V26.S4, V27.S4]

loop:
	CMP $1, R0
	BLT done
	EACH(UP)
	EACH(DOWN)
	SUB $1, R0
	B loop

done:
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R2)
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], 64(R2)
	VST1.P [V8.S4, V9.S4, V10.S4, V11.S4], 64(R2)
	VST1.P [V12.S4, V13.S4, V14.S4, V15.S4], 64(R2)
	VST1.P [V16.S4, V17.S4, V18.S4, V19.S4], 64(R2)
	VST1.P [V20.S4, V21.S4, V22.S4, V23.S4], 64(R2)
	VST1.P [V24.S4, V25.S4, V26.S4, V27.S4], 64(R2)
	RET

#define ADD8 \
	ADD R1, R2; ADD R1, R2; ADD R1, R2; ADD R1, R2; ADD R1, R2; ADD R1, R2; ADD R1, R2; ADD R1, R2

// func chainARM64(rounds int, step uint64) uint64
TEXT ·chainARM64(SB), NOSPLIT, $0-24
	MOVD rounds+0(FP), R0
	MOVD step+8(FP), R1
	MOVD ZR, R2

loop:
	CMP $1, R0
	BLT done
	ADD8
	ADD8
	ADD8
	ADD8
	ADD8
	ADD8
	ADD8
	ADD8
	SUB $1, R0
	B loop

done:
	MOVD R2, ret+16(FP)
	RET
