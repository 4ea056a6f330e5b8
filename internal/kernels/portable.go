package kernels

import "unsafe"

// portable is plain Go: the path of last resort, and the twin that assembly is compared with.
var portable = &path{
	name: "portable", sum: sumPortable, fma: fmaPortable, flops: 2 * portableLanes, perCycle: 2 * 4, width: portableWidth,
	tiles: []tile{tilePortable1, tilePortable2, tilePortable3, tilePortable4},
}

const (
	portableLanes = 8
	portableWidth = 8
)

// sumPortable adds in eight partial sums, so that an addition need not wait for the one before.
func sumPortable(p *float32, n int) float32 {
	v := unsafe.Slice(p, n)
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	for len(v) >= 8 {
		s0 += v[0]
		s1 += v[1]
		s2 += v[2]
		s3 += v[3]
		s4 += v[4]
		s5 += v[5]
		s6 += v[6]
		s7 += v[7]
		v = v[8:]
	}
	total := ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
	for _, f := range v {
		total += f
	}
	return total
}

func fmaPortable(n int, seeds *float32) float32 {
	s := (*[portableLanes]float32)(unsafe.Pointer(seeds))
	a0, a1, a2, a3, a4, a5, a6, a7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	for range n {
		a0 = a0*factor + term
		a1 = a1*factor + term
		a2 = a2*factor + term
		a3 = a3*factor + term
		a4 = a4*factor + term
		a5 = a5*factor + term
		a6 = a6*factor + term
		a7 = a7*factor + term
	}
	return ((a0 + a4) + (a2 + a6)) + ((a1 + a5) + (a3 + a7))
}

func tilePortable1(k int, w, x, y *float32, stride, more int, _ *float32, _ int) {
	tilePortable(1, k, w, x, y, stride, more)
}

func tilePortable2(k int, w, x, y *float32, stride, more int, _ *float32, _ int) {
	tilePortable(2, k, w, x, y, stride, more)
}

func tilePortable3(k int, w, x, y *float32, stride, more int, _ *float32, _ int) {
	tilePortable(3, k, w, x, y, stride, more)
}

func tilePortable4(k int, w, x, y *float32, stride, more int, _ *float32, _ int) {
	tilePortable(4, k, w, x, y, stride, more)
}

// tilePortable takes one batch row at a time; its panel stays in the cache for the next.
func tilePortable(rows, k int, w, x, y *float32, stride, more int) {
	out := unsafe.Slice(y, (rows-1)*stride+portableWidth)
	for r := range rows {
		panel, xs := unsafe.Slice(w, k*portableWidth), unsafe.Slice(x, k*rows)
		o := (*[portableWidth]float32)(out[r*stride:])
		if more == 0 {
			*o = [portableWidth]float32{}
		}
		a0, a1, a2, a3, a4, a5, a6, a7 := o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7]
		for i := r; len(panel) >= portableWidth && i < len(xs); i += rows {
			v, p := xs[i], (*[portableWidth]float32)(panel)
			a0 += p[0] * v
			a1 += p[1] * v
			a2 += p[2] * v
			a3 += p[3] * v
			a4 += p[4] * v
			a5 += p[5] * v
			a6 += p[6] * v
			a7 += p[7] * v
			panel = panel[portableWidth:]
		}
		*o = [portableWidth]float32{a0, a1, a2, a3, a4, a5, a6, a7}
	}
}
