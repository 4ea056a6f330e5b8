package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Release is the version of this program, as the CHANGELOG has it.
const Release = "0.1.0"

// complete checks that nothing is missing from the run: a lab that was asked for
// has all claims that its release published, and one that was not is there for
// the claims that others rest on. A failure that was cut out of a file is found
// by the gap.
func (c *checker) complete() {
	release, ok := releaseOf(c.Program.Version)
	if !ok || len(c.Command) < 2 {
		return
	}
	asked, devices := c.asked()
	rested := map[string]bool{}
	for _, claim := range c.verdicts {
		for _, name := range claim.RestsOn {
			rested[name] = true
		}
	}
	byLab := map[string][]string{} // claims that ought to be there
	group := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.methods)) {
		lab, claim, _ := strings.Cut(name, "/")
		for _, m := range c.methods[name] {
			group[lab] = m.Group
			if since, ok := releaseOf(m.Since); !ok || slices.Compare(since, release) > 0 {
				continue
			}
			_, device, special := strings.Cut(claim, "@")
			if !special || len(devices) == 0 || slices.Contains(devices, device) {
				byLab[lab] = append(byLab[lab], name)
				break
			}
		}
	}
	at := map[string]int{}
	for i, l := range c.Labs {
		at[l.Name] = i
	}
	for _, lab := range slices.Sorted(maps.Keys(byLab)) {
		i, there := at[lab]
		// A sitting of predict makes a run of each of its labs.
		wanted := c.Command[1] == "run" && asked(lab, group[lab])
		if !there && wanted && c.Outcome == Complete {
			c.add(".labs", "lab %s was asked for, and is not there", lab)
		}
		for _, name := range byLab[lab] {
			if c.verdicts[name] == nil && there && (wanted || rested[name]) {
				c.add(fmt.Sprintf(".labs[%d].claims", i), "%s is not there", name)
			}
		}
	}
}

// asked reads the command: which labs it names, and which devices.
func (c *checker) asked() (lab func(name, group string) bool, devices []string) {
	var names []string
	flag := ""
	for _, arg := range c.Command[2:] {
		name, value, has := strings.Cut(arg, "=")
		switch {
		case strings.HasPrefix(arg, "-"):
			flag = name
			if has && name == "--device" {
				devices = append(devices, strings.Split(value, ",")...)
			}
			if has || switches[name] {
				flag = ""
			}
		case flag == "--device":
			devices, flag = append(devices, strings.Split(arg, ",")...), ""
		case flag != "":
			flag = ""
		default:
			names = append(names, arg)
		}
	}
	if len(names) == 0 {
		names = []string{"storage", "serving"}
	}
	return func(name, group string) bool {
		return slices.Contains(names, name) || slices.Contains(names, group) || slices.Contains(names, "all")
	}, devices
}

// switches are the flags that take no value of their own.
var switches = map[string]bool{"--full": true, "--allow-noisy": true, "--plain": true, "--when-quiet": true}

// releaseOf reads a version of numbers and dots.
func releaseOf(version string) ([]int, bool) {
	var out []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, false
		}
		out = append(out, n)
	}
	return out, len(out) > 0
}
