// Package deps pins the modules that are on their way in; it goes when the last of them has an importer.
package deps

import (
	_ "github.com/dustin/go-humanize"
	_ "github.com/gofrs/flock"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/hanwen/go-fuse/v2/fs"
	_ "github.com/klauspost/cpuid/v2"
	_ "github.com/mattn/go-isatty"
	_ "github.com/montanaflynn/stats"
	_ "github.com/prometheus/procfs"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/schollz/progressbar/v3"
	_ "github.com/spf13/cobra"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/term"
	_ "gonum.org/v1/gonum/stat/distuv"
	_ "pgregory.net/rapid"
)
