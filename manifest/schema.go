package manifest

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Schema is the JSON Schema (draft 2020-12) of results.json. It is made from
// the types of this package by go test ./manifest -run TestSchema -update.
//
//go:embed results.schema.json
var Schema []byte

const schemaName = "results.schema.json"

// schemaURL is where the compiler finds the schema: a name that is absolute, or
// it would be looked for in the working directory.
const schemaURL = "envelope:///" + schemaName

// runSchema is the part of the schema that describes one run.
var runSchema = sync.OnceValues(func() (*jsonschema.Schema, error) { return compileSchema("#/$defs/run") })

func compileSchema(fragment string) (*jsonschema.Schema, error) {
	text, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", schemaName, err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(schemaURL, text); err != nil {
		return nil, fmt.Errorf("%s: %w", schemaName, err)
	}
	return c.Compile(schemaURL + fragment)
}

// schemaProblems lists where a value departs from the schema, at most a few.
func schemaProblems(s *jsonschema.Schema, value any) []Problem {
	err := s.Validate(value)
	if err == nil {
		return nil
	}
	invalid, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return []Problem{{Text: printable(err.Error())}}
	}
	var out []Problem
	for _, e := range leaves(invalid) {
		at := ""
		for _, step := range e.InstanceLocation {
			at += pathStep(step)
		}
		out = append(out, Problem{strings.TrimPrefix(at, "."), printable(e.BasicOutput().Error.String())})
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) }) // the library goes through maps
	const most = 20
	if len(out) > most {
		out = append(out[:most], Problem{Text: fmt.Sprintf("and %d more departures from the schema", len(out)-most)})
	}
	return out
}

// leaves returns the faults that have no further cause. Where a value may be
// null or something else, that it is not null says nothing.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var out []*jsonschema.ValidationError
	for _, c := range e.Causes {
		out = append(out, leaves(c)...)
	}
	if _, ok := e.ErrorKind.(*kind.AnyOf); ok {
		out = slices.DeleteFunc(out, func(l *jsonschema.ValidationError) bool {
			t, ok := l.ErrorKind.(*kind.Type)
			return ok && slices.Equal(t.Want, []string{"null"})
		})
	}
	return out
}

// pathStep writes an array's index as [0] and an object's key as .key.
func pathStep(step string) string {
	if step != "" && strings.Trim(step, "0123456789") == "" {
		return "[" + step + "]"
	}
	return "." + printable(step)
}
