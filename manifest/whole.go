package manifest

import "reflect"

// whole returns a copy of v in which no slice and no map is nil, so that an
// empty list is written as [] and not as null. v itself is not changed.
func whole[T any](v T) T {
	return wholeValue(reflect.ValueOf(v)).Interface().(T)
}

func wholeValue(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(wholeValue(v.Field(i)))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(wholeValue(v.Elem()))
		}
	case reflect.Slice:
		if kind := v.Type().Elem().Kind(); !v.IsNil() && kind >= reflect.Bool && kind <= reflect.Complex128 {
			return v // nothing in it can be nil
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(wholeValue(v.Index(i)))
		}
	case reflect.Map:
		out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for it := v.MapRange(); it.Next(); {
			out.SetMapIndex(it.Key(), wholeValue(it.Value()))
		}
	}
	return out
}
