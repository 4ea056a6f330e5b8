package manifest

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"envelope/internal/host"

	"github.com/google/go-cmp/cmp"
)

func TestSchemaIsThatOfTheTypes(t *testing.T) {
	want := generate(t)
	if *update {
		if err := os.WriteFile(schemaName, want, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("written; run again to test it")
	}
	if diff := cmp.Diff(string(Schema), string(want)); diff != "" {
		t.Errorf("%s is not that of the types (- file, + types); go test ./manifest -run TestSchema -update writes it:\n%s", schemaName, diff)
	}
	if _, err := compileSchema(""); err != nil {
		t.Error(err)
	}
}

// TestSchemaFields walks the types and the schema side by side.
func TestSchemaFields(t *testing.T) {
	if *update {
		t.Skip("the schema is being written")
	}
	var schema object
	if err := json.Unmarshal(Schema, &schema); err != nil {
		t.Fatal(err)
	}
	seen := map[reflect.Type]bool{}
	var walk func(path string, typ reflect.Type, s object)
	walk = func(path string, typ reflect.Type, s object) {
		if ref, ok := s["$ref"].(string); ok {
			s = schema["$defs"].(object)[strings.TrimPrefix(ref, "#/$defs/")].(object)
		}
		if any, ok := s["anyOf"].([]any); ok {
			walk(path, typ, any[1].(object))
			return
		}
		if _, ok := special[typ]; ok {
			return // their examples are validated
		}
		switch typ.Kind() {
		case reflect.Pointer:
			walk(path, typ.Elem(), s)
		case reflect.Slice:
			walk(path+"[]", typ.Elem(), s["items"].(object))
		case reflect.Map:
			walk(path+"{}", typ.Elem(), s["additionalProperties"].(object))
		case reflect.Struct:
			if seen[typ] {
				return
			}
			seen[typ] = true
			if s["additionalProperties"] != false {
				t.Errorf("%s: unknown fields are let pass", path)
			}
			have := s["properties"].(object)
			want := jsonFields(typ)
			for key, f := range want {
				if have[key] == nil {
					t.Errorf("%s.%s is not in the schema", path, key)
					continue
				}
				walk(path+"."+key, f.Type, have[key].(object))
			}
			for key := range have {
				if _, ok := want[key]; !ok {
					t.Errorf("%s.%s is in the schema only", path, key)
				}
			}
		}
	}
	walk("", reflect.TypeFor[Document](), schema)
	if !seen[reflect.TypeFor[host.CPU]()] || !seen[reflect.TypeFor[Evidence]()] {
		t.Error("the walk did not get to the leaves")
	}
	for key := range fields {
		name, field, _ := strings.Cut(key, ".")
		found := false
		for typ := range seen {
			_, has := jsonFields(typ)[field]
			found = found || typ.Name() == name && has
		}
		if !found {
			t.Errorf("the rule for %s is for no field", key)
		}
	}
}

// validate validates a document.
func validate(t *testing.T, doc any) []Problem {
	t.Helper()
	s, err := compileSchema("")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return schemaProblems(s, value)
}

func TestSchemaTakesAFullRun(t *testing.T) {
	run := exampleRun(t)
	here := exampleRun(t)
	here.Environment = host.Here(t.TempDir())
	here.Environment.Clock.Overhead = host.Known(4e-8, "s", "measured")
	here.Environment.Clock.Resolution = host.Known(1e-9, "s", "measured")
	here.EnvironmentEnd = here.Environment.Load
	for _, p := range validate(t, whole(Document{Format, []Run{run, here}})) {
		t.Error(p)
	}
}

func TestSchemaRefuses(t *testing.T) {
	check := func(name, path string, change func(run object)) {
		t.Helper()
		text, err := json.Marshal(whole(Document{Format, []Run{exampleRun(t)}}))
		if err != nil {
			t.Fatal(err)
		}
		var doc object
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		change(doc["runs"].([]any)[0].(object))
		got := validate(t, doc)
		if !slices.ContainsFunc(got, func(p Problem) bool { return p.Path == "runs[0]"+path }) {
			t.Errorf("%s: got %v, want a problem at runs[0]%s", name, got, path)
		}
	}
	lab := func(run object) object { return run["labs"].([]any)[0].(object) }
	claim := func(run object) object { return lab(run)["claims"].([]any)[0].(object) }
	series := func(run object) object { return lab(run)["series"].([]any)[0].(object) }
	check("unknown field", "", func(r object) { r["x"] = 1 })
	check("unknown field in a fact", ".environment.cpu.model", func(r object) {
		r["environment"].(object)["cpu"].(object)["model"].(object)["x"] = 1
	})
	check("another spelling", ".labs[0].claims[0]", func(r object) { claim(r)["Verdict"] = "held" })
	check("missing field", ".labs[0]", func(r object) { delete(lab(r), "seed") })
	check("null for a list", ".labs[0].notes", func(r object) { lab(r)["notes"] = nil })
	check("verdict", ".labs[0].claims[0].verdict", func(r object) { claim(r)["verdict"] = "true" })
	check("void without a reason", ".labs[0].claims[0].reason", func(r object) { claim(r)["verdict"] = "void" })
	check("held with a reason", ".labs[0].claims[0].reason", func(r object) { claim(r)["reason"] = "noisy" })
	check("unit", ".labs[0].series[0].unit", func(r object) { series(r)["unit"] = "ms" })
	check("number as text", ".labs[0].series[0].p50", func(r object) { series(r)["p50"] = "1.5" })
	check("long plain array", ".labs[0].series[0].samples", func(r object) { series(r)["samples"] = make([]int, 25) })
	check("fact that is nothing", ".environment.cpu.model", func(r object) {
		r["environment"].(object)["cpu"].(object)["model"] = object{"value": nil}
	})
	check("fact that is both", ".environment.cpu.model.unknown", func(r object) {
		r["environment"].(object)["cpu"].(object)["model"].(object)["unknown"] = "?"
	})
	check("id", ".id", func(r object) { r["id"] = "1" })
	check("time", ".started", func(r object) { r["started"] = "yesterday" })
	check("hash", fmt.Sprintf(".program.sources.%s.%s", "labs/barrier", "barrier.go"), func(r object) {
		r["program"].(object)["sources"].(object)["labs/barrier"].(object)["barrier.go"] = "ABC"
	})
}
