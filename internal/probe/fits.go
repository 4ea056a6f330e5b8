package probe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"envelope/axioms"
	"envelope/internal/host"
)

// onFiles lists the axioms that belong to a file system; all others belong to
// the machine alone.
var onFiles = []string{"seq-write", "file-read", "direct-read", "write-fsync"}

// For returns what of t holds in an environment at a time: everything on the
// machine and the file system that it was measured on, all but the file axioms
// on another file system, and nothing on another machine, as which a new kernel
// counts too. What is said to have been measured later than now has another
// clock, and is left out. The second result says why anything is left out, and
// is empty otherwise. Each axiom says when it was taken.
func (t Taken) For(e host.Environment, now time.Time) ([]axioms.Measured, string) {
	if why := differs(t.Environment, e); why != "" {
		return nil, "measured on another machine: " + why
	}
	if t.Time.After(now) {
		return nil, fmt.Sprintf("measured on %s, and it is %s: has the clock been set back?", t.Time.UTC().Format(time.DateTime), now.UTC().Format(time.DateTime))
	}
	var out []axioms.Measured
	var left []string
	elsewhere := otherFiles(t.Environment.Target, e.Target)
	for _, m := range t.Axioms {
		if elsewhere != "" && slices.Contains(onFiles, m.Name) {
			left = append(left, m.Name)
			continue
		}
		if m.Taken.IsZero() {
			m.Taken = t.Time
		} else if m.Taken.After(t.Time) {
			continue // no measurement is kept from later than the last
		}
		out = append(out, m)
	}
	if len(left) == 0 {
		return out, ""
	}
	return out, strings.Join(left, ", ") + " measured on another file system: " + elsewhere
}

// differs says what shows that two environments are of two machines. What is
// known of neither shows nothing.
func differs(then, now host.Environment) string {
	for _, f := range []struct {
		name string
		a, b fmt.Stringer
	}{
		{"processor", then.CPU.Model, now.CPU.Model}, {"architecture", then.System.Arch, now.System.Arch},
		{"logical CPUs", then.CPU.Logical, now.CPU.Logical}, {"CPUs allowed", then.CPU.Allowed, now.CPU.Allowed},
		{"CPU quota", then.CPU.Quota, now.CPU.Quota}, {"kernel", then.System.Kernel, now.System.Kernel},
		{"virtual machine", then.Virtual.Machine, now.Virtual.Machine}, {"container", then.Virtual.Container, now.Virtual.Container},
	} {
		if then, now := f.a.String(), f.b.String(); then != now {
			return fmt.Sprintf("%s %s then, %s now", f.name, then, now)
		}
	}
	return ""
}

func otherFiles(then, now host.Target) string {
	if a, b := then.Filesystem.String(), now.Filesystem.String(); a != b {
		return fmt.Sprintf("%s then, %s now", a, b)
	}
	if a, b := then.Device.String(), now.Device.String(); a != b {
		return fmt.Sprintf("device %s then, %s now", a, b)
	}
	return ""
}
