package kv

import (
	"fmt"
	"slices"
	"strings"
)

// Format is how a cache keeps its values: so many bytes for so many of them.
type Format struct {
	Name   string
	Text   string
	Bytes  int64 // of a block
	Values int64 // in a block
}

// Half is what a cache is kept in unless somebody says otherwise.
var Half = Format{"f16", "16 bits a value", 2, 1}

// formats are those that can be asked for. The block formats keep a 16-bit scale
// for every 32 values beside them.
var formats = []Format{
	Half,
	{"f32", "32 bits a value", 4, 1},
	{"fp8", "8 bits a value, one scale for a whole tensor", 1, 1},
	{"int8", "8 bits a value and a scale for every 32", 34, 32},
	{"int4", "4 bits a value and a scale for every 32", 18, 32},
}

// spelled are other names of the formats, as engines have them.
var spelled = map[string]string{"bf16": "f16", "float16": "f16", "bfloat16": "f16", "float32": "f32",
	"fp8_e4m3": "fp8", "fp8_e5m2": "fp8", "q8_0": "int8", "q4_0": "int4"}

// FormatNames lists the formats.
func FormatNames() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// FormatOf returns the format of that name.
func FormatOf(name string) (Format, error) {
	want := name
	if s, ok := spelled[name]; ok {
		want = s
	}
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == want })
	if i < 0 {
		return Format{}, fmt.Errorf("no format of a cache is called %s: there are %s", quote(name), strings.Join(FormatNames(), ", "))
	}
	return formats[i], nil
}

// size is what n values take. Those of one token in one layer must fill whole
// blocks: an engine that would pad them is not known here.
func (f Format) size(n int64) (int64, error) {
	if n%f.Values != 0 {
		return 0, fmt.Errorf("a layer keeps %d values a token, which do not fill whole blocks of %d as %s has them", n, f.Values, f.Name)
	}
	return n / f.Values * f.Bytes, nil
}

// plain is what one value takes that is never kept in blocks: the state of a
// recurrent layer.
func (f Format) plain() int64 {
	if f.Name == "f32" {
		return 4
	}
	return 2
}
