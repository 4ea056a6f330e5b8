//go:build !linux

package probe

// smallPages has nothing to ask for here.
func smallPages([]byte) {}
