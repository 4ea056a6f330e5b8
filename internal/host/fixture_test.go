package host

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
)

// fixture is one machine in one file of testdata: the archive is its tree from /,
// the comment above it says how Live answers and what must come out.
//
//	dir PATH              the directory that is measured
//	dev MAJ:MIN           its st_dev
//	magic HEX             its file system's magic number
//	blocks PATH N         how large the file system at the path says that it is
//	cpuid - | VENDOR      no hypervisor bit, or the bit and that vendor
//	uname SYSTEM RELEASE MACHINE
//	secret TEXT           must not be in the JSON or in a printed line
//	want PATH VALUE       the fact at the JSON path is known, and is VALUE
//	unknown PATH TEXT     it is not known, for a reason that holds TEXT
//	source PATH TEXT      its source holds TEXT
//	unfit TEXT, fit       what Unfit answers
//	warn TEXT, quiet      what Warnings answers
//	flushes N, uncounted TEXT   what FlushCounter answers
//
// Lines that begin with # are for the reader; any other word is an error. In the
// archive a name that ends in / is an empty directory, "NAME -> TARGET" is a
// symbolic link, and in a file named environ lines end in a zero byte.
type fixture struct {
	name    string
	root    fstest.MapFS
	live    Fixed
	dir     string
	secrets []string
	expect  [][2]string // keyword, rest
}

func fixtures(t *testing.T) []fixture {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	var all []fixture
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parseFixture(a)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		f.name = strings.TrimSuffix(filepath.Base(file), ".txtar")
		all = append(all, f)
	}
	return all
}

func load(t *testing.T, name string) fixture {
	t.Helper()
	for _, f := range fixtures(t) {
		if f.name == name {
			return f
		}
	}
	t.Fatalf("no fixture %q", name)
	return fixture{}
}

func (f fixture) read() Environment { return Read(f.root, f.dir, f.live) }

func parseFixture(a *txtar.Archive) (fixture, error) {
	f := fixture{root: tree(a), dir: "/"}
	for line := range strings.Lines(string(a.Comment)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		var err error
		switch word {
		case "", "#":
		case "dir":
			f.dir = rest
		case "dev":
			var n Number
			n, err = parseNumber(rest)
			f.live.Dev = &n
		case "magic":
			var n uint64
			n, err = strconv.ParseUint(rest, 16, 64)
			f.live.FS = &Statfs{Magic: n}
		case "blocks":
			at, text, _ := strings.Cut(rest, " ")
			if f.live.Sizes == nil {
				f.live.Sizes = map[string]uint64{}
			}
			f.live.Sizes[at], err = strconv.ParseUint(text, 10, 64)
		case "cpuid":
			f.live.CPU = &Processor{Hypervisor: rest != "-"}
			if rest != "-" {
				f.live.CPU.HypervisorVendor = rest
			}
		case "uname":
			p := strings.Fields(rest)
			f.live.Kernel = &Uname{System: p[0], Release: p[1], Machine: p[2]}
		case "secret":
			f.secrets = append(f.secrets, rest)
		case "want", "unknown", "source", "unfit", "fit", "warn", "quiet", "flushes", "uncounted":
			f.expect = append(f.expect, [2]string{word, rest})
		default:
			err = fmt.Errorf("no such word: %q", word)
		}
		if err != nil {
			return f, err
		}
	}
	return f, nil
}

func tree(a *txtar.Archive) fstest.MapFS {
	root := fstest.MapFS{}
	for _, file := range a.Files {
		name, target, link := strings.Cut(file.Name, " -> ")
		switch {
		case link:
			root[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
		case strings.HasSuffix(name, "/"):
			root[strings.TrimSuffix(name, "/")] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
		case strings.HasSuffix(name, "/environ"):
			root[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(string(file.Data), "\n", "\x00"))}
		default:
			root[name] = &fstest.MapFile{Data: file.Data}
		}
	}
	return root
}

func TestFixtures(t *testing.T) {
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			e := f.read()
			doc := decode(t, e)
			for _, x := range f.expect {
				expect(t, f, e, doc, x[0], x[1])
			}
			if len(f.expect) == 0 {
				t.Error("the fixture expects nothing")
			}
		})
	}
}

func decode(t *testing.T, e Environment) any {
	t.Helper()
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func expect(t *testing.T, f fixture, e Environment, doc any, word, rest string) {
	t.Helper()
	path, value, _ := strings.Cut(rest, " ")
	switch word {
	case "want":
		if got := field(at(doc, path), "value"); got != value {
			t.Errorf("%s: got %s (%s), want %s", path, got, field(at(doc, path), "unknown"), value)
		}
	case "unknown":
		if got := field(at(doc, path), "unknown"); value == "" || !strings.Contains(got, value) {
			t.Errorf("%s: got reason %q and value %s, want a reason with %q", path, got, field(at(doc, path), "value"), value)
		}
	case "source":
		if got := field(at(doc, path), "source"); !strings.Contains(got, value) {
			t.Errorf("%s: got source %q, want one with %q", path, got, value)
		}
	case "unfit", "fit":
		reason, unfit := e.Target.Unfit()
		if unfit != (word == "unfit") || !strings.Contains(reason, rest) {
			t.Errorf("got unfit %v %q, want %s %s", unfit, reason, word, rest)
		}
	case "warn":
		if got := strings.Join(e.Target.Warnings(), "\n"); !strings.Contains(got, rest) {
			t.Errorf("got warnings %q, want one with %q", got, rest)
		}
	case "quiet":
		if got := e.Target.Warnings(); len(got) > 0 {
			t.Errorf("got warnings %q, want none", got)
		}
	case "flushes", "uncounted":
		expectFlushes(t, f, e, word, rest)
	}
}

func expectFlushes(t *testing.T, f fixture, e Environment, word, rest string) {
	t.Helper()
	count, reason := e.Target.FlushCounter(f.root)
	if count == nil {
		if word == "flushes" || !strings.Contains(reason, rest) {
			t.Errorf("flushes not counted: %q, want %s %s", reason, word, rest)
		}
		return
	}
	n, err := count()
	if got := strconv.FormatUint(n, 10); err != nil || word == "uncounted" || got != rest {
		t.Errorf("got %s flushes (%v), want %s %s", got, err, word, rest)
	}
}

// at follows a path such as target.disks.0.name; a step into a fact goes into its value.
func at(doc any, path string) any {
	for _, step := range strings.Split(path, ".") {
		if m, ok := doc.(map[string]any); ok {
			if list, ok := m["value"].([]any); ok {
				doc = list
			}
		}
		switch d := doc.(type) {
		case map[string]any:
			doc = d[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(d) {
				return nil
			}
			doc = d[i]
		default:
			return nil
		}
	}
	return doc
}

// field returns a part of a fact as text: lists with spaces, anything that is no
// fact as it is, and "null" for what is not there.
func field(doc any, part string) string {
	if m, ok := doc.(map[string]any); ok {
		doc = m[part]
	}
	switch v := doc.(type) {
	case nil:
		return map[string]string{"value": "null"}[part]
	case []any:
		var words []string
		for _, w := range v {
			words = append(words, fmt.Sprint(w))
		}
		return strings.Join(words, " ")
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}
