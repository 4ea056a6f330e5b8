package host

import (
	"errors"
	"io/fs"
	"strings"
)

func readSystem(root fs.FS, live Live) System {
	s := System{OS: readOS(root, live)}
	u, err := live.Uname()
	if err != nil {
		s.Kernel = either(textFact(root, "/proc/sys/kernel/osrelease"), Missing[string]("no uname"))
		s.Arch = either(textFact(root, "/proc/sys/kernel/arch"), Missing[string]("no uname"))
		return s
	}
	s.Kernel = Known(clean(u.System+" "+u.Release), "", "uname")
	s.Arch = Known(clean(u.Machine), "", "uname")
	return s
}

func readOS(root fs.FS, live Live) Fact[string] {
	// os-release(5): /etc first, the vendor's copy second.
	var first error
	for _, name := range []string{"/etc/os-release", "/usr/lib/os-release"} {
		s, err := readText(root, name)
		if err == nil {
			var v string
			if v, err = prettyName(s); err == nil {
				return Known(v, "", name)
			}
		}
		if first == nil {
			first = err
		}
	}
	if v, err := live.Sysctl("kern.osproductversion"); err == nil {
		return Known("macOS "+clean(v), "", "sysctl")
	}
	if errors.Is(first, errNoPretty) {
		return Missing[string]("/etc/os-release has no PRETTY_NAME")
	}
	return Missing[string](why("/etc/os-release", first))
}

var errNoPretty = errors.New("no PRETTY_NAME")

// prettyName returns PRETTY_NAME of an os-release file.
func prettyName(s string) (string, error) {
	for line := range strings.Lines(s) {
		v, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME=")
		if !ok {
			continue
		}
		if v = clean(strings.Trim(v, `"'`)); v != "" {
			return v, nil
		}
	}
	return "", errNoPretty
}

func readClock(root fs.FS) Clock {
	const dir = "/sys/devices/system/clocksource/clocksource0/"
	c := Clock{
		Source:     readClockSource(root),
		Overhead:   Missing[float64]("not measured yet"),
		Resolution: Missing[float64]("not measured yet"),
	}
	s, err := readText(root, dir+"available_clocksource")
	if err != nil {
		c.Available = Missing[[]string](why(dir+"available_clocksource", err))
		return c
	}
	c.Available = Known(strings.Fields(clean(s)), "", dir+"available_clocksource")
	return c
}

func readClockSource(root fs.FS) Fact[string] {
	return textFact(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource")
}
