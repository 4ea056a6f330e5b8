package driver

import (
	"fmt"
	"slices"
	"strings"

	"envelope/axioms"
	"envelope/internal/lab"
)

// item is one lab of a plan. A nil wanted means all of its claims; otherwise it
// is run for the sake of those that others rest on.
type item struct {
	lab    *lab.Lab
	wanted map[string]bool
}

// Labs resolves names of labs and groups in the order of the registry. No
// name at all means the storage and serving groups.
func Labs(all []*lab.Lab, names []string) ([]*lab.Lab, error) {
	if len(names) == 0 {
		names = []string{string(lab.Storage), string(lab.Serving)}
	}
	chosen := map[*lab.Lab]bool{}
	for _, name := range names {
		found := name == "all"
		for _, l := range all {
			if name == "all" || name == l.Name || name == string(l.Group) {
				chosen[l], found = true, true
			}
		}
		isGroup := slices.Contains(groups, lab.Group(name))
		if !found && !isGroup {
			return nil, fmt.Errorf("no lab or group is called %q%s", name, ThereAre(name, known(all)))
		}
	}
	var out []*lab.Lab
	for _, l := range all {
		if chosen[l] {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no lab is in %s yet; there are %s", strings.Join(names, ", "), strings.Join(known(all), ", "))
	}
	return out, nil
}

// ThereAre ends a message about a name that is none of those: what may have been
// meant, and all that there are.
func ThereAre(name string, names []string) string {
	all := "there are " + strings.Join(names, ", ")
	if meant := axioms.Meant(name, names); meant != "" {
		return ": " + meant + " " + all
	}
	return "; " + all
}

// known lists what can be named on a command line.
func known(all []*lab.Lab) []string {
	var names []string
	for _, l := range all {
		names = append(names, l.Name)
	}
	return append(names, Groups(all)...)
}

// Groups lists the groups that have labs, and "all".
func Groups(all []*lab.Lab) []string {
	var out []string
	for _, g := range groups {
		if slices.ContainsFunc(all, func(l *lab.Lab) bool { return l.Group == g }) {
			out = append(out, string(g))
		}
	}
	return append(out, "all")
}

var groups = []lab.Group{lab.Storage, lab.Serving, lab.Studies}

// plan adds to the chosen labs the probes of what their claims rest on.
func plan(all, chosen []*lab.Lab, only map[string]bool) []item {
	need := map[string]map[string]bool{} // lab -> claims
	var want func(name string)
	want = func(name string) {
		l, c, _ := strings.Cut(name, "/")
		if need[l][c] {
			return
		}
		if need[l] == nil {
			need[l] = map[string]bool{}
		}
		need[l][c] = true
		for _, candidate := range all {
			if candidate.Name == l {
				for _, p := range candidate.Claim(c).RestsOn {
					want(p)
				}
			}
		}
	}
	for _, l := range chosen {
		for _, c := range l.Claims {
			if only == nil || only[l.Name+"/"+c.Name] {
				want(l.Name + "/" + c.Name)
			}
		}
	}
	var items []item
	for _, l := range all {
		if claims := need[l.Name]; len(claims) == len(l.Claims) {
			items = append(items, item{lab: l})
		} else if len(claims) > 0 {
			items = append(items, item{lab: l, wanted: claims})
		}
	}
	return items
}

// Devices lists the devices that claims are made for, in the order of the labs:
// what stands behind @ in their names.
func Devices(all []*lab.Lab) []string {
	var out []string
	for _, l := range all {
		for _, c := range l.Claims {
			if _, device, ok := strings.Cut(c.Name, "@"); ok && !slices.Contains(out, device) {
				out = append(out, device)
			}
		}
	}
	return out
}

// OnDevices returns the claims, as LAB/CLAIM, that are made for one of the
// devices or for none in particular. A name that is no device is an error.
func OnDevices(all []*lab.Lab, devices []string) (map[string]bool, error) {
	known := Devices(all)
	for _, d := range devices {
		if !slices.Contains(known, d) {
			return nil, fmt.Errorf("--device: there is no %q; claims are made for %s", d, strings.Join(known, ", "))
		}
	}
	only := map[string]bool{}
	for _, l := range all {
		for _, c := range l.Claims {
			if _, device, ok := strings.Cut(c.Name, "@"); !ok || slices.Contains(devices, device) {
				only[l.Name+"/"+c.Name] = true
			}
		}
	}
	return only, nil
}

// requirable lists the claims, or the labs and devices, that --require may name.
func requirable(all []*lab.Lab, claims bool) []string {
	if !claims {
		return append(known(all)[:len(all)], Devices(all)...)
	}
	var out []string
	for _, l := range all {
		for _, c := range l.Claims {
			out = append(out, l.Name+"/"+c.Name)
		}
	}
	return out
}

// CheckRequire returns an error for a name in --require that is no lab, claim
// or device. Unknown names are usage errors: a gate with a typo never closes.
func CheckRequire(all []*lab.Lab, require []string) error {
	for _, name := range require {
		labPart, claimPart, hasClaim := strings.Cut(name, "/")
		ok := false
		for _, l := range all {
			ok = ok || l.Name == labPart && (!hasClaim || l.Claim(claimPart) != nil)
		}
		if !ok && !slices.Contains(Devices(all), name) {
			meant := axioms.Meant(name, requirable(all, hasClaim))
			if meant != "" {
				meant = ": " + meant
			}
			return fmt.Errorf("--require: no lab, claim or device is called %q%s", name, meant)
		}
	}
	return nil
}
