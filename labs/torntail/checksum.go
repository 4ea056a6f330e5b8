package torntail

import (
	"hash/crc32"
	"math/bits"
	"sync"
)

// Generator polynomials without their leading term, the highest power first, as
// one would write them down to divide by hand.
const (
	polyCRC32      = 0x04C11DB7 // IEEE 802.3, clause 3.2.9
	polyCastagnoli = 0x1EDC6F41 // RFC 3720, section 12.1
	polyCRC16      = 0x1021     // ITU-T V.41
)

// castagnoli is the table under which hash/crc32 uses the processor's own
// CRC-32C instruction where there is one.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// zeroSeeded is the same division with a register that starts at zero and is
// not inverted at the end: the plain remainder, which is zero for zeros.
// crc32.Update inverts on the way in and on the way out.
func zeroSeeded(p []byte, table *crc32.Table) uint32 {
	return ^crc32.Update(^uint32(0), table, p)
}

// crc16 is CRC-16 with seed FFFF, highest bit first: IBM-3740 in the catalogue
// of parametrised CRC algorithms, where "123456789" gives 29B1.
func crc16(p []byte) uint16 {
	t, r := crc16Table(), uint16(0xFFFF)
	for _, b := range p {
		r = r<<8 ^ t[byte(r>>8)^b]
	}
	return r
}

// crc16Table holds the remainder of every byte.
var crc16Table = sync.OnceValue(func() *[256]uint16 {
	t := new([256]uint16)
	for i := range t {
		d := division{width: 16, poly: polyCRC16}
		for bit := 7; bit >= 0; bit-- {
			d.push(uint64(i) >> bit & 1)
		}
		t[i] = uint16(d.register)
	}
	return t
})

// both is the 16-bit checksum of some bytes above their CRC-32C.
type both uint64

func bothOf(p []byte) both {
	return both(crc16(p))<<32 | both(crc32.Checksum(p, castagnoli))
}

// sliced holds what each value of each byte of an 8-byte message adds to both
// of its checksums, so that the XOR of eight look-ups is both at once. The seeds'
// share is in the first byte's. (Slicing by 8: Kounavis and Berry, "Novel table
// lookup-based algorithms for high-performance CRC generation", 2008.)
type sliced [8][256]both

var slicedTable = sync.OnceValue(func() *sliced {
	t := new(sliced)
	nothing := bothOf(make([]byte, 8))
	for at := range t {
		for value := range t[at] {
			message := make([]byte, 8)
			message[at] = byte(value)
			t[at][value] = bothOf(message)
			if at > 0 {
				t[at][value] ^= nothing
			}
		}
	}
	return t
})

// division is long division of polynomials over two elements, one bit at a
// time: no table, no reflected polynomial, nothing in common with hash/crc32.
// The register is what remains of the bits so far with width zeros behind them.
type division struct {
	width          int
	poly, register uint64
}

func (d *division) push(bit uint64) {
	subtract := d.register>>(d.width-1)&1 ^ bit
	d.register = d.register<<1&(1<<d.width-1) ^ d.poly&-subtract
}

// bitwise is the reference for both 32-bit checks: the lowest bit of each byte
// goes first, the seed and the final mask are all ones, and the remainder is
// read backwards.
func bitwise(p []byte, poly uint64) uint32 {
	d := division{width: 32, poly: poly, register: 0xFFFFFFFF}
	for _, b := range p {
		for bit := range 8 {
			d.push(uint64(b) >> bit & 1)
		}
	}
	return ^bits.Reverse32(uint32(d.register))
}

// remainder divides a string of binary digits, with zeros behind it for the
// remainder, by a generator written with its leading one.
func remainder(message, generator string) uint64 {
	d := division{width: len(generator) - 1}
	for _, digit := range generator[1:] {
		d.poly = d.poly<<1 | uint64(digit-'0')
	}
	for _, digit := range message {
		d.push(uint64(digit - '0'))
	}
	return d.register
}
