module envelope/bench/kernels

go 1.26.0

require (
	envelope v0.0.0
	golang.org/x/sys v0.50.0
)

replace envelope => ../..
