package manifest

import (
	"bytes"
	"encoding/json"
	"flag"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/internal/measure"
)

var update = flag.Bool("update", false, "write results.schema.json anew from the types")

type object = map[string]any

// units are the base units that a number of the suite can have.
var units = []string{"1", "B", "s", "FLOP", "B/s", "FLOP/s", "FLOP/B", "1/s"}

const hash = "^[0-9a-f]{64}$"

// Every field whose type alone does not say what it may hold.
var fields = map[string]object{
	"Run.id":               {"pattern": uuid7.String()},
	"Run.outcome":          {"enum": []string{"complete", "interrupted"}},
	"Run.exit_code":        {"enum": []int{0, 1, 2, 3, 130}},
	"Run.command":          {"minItems": 1},
	"Run.labs":             {"maxItems": 256},
	"Lab.name":             {"pattern": "^[a-z][a-z0-9]*$"},
	"Lab.source":           {"pattern": hash},
	"Lab.seconds":          {"minimum": 0},
	"Lab.cpu_seconds":      {"minimum": 0},
	"Lab.barrier":          {"minimum": 0},
	"Question.name":        {"pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
	"Question.unit":        {"enum": units},
	"Question.answer":      {"pattern": "^(series|claim) ."},
	"Conditions.wall":      {"minimum": 0},
	"Conditions.cpu":       {"minimum": 0},
	"Series.name":          {"minLength": 1},
	"Series.unit":          {"enum": units},
	"Series.n":             {"minimum": 0},
	"Series.calls":         {"minimum": 0},
	"Series.conditions":    {"minimum": -1},
	"Run.digest":           {"pattern": "^([0-9a-f]{64})?$"},
	"Claim.name":           {"pattern": "^[a-z0-9]+(-[a-z0-9]+)*(@[a-z0-9]+(-[a-z0-9]+)*)?$"},
	"Claim.version":        {"minimum": 1},
	"Claim.scope":          {"enum": []string{"machine", "program"}},
	"Claim.system":         {"enum": []string{"linux", "darwin"}},
	"Claim.unit":           {"enum": units},
	"Claim.controls":       {"minItems": 1},
	"Evidence.trials":      {"minimum": 0, "maximum": 1000000000},
	"Evidence.per":         {"minimum": 0, "maximum": 1000000},
	"Evidence.guard_per":   {"minimum": 0, "maximum": 1000000},
	"Estimate.n":           {"minimum": 0},
	"Prediction.unit":      {"enum": units},
	"Prediction.sha256":    {"pattern": hash},
	"Prediction.question":  {"pattern": "^[a-z][a-z0-9]*/[a-z0-9]+(-[a-z0-9]+)*$"},
	"Prediction.nonce":     {"pattern": "^[0-9a-f]{32,}$"},
	"Prediction.text_hash": {"pattern": hash},
	"Prediction.attempt":   {"minimum": 1},
	"Question.text_hash":   {"pattern": hash},
	"Derivation.unit":      {"enum": append([]string{""}, units...)},
	"Estimate.confidence":  {"minimum": 0, "maximum": 1},
	"Evidence.successes":   {"minimum": 0, "maximum": 1000000000}, // beyond 2^53 the interval can't be computed,
}

// What a whole object must be beyond its fields.
var rules = map[string]object{
	// A claim has a reason exactly when it is void, and then says more.
	"Claim": {
		"if":   object{"properties": object{"verdict": object{"const": "void"}}},
		"then": object{"properties": object{"reason": object{"minLength": 1}, "detail": object{"minLength": 1}}},
		"else": object{"properties": object{"reason": object{"const": ""}}},
	},
}

// A fact is known, or unknown with a reason.
var factRule = object{
	"if":   object{"properties": object{"value": object{"type": "null"}}},
	"then": object{"required": []string{"unknown"}, "properties": object{"unknown": object{"minLength": 1}}},
	"else": object{"properties": object{"unknown": object{"maxLength": 0}}},
}

func words[T ~string](list ...T) []string {
	var out []string
	for _, s := range list {
		out = append(out, string(s))
	}
	return out
}

func closed(properties object, required ...string) object {
	slices.Sort(required)
	return object{"type": "object", "additionalProperties": false, "properties": properties, "required": required}
}

// special are the types that write JSON of their own.
var special = map[reflect.Type]object{
	reflect.TypeFor[time.Time]():       {"type": "string", "format": "date-time"},
	reflect.TypeFor[measure.Verdict](): {"enum": []string{"void", "held", "failed"}},
	reflect.TypeFor[measure.Reason]():  {"enum": append([]string{""}, words(measure.Reasons...)...)},
	reflect.TypeFor[measure.Kind]():    {"enum": words(measure.Exact, measure.Comparison, measure.Binomial)},
	reflect.TypeFor[measure.Form]():    {"enum": words(measure.Ratio, measure.Excess, measure.Extra)},
	reflect.TypeFor[measure.Region](): closed(object{
		"min": object{"type": []string{"number", "null"}}, "max": object{"type": []string{"number", "null"}}}, "min", "max"),
	reflect.TypeFor[axioms.Measured](): closed(object{
		"name": object{"type": "string", "minLength": 1}, "unit": object{"enum": units},
		"value": object{"type": "number"}, "low": object{"type": "number"}, "high": object{"type": "number"},
		"n": object{"type": "integer", "minimum": 1}, "method": object{"type": "string"}, "bounds": object{"type": "string"},
		"taken": object{"type": "string", "format": "date-time"},
	}, "name", "unit", "value", "low", "high", "n", "method", "bounds"),
	reflect.TypeFor[Samples](): {
		"if":   object{"type": "array"},
		"then": object{"maxItems": plainSamples, "items": object{"type": "number"}},
		"else": closed(object{
			"encoding": object{"const": samplesEncoding},
			"n":        object{"type": "integer", "minimum": plainSamples + 1, "maximum": maxSamples},
			"data":     object{"type": "string"},
		}, "encoding", "n", "data"),
	},
	reflect.TypeFor[Sources](): {"type": "object", "additionalProperties": object{"type": "string", "pattern": hash}},
}

// generator makes the schema from the types.
type generator struct {
	t    *testing.T
	defs object
}

func (g *generator) of(t reflect.Type) object {
	if s, ok := special[t]; ok {
		return s
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int:
		return object{"type": "integer"}
	case reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice:
		return object{"type": "array", "items": g.of(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": g.of(t.Elem())}
	case reflect.Pointer:
		elem := g.of(t.Elem())
		if kind, ok := elem["type"].(string); ok && elem["properties"] == nil {
			elem["type"] = []string{kind, "null"}
			return elem
		}
		return object{"anyOf": []any{object{"type": "null"}, elem}}
	case reflect.Struct:
		return g.structure(t)
	}
	g.t.Fatalf("no schema for %v", t)
	return nil
}

func (g *generator) structure(t reflect.Type) object {
	name := defName(t)
	ref := object{"$ref": "#/$defs/" + name}
	if g.defs[name] != nil {
		return ref
	}
	g.defs[name] = object{} // a type may hold itself
	properties, required := object{}, []string{}
	for key, f := range jsonFields(t) {
		s := g.of(f.Type)
		for k, v := range fields[t.Name()+"."+key] {
			s[k] = v
		}
		properties[key] = s
		if !strings.Contains(f.Tag.Get("json"), ",omit") {
			required = append(required, key)
		}
	}
	def := closed(properties, required...)
	extra := rules[t.Name()]
	if isFact(t) {
		extra = factRule
		properties["unit"].(object)["pattern"] = "^[A-Za-z0-9/^]{1,12}$"
	}
	for k, v := range extra {
		def[k] = v
	}
	g.defs[name] = def
	return ref
}

// jsonFields returns a struct's fields by the names that they have in JSON.
func jsonFields(t reflect.Type) map[string]reflect.StructField {
	out := map[string]reflect.StructField{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && name != "-" {
			out[name] = f
		}
	}
	return out
}

func isFact(t reflect.Type) bool { return strings.HasPrefix(t.Name(), "Fact[") }

// defName names a type in the schema: run, host-cpu, fact-string, fact-caches.
func defName(t reflect.Type) string {
	if isFact(t) {
		elem := jsonFields(t)["value"].Type.Elem()
		if elem.Kind() == reflect.Slice {
			return "fact-" + strings.ToLower(elem.Elem().Name()) + "s"
		}
		return "fact-" + strings.ToLower(elem.Name())
	}
	pkg := t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:]
	name := strings.ToLower(t.Name())
	if pkg == "manifest" {
		return name
	}
	return pkg + "-" + name
}

func generate(t *testing.T) []byte {
	g := &generator{t, object{}}
	top := g.of(reflect.TypeFor[Document]())
	doc := g.defs["document"].(object)
	delete(g.defs, "document")
	doc["properties"].(object)["format"] = object{"const": Format}
	doc["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	doc["title"] = "Results of Envelope, version 1"
	doc["description"] = "Numbers are in base units beside their unit. What is not known is null beside the reason. " +
		"verify checks what a schema cannot: hashes, percentiles, and every verdict against its samples."
	doc["$defs"] = g.defs
	if top["$ref"] != "#/$defs/document" {
		t.Fatalf("got %v", top)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(doc); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
