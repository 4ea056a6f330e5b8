package torntail

import (
	"bytes"
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

func TestPublishedValues(t *testing.T) {
	check := func(what string, got, want uint32) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %X, want %X", what, got, want)
		}
	}
	digits := []byte("123456789")
	check("CRC-32", bitwise(digits, polyCRC32), 0xCBF43926)
	check("CRC-32C", bitwise(digits, polyCastagnoli), 0xE3069283)
	check("CRC-16", uint32(crc16(digits)), 0x29B1)
	check("hand division", uint32(remainder("1101011011", "10011")), 0b1110)
	check("hand division without a remainder", uint32(remainder("10011", "10011")), 0)

	// RFC 3720, section B.4.
	ascending := make([]byte, 32)
	for i := range ascending {
		ascending[i] = byte(i)
	}
	check("32 zeros", bitwise(make([]byte, 32), polyCastagnoli), 0x8A9136AA)
	check("32 bytes FF", bitwise(bytes.Repeat([]byte{0xFF}, 32), polyCastagnoli), 0x62A8AB43)
	check("0 to 31", bitwise(ascending, polyCastagnoli), 0x46DD794E)
}

func TestCRC16(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 100 {
		p := randomBytes(rng, n)
		d := division{width: 16, poly: polyCRC16, register: 0xFFFF}
		for _, b := range p {
			for bit := 7; bit >= 0; bit-- {
				d.push(uint64(b) >> bit & 1)
			}
		}
		if got, want := crc16(p), uint16(d.register); got != want {
			t.Fatalf("%d bytes: got %04X, want %04X", n, got, want)
		}
	}
}

// A zero-seeded check differs from the standard one by a constant for each
// length, and by nothing else.
func TestZeroSeeded(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for n := range 100 {
		p, zeros := randomBytes(rng, n), make([]byte, n)
		got := zeroSeeded(p, castagnoli)
		want := crc32.Checksum(p, castagnoli) ^ crc32.Checksum(zeros, castagnoli)
		if got != want {
			t.Fatalf("%d bytes: got %08X, want %08X", n, got, want)
		}
	}
}

// The table that gives both checksums of 8 bytes at once must agree with either.
func TestSliced(t *testing.T) {
	rng, table := rand.New(rand.NewPCG(5, 5)), slicedTable()
	for range 1000 {
		p := randomBytes(rng, 8)
		var got both
		for at, b := range p {
			got ^= table[at][b]
		}
		if want := both(crc16(p))<<32 | both(bitwise(p, polyCastagnoli)); got != want {
			t.Fatalf("% x: got %012X, want %012X", p, got, want)
		}
	}
}
