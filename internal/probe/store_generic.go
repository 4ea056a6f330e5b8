//go:build purego || !(amd64 || arm64)

package probe

// stores lists what can be run here.
func stores() []storing { return []storing{portable} }
