package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"envelope/manifest"
)

// program is what was run. Sources are told by package; those of labs stand with
// their labs.
func program(runs []*manifest.Run) []aspect {
	plain := func(name, label string, get func(*manifest.Program) string) aspect {
		return aspect{name: "program." + name, label: label, get: func(r *manifest.Run) Value { return Value{Value: get(&r.Program)} }}
	}
	out := []aspect{
		plain("version", "version", func(p *manifest.Program) string { return p.Version }),
		{name: "program.commit", label: "commit", hash: true, get: func(r *manifest.Run) Value { return value(r.Program.Commit) }},
		{name: "program.dirty", label: "changes that are in no commit", get: func(r *manifest.Run) Value { return value(r.Program.Dirty) }},
		plain("go_version", "Go", func(p *manifest.Program) string { return p.GoVersion }),
		plain("goos", "built for the system", func(p *manifest.Program) string { return p.GOOS }),
		plain("goarch", "built for the architecture", func(p *manifest.Program) string { return p.GOARCH }),
	}
	for _, key := range union(runs, func(r *manifest.Run) []string { return slices.Sorted(maps.Keys(r.Program.Settings)) }) {
		out = append(out, aspect{name: "program.settings." + key, label: "build setting " + key, get: func(r *manifest.Run) Value {
			v, ok := r.Program.Settings[key]
			if !ok {
				return Value{Unknown: "it is not set"}
			}
			return Value{Value: v}
		}})
	}
	for _, dir := range union(runs, func(r *manifest.Run) []string { return slices.Sorted(maps.Keys(r.Program.Sources)) }) {
		if !strings.HasPrefix(dir, "labs/") {
			out = append(out, source("program.sources."+dir, "sources of "+dir, dir))
		}
	}
	return out
}

// union is the names that any of the things has: those of the first, then what
// each of the others adds.
func union[T any](of []T, names func(T) []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, t := range of {
		for _, name := range names(t) {
			if !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}

// source is the hash over a package's sources.
func source(name, label, dir string) aspect {
	return aspect{name: name, label: label, hash: true, get: func(r *manifest.Run) Value {
		files, ok := r.Program.Sources[dir]
		if !ok {
			return Value{Unknown: "there is no such package"}
		}
		return Value{Value: manifest.SourceHash(files)}
	}}
}

// sources are those of a lab. A run without it has nothing to differ by.
func sources(name string, in []*manifest.Lab) []Difference {
	d := Difference{Name: fmt.Sprintf("labs.%s.source", name), Label: "sources", Hash: true}
	first, found := "", false
	for _, l := range in {
		if l == nil {
			d.Values = append(d.Values, Value{Unknown: "the lab was not run"})
			continue
		}
		d.Values = append(d.Values, Value{Value: l.Source})
		found = found || first != "" && l.Source != first
		if first == "" {
			first = l.Source
		}
	}
	if !found {
		return nil
	}
	return []Difference{d}
}

// called is how the program was called, as far as it changes what is measured.
// What is printed and where it is kept does not.
func called() []aspect {
	return []aspect{
		{name: "command.1", label: "command", get: func(r *manifest.Run) Value {
			if len(r.Command) < 2 {
				return Value{Unknown: "none is recorded"}
			}
			return Value{Value: r.Command[1]}
		}},
		{name: "labs.seed", label: "seed", unit: "1", get: ofLabs(func(l *manifest.Lab) uint64 { return l.Seed })},
		{name: "labs.full", label: "--full", get: ofLabs(func(l *manifest.Lab) bool { return l.Full })},
		{name: "command.budget", label: "--budget", unit: "s", get: func(r *manifest.Run) Value {
			text := flagOf(r.Command, "--budget")
			if len(text) == 0 {
				return Value{Unknown: "each lab had its own"}
			}
			d, err := time.ParseDuration(text[len(text)-1])
			if err != nil {
				return Value{Unknown: "it can't be read"}
			}
			return Value{Value: d.Seconds()}
		}},
		{name: "command.device", label: "--device", get: func(r *manifest.Run) Value {
			if devices := flagOf(r.Command, "--device"); len(devices) > 0 {
				return Value{Value: strings.Split(strings.Join(devices, ","), ",")}
			}
			return Value{Unknown: "all devices"}
		}},
		{name: "command.trace", label: "--trace given", get: func(r *manifest.Run) Value { return Value{Value: len(flagOf(r.Command, "--trace")) > 0} }},
		{name: "labs.barrier", label: "write and fsync that sized the labs", unit: "s", alike: within(2), get: func(r *manifest.Run) Value {
			if len(r.Labs) == 0 {
				return Value{Unknown: "no lab was run"}
			}
			return Value{Value: r.Labs[0].Barrier}
		}},
	}
}

// ofLabs is what all labs of a run have in common.
func ofLabs[T comparable](get func(*manifest.Lab) T) func(*manifest.Run) Value {
	return func(r *manifest.Run) Value {
		if len(r.Labs) == 0 {
			return Value{Unknown: "no lab was run"}
		}
		v := get(&r.Labs[0])
		for i := range r.Labs {
			if get(&r.Labs[i]) != v {
				return Value{Unknown: "it is not the same in all labs"}
			}
		}
		return Value{Value: v}
	}
}

// flagOf returns the values that a command line gives a flag.
func flagOf(command []string, name string) []string {
	var out []string
	for i, arg := range command {
		switch value, joined := strings.CutPrefix(arg, name+"="); {
		case joined:
			out = append(out, value)
		case arg == name && i+1 < len(command):
			out = append(out, command[i+1])
		}
	}
	return out
}
