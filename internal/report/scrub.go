package report

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"envelope/internal/typeset"
)

// The bounds of a text from a file. The longest that the suite writes, an error
// of a lab, stays far below.
const (
	longest = 4000 // bytes
	ends    = 1000 // of what is longer, so much is kept of either end
	stacked = 4    // combining marks on one character
)

// scrub returns a copy of v in which every text is fit to be shown: no control
// character, nothing that reorders or hides others, valid UTF-8, and not longer
// than a page bears. Samples and other numbers are shared with v.
func scrub[T any](v T) T {
	return scrubbed(reflect.ValueOf(v)).Interface().(T)
}

func scrubbed(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		out.SetString(clean(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(scrubbed(v.Field(i)))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(scrubbed(v.Elem()))
		}
	case reflect.Slice:
		if kind := v.Type().Elem().Kind(); v.IsNil() || kind >= reflect.Bool && kind <= reflect.Complex128 {
			return v
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(scrubbed(v.Index(i)))
		}
	case reflect.Map:
		out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		keys := v.MapKeys()
		// In order: of two keys that are cleaned to one, always the same stays.
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			out.SetMapIndex(scrubbed(k), scrubbed(v.MapIndex(k)))
		}
	}
	return out
}

// clean makes one text fit to be shown.
func clean(s string) string {
	if n := len(s); n > longest {
		head, tail := s[:ends], s[n-ends:]
		s = fmt.Sprintf("%s... (%d bytes left out) ...%s", strings.ToValidUTF8(head, ""), n-2*ends, strings.ToValidUTF8(tail, ""))
	}
	s = typeset.Clean(s)
	if isASCII(s) {
		return s
	}
	// Marks without end on one letter would cover the lines around it.
	marks := 0
	return strings.Map(func(r rune) rune {
		if !unicode.In(r, unicode.Mn, unicode.Me) {
			marks = 0
			return r
		}
		if marks++; marks > stacked {
			return -1
		}
		return r
	}, s)
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}
