package host

import (
	"reflect"
	"testing"
)

// Every fact loses the source that it has in the other reading too, and no other,
// and nothing else about it changes.
func TestBeside(t *testing.T) {
	var v Volatile
	sources := func(v *Volatile, visit func(source *string)) {
		var walk func(reflect.Value)
		walk = func(x reflect.Value) {
			if s := x.FieldByName("Source"); s.IsValid() {
				visit(s.Addr().Interface().(*string))
				return
			}
			for i := range x.NumField() {
				walk(x.Field(i))
			}
		}
		walk(reflect.ValueOf(v).Elem())
	}
	count := 0
	sources(&v, func(source *string) { *source = "/proc/x"; count++ })
	v.Load1 = Known(2.5, "1", "/proc/x")
	v.Steal = Missing[float64]("it was not read")
	v.Steal.Source = "/proc/x"
	if count < 10 {
		t.Fatalf("found %d facts", count)
	}
	got := v.Beside(v)
	sources(&got, func(source *string) {
		if *source != "" {
			t.Errorf("a fact kept its source %q", *source)
		}
	})
	if load, ok := got.Load1.Get(); !ok || load != 2.5 || got.Load1.Unit != "1" || got.Steal.Unknown != "it was not read" {
		t.Errorf("got load %v and steal %v, want 2.5 and why not", got.Load1, got.Steal)
	}
	if kept := v.Beside(Volatile{}); !reflect.DeepEqual(kept, v) {
		t.Errorf("got %+v beside a reading of other sources, want %+v", kept, v)
	}
}
