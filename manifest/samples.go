package manifest

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync"
)

// Samples are the observations of a series in the order in which they were
// taken.
//
// In JSON up to 24 of them are a plain array of numbers. More are an object
// {"encoding": "delta-varint-deflate", "n": N, "data": BASE64}: each value's
// IEEE 754 bits as an unsigned integer, less that of the value before it (the
// first less 0) modulo 2^64, read as signed, zigzag and varint encoded as
// encoding/binary does, deflated (RFC 1951), in padded standard base64. Every
// finite value comes back bit by bit. NaN and infinity can't be written.
type Samples []float64

// The bounds of what is read: a small file must not ask for much memory.
const (
	plainSamples = 24      // at most these are a plain array
	maxSamples   = 1 << 20 // of one series
	// DEFLATE never expands by more than about 1032.
	inflation = 1032
)

const samplesEncoding = "delta-varint-deflate"

type packedSamples struct {
	Encoding string `json:"encoding"`
	N        int    `json:"n"`
	Data     string `json:"data"`
}

// MarshalJSON writes the samples losslessly. A NaN or infinite sample is an
// error that names its index.
func (s Samples) MarshalJSON() ([]byte, error) {
	for i, v := range s {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("sample %d is %v: only finite numbers can be written", i, v)
		}
	}
	if len(s) > maxSamples {
		return nil, fmt.Errorf("%d samples in one series: at most %d can be written", len(s), maxSamples)
	}
	if len(s) > plainSamples {
		data, err := pack(s)
		if err != nil {
			return nil, err
		}
		return json.Marshal(packedSamples{samplesEncoding, len(s), data})
	}
	out := append(make([]byte, 0, 2+20*len(s)), '[')
	for i, v := range s {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendFloat(out, v, 'g', -1, 64)
	}
	return append(out, ']'), nil
}

// UnmarshalJSON reads what MarshalJSON writes, and nothing else: an array of
// more than 24, an object of fewer, another encoding, a number of samples that
// differs from n and whatever follows them are errors.
func (s *Samples) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return s.unmarshalPlain(data)
	}
	p, err := readPacked(data)
	if err != nil {
		return fmt.Errorf("samples: %w", err)
	}
	switch {
	case p.Encoding != samplesEncoding:
		return fmt.Errorf("samples: encoding %q, want %q", printable(p.Encoding), samplesEncoding)
	case p.N <= plainSamples || p.N > maxSamples:
		return fmt.Errorf("samples: %d in an object, want more than %d and at most %d", p.N, plainSamples, maxSamples)
	}
	v, err := unpack(p.Data, p.N)
	if err != nil {
		return fmt.Errorf("samples: %w", err)
	}
	*s = v
	return nil
}

// readPacked reads the object strictly. A document has tens of thousands of
// them; this takes half the time of a json.Decoder for each.
func readPacked(data []byte) (packedSamples, error) {
	var p packedSamples
	s := &scanner{data: data}
	if s.peek() != '{' {
		return p, s.unexpected("an array or an object")
	}
	err := s.object(func(key []byte) error {
		start := s.pos
		switch string(key) {
		case "encoding":
			return s.textInto(&p.Encoding)
		case "data":
			return s.textInto(&p.Data)
		case "n":
			err := s.value()
			if err == nil {
				p.N, err = strconv.Atoi(string(bytes.TrimSpace(data[start:s.pos])))
			}
			return err
		}
		return s.errorf("the unknown field %q", printable(string(key)))
	})
	if err == nil && s.pos < len(data) {
		err = s.unexpected("the end")
	}
	return p, err
}

func (s *Samples) unmarshalPlain(data []byte) error {
	var list []*float64
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("samples: %w", err)
	}
	if len(list) > plainSamples {
		return fmt.Errorf("samples: %d in an array, want at most %d", len(list), plainSamples)
	}
	out := make(Samples, len(list))
	for i, v := range list {
		if v == nil {
			return fmt.Errorf("samples: sample %d is null", i)
		}
		out[i] = *v
	}
	*s = out
	return nil
}

// Both are large, and a run has hundreds of series.
var (
	deflaters = sync.Pool{New: func() any {
		w, err := flate.NewWriter(nil, flate.DefaultCompression)
		if err != nil {
			panic(err) // the level is one that there is
		}
		return w
	}}
	inflaters = sync.Pool{New: func() any { return flate.NewReader(bytes.NewReader(nil)) }}
)

func pack(s []float64) (string, error) {
	var raw []byte
	last := uint64(0)
	for _, v := range s {
		bits := math.Float64bits(v)
		raw = binary.AppendVarint(raw, int64(bits-last))
		last = bits
	}
	var packed bytes.Buffer
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&packed)
	if _, err := w.Write(raw); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes()), nil
}

// unpack reads exactly n finite values. It takes no more memory than the data
// could honestly need: a value is at least one byte before deflating and at
// most ten.
func unpack(data string, n int) ([]float64, error) {
	packed, err := base64.StdEncoding.Strict().DecodeString(data)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	if n > inflation*len(packed) {
		return nil, fmt.Errorf("data: %d bytes can't hold %d samples", len(packed), n)
	}
	in := bytes.NewReader(packed)
	z := inflaters.Get().(io.Reader)
	defer inflaters.Put(z)
	if err := z.(flate.Resetter).Reset(in, nil); err != nil {
		return nil, err
	}
	limit := int64(n) * binary.MaxVarintLen64
	raw := bytes.NewBuffer(make([]byte, 0, min(n*binary.MaxVarintLen64, 4*len(packed)+64)))
	if _, err := raw.ReadFrom(io.LimitReader(z, limit+1)); err != nil {
		return nil, fmt.Errorf("data: inflating: %w", err)
	}
	if int64(raw.Len()) > limit {
		return nil, fmt.Errorf("data: inflates to more than %d samples need", n)
	}
	if in.Len() > 0 {
		return nil, fmt.Errorf("data: %d bytes behind the end of the deflated stream", in.Len())
	}
	return unravel(raw.Bytes(), n)
}

func unravel(raw []byte, n int) ([]float64, error) {
	out := make([]float64, n)
	last := uint64(0)
	for i := range out {
		delta, size := binary.Varint(raw)
		if size <= 0 {
			return nil, fmt.Errorf("data: ends inside sample %d of %d", i, n)
		}
		raw = raw[size:]
		last += uint64(delta)
		out[i] = math.Float64frombits(last)
		if math.IsNaN(out[i]) || math.IsInf(out[i], 0) {
			return nil, fmt.Errorf("data: sample %d is not a finite number", i)
		}
	}
	if len(raw) > 0 {
		return nil, fmt.Errorf("data: %d bytes behind the last of %d samples", len(raw), n)
	}
	return out, nil
}
