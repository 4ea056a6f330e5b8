package host

// Lines returns what a run prints before its first measurement.
func (e Environment) Lines() []string { return nil }
