package manifest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func bits(s []float64) []uint64 {
	out := make([]uint64, len(s))
	for i, v := range s {
		out[i] = math.Float64bits(v)
	}
	return out
}

func TestSamplesRoundTrip(t *testing.T) {
	finite := rapid.Custom(func(t *rapid.T) float64 {
		v := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return math.Copysign(0, -1)
		}
		return v
	})
	rapid.Check(t, func(t *rapid.T) {
		want := Samples(rapid.SliceOfN(finite, 0, 200).Draw(t, "samples"))
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if plain := data[0] == '['; plain != (len(want) <= plainSamples) {
			t.Fatalf("%d samples: got a plain array %v", len(want), plain)
		}
		var got Samples
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if !slices.Equal(bits(got), bits(want)) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestSamplesEdges(t *testing.T) {
	edges := []float64{0, math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e-7, 1e21, 0.1}
	for _, n := range []int{0, 1, plainSamples, plainSamples + 1, 1000} {
		want := make(Samples, n)
		for i := range want {
			want[i] = edges[i%len(edges)]
		}
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Samples
		if err := json.Unmarshal(data, &got); err != nil || !slices.Equal(bits(got), bits(want)) {
			t.Errorf("%d samples: got %v, %v", n, got, err)
		}
	}
	if data, err := json.Marshal(struct{ S Samples }{}); err != nil || string(data) != `{"S":[]}` {
		t.Errorf("no samples: got %s, %v, want an empty array", data, err)
	}
}

func TestSamplesThatAreNotNumbers(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, n := range []int{5, 500} {
			s := make(Samples, n)
			s[3] = bad
			if _, err := json.Marshal(s); err == nil || !strings.Contains(err.Error(), "sample 3 is") {
				t.Errorf("%v among %d: got %v, want an error that names index 3", bad, n, err)
			}
		}
	}
}

// varints packs deltas as the encoding says, without regard to what they mean.
func varints(t *testing.T, deltas ...uint64) string {
	t.Helper()
	values := make([]float64, len(deltas))
	last := uint64(0)
	for i, d := range deltas {
		last += d
		values[i] = math.Float64frombits(last)
	}
	data, err := pack(values)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSamplesRefused(t *testing.T) {
	check := func(name, text, want string) {
		t.Helper()
		var s Samples
		err := json.Unmarshal([]byte(text), &s)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, want)
		}
	}
	object := func(encoding string, n int, data string) string {
		return fmt.Sprintf(`{"encoding":"%s","n":%d,"data":"%s"}`, encoding, n, data)
	}
	good := varints(t, make([]uint64, 100)...)
	nan := varints(t, append(make([]uint64, 99), math.Float64bits(math.NaN()))...)
	raw, err := base64.StdEncoding.DecodeString(good)
	if err != nil {
		t.Fatal(err)
	}
	more := base64.StdEncoding.EncodeToString(append(bytes.Clone(raw), 'x'))
	bomb := varints(t, make([]uint64, 1<<20)...)

	check("array too long", "["+strings.Repeat("1,", 24)+"1]", "25 in an array")
	check("null in an array", "[1,null]", "sample 1 is null")
	check("text in an array", `["1"]`, "cannot unmarshal")
	check("text", `"abc"`, "where an array or an object should be")
	check("object too short", object(samplesEncoding, 24, good), "24 in an object")
	check("negative", object(samplesEncoding, -1, good), "-1 in an object")
	check("too many", object(samplesEncoding, maxSamples+1, good), "in an object")
	check("other encoding", object(`gzip\u001b`, 100, good), `encoding "gzip?"`)
	check("unknown field", `{"encoding":"delta-varint-deflate","n":100,"data":"","x":1}`, "the unknown field")
	check("not base64", object(samplesEncoding, 100, "!"), "illegal base64")
	check("nothing", object(samplesEncoding, 100, ""), "can't hold 100 samples")
	check("not deflated", object(samplesEncoding, 100, "/////w=="), "inflating")
	check("cut off", object(samplesEncoding, 100, base64.StdEncoding.EncodeToString(raw[:len(raw)-2])), "inflating")
	check("bytes behind", object(samplesEncoding, 100, more), "behind the end of the deflated stream")
	check("fewer than n", object(samplesEncoding, 101, good), "ends inside sample 100 of 101")
	check("more than n", object(samplesEncoding, 99, good), "behind the last of 99 samples")
	check("NaN", object(samplesEncoding, 100, nan), "sample 99 is not a finite number")
	check("bomb", object(samplesEncoding, 100, bomb), "inflates to more than 100 samples need")
	check("claims a bomb", object(samplesEncoding, maxSamples, good), "can't hold")
}

func FuzzSamples(f *testing.F) {
	for _, s := range []Samples{{}, {1, 2.5}, make(Samples, 100)} {
		data, err := json.Marshal(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Samples
		if json.Unmarshal(data, &s) != nil {
			return
		}
		again, err := json.Marshal(s)
		if err != nil {
			t.Fatalf("%s was read, but can't be written: %v", data, err)
		}
		var got Samples
		if err := json.Unmarshal(again, &got); err != nil || !slices.Equal(bits(got), bits(s)) {
			t.Fatalf("%s: got %v, %v, want %v", again, got, err, s)
		}
	})
}
