package measure

import (
	"flag"
	"os"
	"testing"
)

// whole asks for ten thousand runs of every stream in TestErrorRates, and for
// its table.
var whole = flag.Bool("whole", false, "simulate the error rates in full (with -v: print the table)")

// TestMain fixes what the property tests draw, so that a failure comes again.
// The command line can choose otherwise.
func TestMain(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for _, set := range [][2]string{{"rapid.seed", "1"}, {"rapid.checks", "500"}, {"rapid.nofailfile", "true"}} {
		if !given[set[0]] {
			if err := flag.Set(set[0], set[1]); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}
