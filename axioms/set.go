package axioms

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Measured is an axiom that was measured on this machine.
type Measured struct {
	Name     string
	Quantity Quantity  // the median
	Low      Quantity  // the order-statistic interval of the median,
	High     Quantity  // in the same unit
	N        int       // observations
	Method   string    // how it was measured, in words
	Bounds   string    // what the number limits, in words
	Taken    time.Time // when, where that was before the run that it belongs to; zero: in that run
}

// Validate refuses a Measured that cannot be printed, stored or reckoned with: no name, no observations, a value that is
// not finite and positive, an interval in another unit or one that does not hold the value, or another dimension than
// the constant of the same name.
func (m Measured) Validate() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("measured axiom %q: %s", clip(m.Name), fmt.Sprintf(format, args...))
	}
	switch {
	case !validName(m.Name):
		return fail("want a name of letters, digits and hyphens before letters that is no unit and no function")
	case m.N < 1:
		return fail("%d observations", m.N)
	case !m.Quantity.Finite() || !m.Low.Finite() || !m.High.Finite():
		return fail("%s in %s to %s: not finite", m.Quantity, m.Low, m.High)
	case m.Low.Dim != m.Quantity.Dim || m.High.Dim != m.Quantity.Dim:
		return fail("unit %q, but its interval is in %q and %q", m.Quantity.Dim, m.Low.Dim, m.High.Dim)
	case m.Low.Value <= 0 || m.Low.Value > m.Quantity.Value || m.Quantity.Value > m.High.Value:
		return fail("%s is not inside %s to %s, or not over zero", m.Quantity.Exact(), m.Low.Exact(), m.High.Exact())
	}
	if c, ok := constant(m.Name); ok && c.Quantity.Dim != m.Quantity.Dim {
		return fail("unit %q, but the assumed value is in %q", m.Quantity.Dim, c.Quantity.Dim)
	}
	return nil
}

// validName reports whether an expression can use name: lower-case letters and digits from a letter on, hyphens before
// letters only, and neither a unit nor a function.
func validName(name string) bool {
	for i := range len(name) {
		lower := 'a' <= name[i] && name[i] <= 'z'
		after := name[i] == '-' && i+1 < len(name) && 'a' <= name[i+1] && name[i+1] <= 'z'
		if !lower && (i == 0 || !digit(name[i]) && !after) {
			return false
		}
	}
	_, unit := lookup(name)
	return name != "" && !unit && !slices.Contains(functionNames(), name)
}

// Given is one axiom as a Set gives it.
type Given struct {
	Name      string
	Quantity  Quantity
	Low, High Quantity // the interval of a measured axiom, the range of an assumed one; both Quantity where there is none
	Measured  bool     // measured on this machine; otherwise assumed of a class of hardware
	Source    string   // the method of a measured axiom, class and source of an assumed one
	N         int      // as in Measured; 0 for an assumed axiom, like what follows
	Bounds    string
	Taken     time.Time
}

// Kind returns "measured" or "assumed".
func (g Given) Kind() string {
	if g.Measured {
		return "measured"
	}
	return "assumed"
}

// Set is the axioms of one run: the constants, and before them whatever was measured. The zero Set holds the constants
// alone. A Set is not changed after NewSet and may be shared.
type Set struct {
	measured []Measured
}

// NewSet returns the constants with the measured axioms laid over them. A Measured that Validate refuses and a name that
// comes twice are errors.
func NewSet(measured ...Measured) (Set, error) {
	seen := map[string]bool{}
	for _, m := range measured {
		if err := m.Validate(); err != nil {
			return Set{}, err
		}
		if seen[m.Name] {
			return Set{}, fmt.Errorf("measured axiom %q: given twice", m.Name)
		}
		seen[m.Name] = true
	}
	return Set{slices.Clone(measured)}, nil
}

// Measured returns the measured axioms in the order in which they were given to NewSet.
func (s Set) Measured() []Measured { return slices.Clone(s.measured) }

// Get returns the axiom of that name, measured where it was measured, and says which it is. An underscore in the name
// stands for a hyphen. An unknown name is an error that lists the names near it.
func (s Set) Get(name string) (Given, error) {
	name = strings.ReplaceAll(name, "_", "-")
	if m, ok := s.lookup(name); ok {
		return Given{Name: m.Name, Quantity: m.Quantity, Low: m.Low, High: m.High, Measured: true,
			Source: m.Method, N: m.N, Bounds: m.Bounds, Taken: m.Taken}, nil
	}
	if c, ok := constant(name); ok {
		return Given{Name: c.Name, Quantity: c.Quantity, Low: c.Low, High: c.High, Source: c.Class + ": " + c.Source}, nil
	}
	return Given{}, s.unknown(name)
}

// All returns every axiom of the set: the constants in their order, each replaced where it was measured, and behind them
// the measured ones that have no constant.
func (s Set) All() []Given {
	var out []Given
	for _, name := range s.names() {
		if g, err := s.Get(name); err == nil {
			out = append(out, g)
		}
	}
	return out
}

func (s Set) lookup(name string) (Measured, bool) {
	i := slices.IndexFunc(s.measured, func(m Measured) bool { return m.Name == name })
	if i < 0 {
		return Measured{}, false
	}
	return s.measured[i], true
}

func (s Set) names() []string {
	var out []string
	for _, c := range constants {
		out = append(out, c.Name)
	}
	for _, m := range s.measured {
		if !slices.Contains(out, m.Name) {
			out = append(out, m.Name)
		}
	}
	return out
}

// unknown is the error for a name that the set does not hold.
func (s Set) unknown(name string) error {
	return unknownName("axiom", name, s.names())
}

// unknownName names what is near, and the whole list where nothing is.
func unknownName(kind, name string, names []string) error {
	if meant := Meant(name, names); meant != "" {
		return fmt.Errorf("unknown %s %q: %s", kind, clip(name), meant)
	}
	return fmt.Errorf("unknown %s %q: there are %s", kind, clip(name), strings.Join(names, ", "))
}

// Meant returns "did you mean A or B?" for the names near to one that is unknown, or "" where none is.
func Meant(name string, names []string) string {
	if close := near(name, names); len(close) > 0 {
		return "did you mean " + strings.Join(close, " or ") + "?"
	}
	return ""
}

// near returns the names within a third of their letters of name, or that share a whole part with it, nearest first.
func near(name string, names []string) []string {
	name = strings.ToLower(clip(name))
	type candidate struct {
		name string
		far  int
	}
	var out []candidate
	for _, n := range names {
		far := distance(name, n)
		if far > max(1, len(n)/3) && !sharesPart(name, n) {
			continue
		}
		out = append(out, candidate{n, far})
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return a.far - b.far })
	var list []string
	for _, c := range out[:min(3, len(out))] {
		list = append(list, c.name)
	}
	return list
}

// sharing returns the names of which word is a whole part.
func sharing(word string, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !sharesPart(word, n) })
}

func sharesPart(a, b string) bool {
	for part := range strings.SplitSeq(a, "-") {
		if len(part) > 2 && slices.Contains(strings.Split(b, "-"), part) {
			return true
		}
	}
	return false
}

// distance is the number of single-byte edits between a and b; two neighbours that are swapped are one.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := range len(a) {
		last, above, row := rows[(i+2)%3], rows[i%3], rows[(i+1)%3]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], last[j-1]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
