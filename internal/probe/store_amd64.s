//go:build !purego

#include "textflag.h"

// func store512(p *byte, n int, from *byte)
TEXT ·store512(SB), NOSPLIT, $0-24
	MOVQ      p+0(FP), DI
	MOVQ      n+8(FP), CX
	MOVQ      from+16(FP), SI
	VMOVDQU64 (SI), Z0

loop:
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z0, 64(DI)
	VMOVDQU64 Z0, 128(DI)
	VMOVDQU64 Z0, 192(DI)
	ADDQ      $256, DI
	SUBQ      $256, CX
	JHI       loop
	VZEROUPPER
	RET

// func store256(p *byte, n int, from *byte)
TEXT ·store256(SB), NOSPLIT, $0-24
	MOVQ    p+0(FP), DI
	MOVQ    n+8(FP), CX
	MOVQ    from+16(FP), SI
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1

loop:
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VMOVDQU Y0, 64(DI)
	VMOVDQU Y1, 96(DI)
	VMOVDQU Y0, 128(DI)
	VMOVDQU Y1, 160(DI)
	VMOVDQU Y0, 192(DI)
	VMOVDQU Y1, 224(DI)
	ADDQ    $256, DI
	SUBQ    $256, CX
	JHI     loop
	VZEROUPPER
	RET
