package manifest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"envelope/internal/measure"
)

// Methods are all methods that were ever published: by "lab/claim", then by
// version. A published method never changes, so that an old file is judged by
// the terms that it was measured under.
type Methods map[string]map[int]Method

// Method is what one version of a claim is judged by.
type Method struct {
	Terms   measure.Terms `json:"terms"`
	Unit    string        `json:"unit"`
	Scope   string        `json:"scope"`
	RestsOn []string      `json:"rests_on"`
	Syncs   bool          `json:"syncs"`            // void (unfit) where the directory is known not to sync
	Group   string        `json:"group"`            // that its lab is in
	Since   string        `json:"since"`            // the release that published it
	System  string        `json:"system,omitempty"` // the only GOOS that can tell
}

//go:embed methods.json
var methodsJSON []byte

// LoadMethods returns the methods that are published with this program.
func LoadMethods() (Methods, error) {
	d := json.NewDecoder(bytes.NewReader(methodsJSON))
	d.DisallowUnknownFields()
	var m Methods
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("methods.json: %w", err)
	}
	return m, nil
}
