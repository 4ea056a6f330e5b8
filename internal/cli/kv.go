package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"envelope/axioms"
	"envelope/internal/kv"
	"envelope/internal/typeset"
)

// kvFlags are what envelope kv was asked for.
type kvFlags struct {
	memory, weights, cache, device, format, state, dir string
	context                                            int64
	ignore                                             []string
}

func (a *app) kvCommand() *cobra.Command {
	var o kvFlags
	cmd := &cobra.Command{
		Use: "kv CONFIG", Short: "what a model's keys and values take, and how many sequences fit",
		Long: "Reads a model's config.json (a file, a directory that has one, or - for standard input) and says what the keys and\n" +
			"values of a sequence take. With --memory it divides what the weights leave, says which unit each step has, and whether\n" +
			"memory or arithmetic ends the batch. A model that is not known, or a field whose meaning for it is not, is refused.",
		Example: "  envelope kv config.json\n  envelope kv config.json --memory 80GB --context 2048\n  envelope kv config.json --memory 80GiB --weights 14GB --cache fp8",
		Args:    one("a model's config.json", "envelope kv config.json --memory 80GB"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains([]string{"text", "json"}, o.format) {
				return fmt.Errorf("--format %q is none of text, json", o.format)
			}
			s, err := a.size(cmd, args[0], o)
			if errors.Is(err, errNoWeights) && o.format == "text" {
				a.printSizing(s) // what needs no division is known all the same
			}
			if err != nil {
				return err
			}
			if o.format == "json" {
				e := json.NewEncoder(a.out)
				e.SetEscapeHTML(false)
				e.SetIndent("", "  ")
				return e.Encode(s)
			}
			a.printSizing(s)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.memory, "memory", "", "the memory of the device, weights and cache together: a `SIZE` such as 80GB or 80GiB, which are not the same")
	f.StringVar(&o.weights, "weights", "", "the `SIZE` of the weights, where the file does not determine it or they are kept otherwise")
	f.Int64Var(&o.context, "context", 2048, "`TOKENS` of a sequence")
	f.StringVar(&o.cache, "cache", "", "how the cache is kept: "+strings.Join(kv.FormatNames(), ", ")+" (default: as the file says, and f16 where it says nothing)")
	f.StringVar(&o.device, "device", "a100", "whose ridge it is held against: a100, or core for one core of this machine")
	f.StringArrayVar(&o.ignore, "ignore", nil, "a `FIELD` of the file that is not known here, and that you know to leave the cache as it is")
	f.StringVar(&o.format, "format", "text", "text or json")
	a.dirFlag(cmd, &o.dir)
	a.stateFlag(cmd, &o.state)
	return cmd
}

// sizing is what envelope kv says. All sizes are in bytes.
type sizing struct {
	Type      string       `json:"model_type"`
	Cache     string       `json:"cache"`
	Layers    []layerGroup `json:"layers"`
	Context   int64        `json:"context_tokens"`
	Slope     int64        `json:"slope_bytes_per_token"` // what the token behind the context adds
	Intercept int64        `json:"intercept_bytes"`
	Fixed     int64        `json:"fixed_bytes"`
	Sequence  int64        `json:"sequence_bytes"`
	Weights   *weighed     `json:"weights"` // null where they are not known
	Batch     *batch       `json:"batch"`   // null where no memory was given
	Notes     []string     `json:"notes"`

	first   int64 // bytes of the first token
	unknown string
}

type layerGroup struct {
	Count  int    `json:"count"`
	Kind   string `json:"kind"`
	Bytes  int64  `json:"bytes_per_token"`
	Window int64  `json:"window_tokens,omitempty"`
	State  int64  `json:"state_bytes,omitempty"`
	How    string `json:"how"`
}

type weighed struct {
	Bytes      int64 `json:"bytes"`
	Parameters int64 `json:"parameters,omitempty"` // where the file determines them

	given bool // the bytes, by the user
}

type batch struct {
	Memory  int64  `json:"memory_bytes"`
	Free    int64  `json:"free_bytes"` // negative where the weights do not fit
	Ceiling int64  `json:"ceiling_sequences"`
	Device  string `json:"device"`

	// Ridge is the sequences from which on the arithmetic of a pass takes longer than reading the weights and all their
	// caches: null where no number of them gets there, or the weights that a token meets are not known.
	Ridge *float64 `json:"ridge_sequences"`
	Binds string   `json:"binds"` // ceiling, ridge or unknown

	text  string // the memory as it was given
	steps string // of the ridge
}

// size reads the file and does the division.
func (a *app) size(cmd *cobra.Command, name string, o kvFlags) (*sizing, error) {
	if o.context < 1 || o.context > kv.MostTokens {
		return nil, fmt.Errorf("--context %d: want 1 to %s tokens", o.context, humanize.Comma(kv.MostTokens))
	}
	options := kv.Options{Ignore: o.ignore}
	if o.cache != "" {
		f, err := kv.FormatOf(o.cache)
		if err != nil {
			return nil, fmt.Errorf("--cache: %w", err)
		}
		options.Format = &f
	}
	ridge, ok := roofs[o.device]
	if !ok {
		return nil, fmt.Errorf("--device %q is none of a100, core", o.device)
	}
	text, shown, err := readConfig(cmd.InOrStdin(), name)
	if err != nil {
		return nil, err
	}
	m, err := kv.Read(text, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w%s", shown, err, way(err))
	}
	s := &sizing{Type: m.Type, Cache: m.Format.Name, Context: o.context, Slope: m.Slope(o.context), Intercept: m.Intercept(o.context),
		Fixed: m.Fixed(), Sequence: m.Total(o.context), Notes: append([]string{}, m.Notes...), first: m.Slope(0), unknown: m.Unknown}
	if m.Longest > 0 && o.context > m.Longest {
		s.Notes = append(s.Notes, fmt.Sprintf("%s is %s: a context of %s tokens is longer than the file says the model reads",
			m.LongestField, humanize.Comma(m.Longest), humanize.Comma(o.context)))
	}
	for _, g := range m.Groups() {
		s.Layers = append(s.Layers, layerGroup{g.Count, g.Kind, g.Bytes, g.Window, g.State, g.How})
	}
	if s.Weights, err = weights(m, o.weights); err != nil || o.memory == "" {
		return s, err
	}
	return s, a.divide(s, o, ridge)
}

// way adds the flag by which a file that was refused may be read after all.
func way(err error) string {
	switch {
	case errors.Is(err, kv.ErrField):
		return ": --ignore FIELD"
	case errors.Is(err, kv.ErrFormat):
		return ": --cache FORMAT"
	}
	return ""
}

// readConfig reads a file, the config.json of a directory, or standard input.
func readConfig(in io.Reader, name string) (text []byte, shown string, err error) {
	const most = 2 << 20 // more than is accepted, so that it is refused for its size
	if name == "-" {
		text, err = io.ReadAll(io.LimitReader(in, most))
		return text, "standard input", err
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		name = filepath.Join(name, "config.json")
	}
	f, err := openFile(name)
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return nil, "", fmt.Errorf("%s: %w", name, path.Err)
	}
	defer f.Close()
	text, err = io.ReadAll(io.LimitReader(f, most))
	return text, name, err
}

// weights are those that the user gave, or that the file determines.
func weights(m *kv.Model, given string) (*weighed, error) {
	if given != "" {
		n, err := wholeBytes("--weights", given)
		return &weighed{Bytes: n, Parameters: m.Parameters, given: true}, err
	}
	if m.Size == 0 {
		return nil, nil
	}
	return &weighed{Bytes: m.Size, Parameters: m.Parameters}, nil
}

// wholeBytes reads a size.
func wholeBytes(flag, text string) (int64, error) {
	q, err := axioms.Parse(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", flag, err)
	}
	if q.Dim != axioms.DimByte || q.Value < 1 || q.Value > 1<<53 {
		return 0, fmt.Errorf("%s: got %s, want a size such as 80GB or 80GiB", flag, text)
	}
	return int64(math.Round(q.Value)), nil
}

// roof is a device that a ceiling is held against: the axioms for its peak and
// its bandwidth.
type roof struct{ peak, bandwidth string }

var roofs = map[string]roof{
	"a100": {"a100-peak", "a100-bandwidth"},
	"core": {"core-peak", "dram-read"},
}

var errNoWeights = errors.New("the size of the weights is not in the file")

// divide finds the ceiling, and what ends the batch.
func (a *app) divide(s *sizing, o kvFlags, ridge roof) error {
	memory, err := wholeBytes("--memory", o.memory)
	switch {
	case err != nil:
		return err
	case s.Weights == nil:
		return fmt.Errorf("%w (%s), and without it nothing can be divided: --weights 14GB", errNoWeights, s.unknown)
	case s.Sequence == 0:
		return errors.New("no layer keeps anything, so no number of sequences fills a memory")
	}
	set, _ := a.known(o.state, o.dir)
	peak, err := set.Get(ridge.peak)
	if err != nil {
		return err
	}
	bandwidth, err := set.Get(ridge.bandwidth)
	if err != nil {
		return err
	}
	b := &batch{Memory: memory, Free: memory - s.Weights.Bytes, Device: o.device, text: o.memory}
	b.Ceiling = max(0, b.Free) / s.Sequence
	b.hold(s, peak, bandwidth)
	s.Batch = b
	return nil
}

// hold finds out what ends the batch. A pass over n sequences reads the weights and n caches, and takes two operations for each
// weight and sequence; so the two take equally long at n = weights / (2 x parameters x bandwidth / peak - cache).
func (b *batch) hold(s *sizing, peak, bandwidth axioms.Given) {
	if s.Weights.Parameters == 0 {
		b.Binds, b.steps = "unknown", "not reckoned: how many weights a token meets is not in the file ("+s.unknown+")"
		return
	}
	arithmetic := 2 * float64(s.Weights.Parameters) / peak.Quantity.Value
	cache := float64(s.Sequence) / bandwidth.Quantity.Value
	b.steps = fmt.Sprintf("a token takes 2 x %s FLOP / %s = %s of arithmetic and %s B / %s = %s of reading its cache (%s %s, %s %s)",
		humanize.Comma(s.Weights.Parameters), typeset.Quantity(peak.Quantity), typeset.Quantity(axioms.Seconds(arithmetic)),
		humanize.Comma(s.Sequence), typeset.Quantity(bandwidth.Quantity), typeset.Quantity(axioms.Seconds(cache)),
		peak.Name, peak.Kind(), bandwidth.Name, bandwidth.Kind())
	b.Binds = "ceiling"
	if arithmetic <= cache {
		return
	}
	rows := float64(s.Weights.Bytes) / bandwidth.Quantity.Value / (arithmetic - cache)
	b.Ridge = &rows
	if rows <= float64(b.Ceiling) {
		b.Binds = "ridge"
	}
}
