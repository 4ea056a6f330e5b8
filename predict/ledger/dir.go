package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// DefaultDir returns the state directory: $XDG_STATE_HOME/envelope, or
// ~/.local/state/envelope where the variable is not set. It makes nothing.
func DefaultDir() (string, error) {
	// A relative path is refused, as os.UserConfigDir does: the record would
	// depend on where the program is called.
	if state := os.Getenv("XDG_STATE_HOME"); state != "" {
		if !filepath.IsAbs(state) {
			return "", fmt.Errorf("XDG_STATE_HOME is %q, not an absolute path: correct it or unset it", state)
		}
		return filepath.Join(state, "envelope"), nil
	}
	const advice = "set XDG_STATE_HOME to a directory for the record of predictions"
	home := os.Getenv("HOME")
	if home == "" {
		return "", errors.New("HOME is not set: " + advice)
	}
	if !filepath.IsAbs(home) {
		return "", fmt.Errorf("HOME is %q, not an absolute path: %s", home, advice)
	}
	info, err := os.Stat(home)
	if err == nil && !info.IsDir() {
		err = errors.New("not a directory")
	}
	if err != nil {
		return "", fmt.Errorf("HOME can't be used: %w: %s", err, advice)
	}
	return filepath.Join(home, ".local", "state", "envelope"), nil
}
