package resp

import (
	"flag"
	"os"
	"testing"
)

// TestMain gives property tests the same cases in every run, unless the command
// line says otherwise.
func TestMain(m *testing.M) {
	if f := flag.Lookup("rapid.seed"); f != nil {
		f.Value.Set("1")
	}
	os.Exit(m.Run())
}
