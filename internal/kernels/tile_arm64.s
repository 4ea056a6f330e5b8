//go:build !purego

#include "textflag.h"

// A tile of r rows keeps its sums in V0 to V(4r-1), four registers a row, the weights of one column in V24 to V27 and one
// activation in V28. R0 counts columns; R1, R2, R3 are w, x, y; R4 is the stride in bytes; R5 is more; R6 and R7 are what to
// fetch ahead and by how much.

#define ARGUMENTS \
	MOVD k+0(FP), R0; \
	MOVD w+8(FP), R1; \
	MOVD x+16(FP), R2; \
	MOVD y+24(FP), R3; \
	MOVD stride+32(FP), R4; \
	MOVD more+40(FP), R5; \
	MOVD next+48(FP), R6; \
	MOVD step+56(FP), R7; \
	LSL $2, R4; \
	MOVD R3, R8

#define ZERO(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16

#define LOAD(a, b, c, d) \
	VLD1 (R8), [a.S4, b.S4, c.S4, d.S4]; \
	ADD R4, R8

#define STORE(a, b, c, d) \
	VST1 [a.S4, b.S4, c.S4, d.S4], (R3); \
	ADD R4, R3

#define COLUMN \
	PRFM (R6), PLDL1KEEP; \
	ADD R7, R6; \
	VLD1.P 64(R1), [V24.S4, V25.S4, V26.S4, V27.S4]; \
	SUB $1, R0

#define ROW(a, b, c, d) \
	VLD1R.P 4(R2), [V28.S4]; \
	VFMLA V28.S4, V24.S4, a.S4; \
	VFMLA V28.S4, V25.S4, b.S4; \
	VFMLA V28.S4, V26.S4, c.S4; \
	VFMLA V28.S4, V27.S4, d.S4

#define ONE(op) op(V0, V1, V2, V3)
#define TWO(op) ONE(op); op(V4, V5, V6, V7)
#define THREE(op) TWO(op); op(V8, V9, V10, V11)
#define FOUR(op) THREE(op); op(V12, V13, V14, V15)
#define FIVE(op) FOUR(op); op(V16, V17, V18, V19)
#define SIX(op) FIVE(op); op(V20, V21, V22, V23)

// func tileNEONx1(k int, w, x, y *float32, stride, more int, next *float32, step int)
TEXT ·tileNEONx1(SB), NOSPLIT, $0-64
	ARGUMENTS
	ONE(ZERO)
	CBZ R5, loop
	ONE(LOAD)

loop:
	CMP $1, R0
	BLT done
	COLUMN
	ONE(ROW)
	B loop

done:
	ONE(STORE)
	RET

// func tileNEONx2(k int, w, x, y *float32, stride, more int, next *float32, step int)
TEXT ·tileNEONx2(SB), NOSPLIT, $0-64
	ARGUMENTS
	TWO(ZERO)
	CBZ R5, loop
	TWO(LOAD)

loop:
	CMP $1, R0
	BLT done
	COLUMN
	TWO(ROW)
	B loop

done:
	TWO(STORE)
	RET

// func tileNEONx3(k int, w, x, y *float32, stride, more int, next *float32, step int)
TEXT ·tileNEONx3(SB), NOSPLIT, $0-64
	ARGUMENTS
	THREE(ZERO)
	CBZ R5, loop
	THREE(LOAD)

loop:
	CMP $1, R0
	BLT done
	COLUMN
	THREE(ROW)
	B loop

done:
	THREE(STORE)
	RET

// func tileNEONx4(k int, w, x, y *float32, stride, more int, next *float32, step int)
TEXT ·tileNEONx4(SB), NOSPLIT, $0-64
	ARGUMENTS
	FOUR(ZERO)
	CBZ R5, loop
	FOUR(LOAD)

loop:
	CMP $1, R0
	BLT done
	COLUMN
	FOUR(ROW)
	B loop

done:
	FOUR(STORE)
	RET

// func tileNEONx5(k int, w, x, y *float32, stride, more int, next *float32, step int)
TEXT ·tileNEONx5(SB), NOSPLIT, $0-64
	ARGUMENTS
	FIVE(ZERO)
	CBZ R5, loop
	FIVE(LOAD)

loop:
	CMP $1, R0
	BLT done
	COLUMN
	FIVE(ROW)
	B loop

done:
	FIVE(STORE)
	RET

// func tileNEONx6(k int, w, x, y *float32, stride, more int, next *float32, step int)
TEXT ·tileNEONx6(SB), NOSPLIT, $0-64
	ARGUMENTS
	SIX(ZERO)
	CBZ R5, loop
	SIX(LOAD)

loop:
	CMP $1, R0
	BLT done
	COLUMN
	SIX(ROW)
	B loop

done:
	SIX(STORE)
	RET
