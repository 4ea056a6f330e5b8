//go:build !linux

package kernels

// Where a worker runs is the system's affair.
type (
	place  struct{}
	places struct{}
)

func newPlace() place { return place{} }

func (places) refuse() {}

func (places) apart([]*worker) {}
