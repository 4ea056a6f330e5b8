// Tmpfs checks the JSON of a run on tmpfs: buffered/measuring-real-storage has
// failed, and every claim that rests on it is void, none held.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"envelope/internal/measure"
	"envelope/manifest"
)

const realStorage = "buffered/measuring-real-storage"

func main() {
	if err := check(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "tmpfs:", err)
		os.Exit(1)
	}
}

func check(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var run manifest.Run
	if err := json.Unmarshal(data, &run); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	resting := 0
	for _, l := range run.Labs {
		for _, c := range l.Claims {
			name := l.Name + "/" + c.Name
			switch rests := slices.Contains(c.RestsOn, realStorage); {
			case name == realStorage && c.Verdict != measure.Failed:
				return fmt.Errorf("got %s %v, want failed", name, c.Verdict)
			case rests && (c.Verdict != measure.Void || c.Reason != measure.Precondition):
				return fmt.Errorf("got %s %v (%s), want void (precondition)", name, c.Verdict, c.Reason)
			case rests:
				resting++
			case name != realStorage && c.Verdict == measure.Failed:
				return fmt.Errorf("got %s failed: %s", name, c.Detail)
			}
		}
	}
	if resting == 0 {
		return fmt.Errorf("no claim rests on %s: nothing was checked", realStorage)
	}
	fmt.Printf("%s failed, and the %d claims that rest on it are void\n", realStorage, resting)
	return nil
}
