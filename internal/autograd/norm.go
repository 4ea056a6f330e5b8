package autograd

import (
	"fmt"
	"math"
)

// layerEpsilon is added to a variance, so that a constant row can be divided.
const layerEpsilon = 1e-5

// LayerNorm returns x with mean 0 and variance 1 along the innermost axis, times a
// gain and plus a bias, which have one element for each of that axis.
func LayerNorm[F Float](x, gain, bias *Node[F]) *Node[F] {
	m := innermost("layer norm", x)
	for _, p := range []*Node[F]{gain, bias} {
		if len(p.shape) != 1 || p.shape[0] != m {
			panic(fmt.Sprintf("autograd: layer norm of %v with %v: want one element for each of the innermost axis", x.shape, p.shape))
		}
	}
	// z is x before gain and bias, inverse one over each row's deviation.
	z, inverse := make([]F, len(x.value)), make([]F, len(x.value)/m)
	return Record("layer norm", x.shape, []*Node[F]{x, gain, bias},
		func(out *Node[F]) {
			for r := range inverse {
				at := r * m
				x, z, y := x.value[at:at+m], z[at:at+m], out.value[at:at+m]
				inverse[r] = standardize(z, x)
				for i := range y {
					y[i] = F(z[i]*gain.value[i]) + bias.value[i]
				}
			}
		},
		func(out *Node[F]) {
			for r := range inverse {
				at := r * m
				z, d := z[at:at+m], out.grad[at:at+m]
				if gain.grad != nil {
					for i := range d {
						gain.grad[i] += F(d[i] * z[i])
					}
				}
				if bias.grad != nil {
					accumulate(bias.grad, d)
				}
				if x.grad == nil {
					continue
				}
				// What would move the mean, or the deviation, is taken out.
				var mean, along F
				for i := range d {
					dz := F(d[i] * gain.value[i])
					mean += dz
					along += F(dz * z[i])
				}
				mean, along = mean/F(m), along/F(m)
				for i := range d {
					dz := F(d[i] * gain.value[i])
					x.grad[at+i] += F(inverse[r] * (dz - mean - F(z[i]*along)))
				}
			}
		})
}

// standardize sets z to x with mean 0 and variance 1, and returns one over x's
// deviation.
func standardize[F Float](z, x []F) F {
	var mean, variance F
	for _, v := range x {
		mean += v
	}
	mean /= F(len(x))
	for i, v := range x {
		z[i] = v - mean
		variance += F(z[i] * z[i])
	}
	inverse := 1 / F(math.Sqrt(float64(variance/F(len(x))+layerEpsilon)))
	for i := range z {
		z[i] *= inverse
	}
	return inverse
}
