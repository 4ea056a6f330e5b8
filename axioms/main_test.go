package axioms

import (
	"flag"
	"os"
	"testing"
)

// TestMain gives the property tests a fixed seed, so that a run can be repeated, and more cases than they take by
// default, since each costs microseconds. Either can still be chosen on the command line.
func TestMain(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "5000", "rapid.nofailfile": "true"} {
		if given[name] {
			continue
		}
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
