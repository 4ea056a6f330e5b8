package writeahead

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// The pages of the store. A sector is what a drive promises to write whole.
const (
	pageSize   = 4096
	sectorSize = 512
	sectors    = pageSize / sectorSize
	pageCount  = 8
	stateSize  = pageCount * pageSize
)

// operation changes some bytes of one page.
type operation struct {
	page, offset int
	data         []byte
	// add adds the data to the bytes that are there, instead of setting them:
	// a record that must not be replayed over a page that has it already.
	add bool
}

// apply makes the change in the state, which is all pages one after another.
func (o operation) apply(state []byte) {
	at := state[o.page*pageSize+o.offset:]
	for i, b := range o.data {
		if o.add {
			b += at[i]
		}
		at[i] = b
	}
}

// What a record holds is its body's first byte.
const (
	groupRecord    = 'g' // operations
	recoveryRecord = 'r' // a recovery that has read all records before it
)

// encode writes a group as the body of a record: for each operation its page,
// offset, length and whether it adds, eight bytes, and its data.
func encode(group []operation) []byte {
	body := []byte{groupRecord}
	for _, o := range group {
		body = binary.LittleEndian.AppendUint16(body, uint16(o.page))
		body = binary.LittleEndian.AppendUint16(body, uint16(o.offset))
		body = binary.LittleEndian.AppendUint16(body, uint16(len(o.data)))
		how := uint16(0)
		if o.add {
			how = 1
		}
		body = binary.LittleEndian.AppendUint16(body, how)
		body = append(body, o.data...)
	}
	return body
}

// decode reads what encode wrote. A record whose checksum is right and whose
// body is not was never written by this store.
func decode(body []byte) ([]operation, error) {
	if len(body) == 0 || body[0] != groupRecord {
		return nil, fmt.Errorf("a record of %d bytes is not a group of operations", len(body))
	}
	var group []operation
	for body = body[1:]; len(body) > 0; {
		if len(body) < 8 {
			return nil, fmt.Errorf("an operation of %d bytes is cut short", len(body))
		}
		field := func(i int) int { return int(binary.LittleEndian.Uint16(body[2*i:])) }
		o := operation{page: field(0), offset: field(1), add: field(3) == 1}
		n := field(2)
		if o.page >= pageCount || o.offset+n > pageSize || n > len(body)-8 || field(3) > 1 {
			return nil, fmt.Errorf("an operation on byte %d of page %d, %d bytes long, does not fit", o.offset, o.page, n)
		}
		o.data = body[8 : 8+n]
		body = body[8+n:]
		group = append(group, o)
	}
	return group, nil
}

// groupOf returns group number g of the stream of a seed: one to four
// operations that arrived together. Both the store's process and the one that
// checks it compute it. No group of the stream is without effect: a lost one
// would go unseen.
func groupOf(seed uint64, g int) []operation {
	rng := rand.New(rand.NewPCG(seed, uint64(g)))
	group := make([]operation, 1+rng.IntN(4))
	for i := range group {
		data := make([]byte, 8+rng.IntN(56))
		for j := range data {
			data[j] = byte(1 + rng.IntN(255))
		}
		group[i] = operation{page: rng.IntN(pageCount), offset: rng.IntN(pageSize - len(data)), data: data}
	}
	return group
}

// model is the state after the first n groups of a stream: the plain reference,
// which has no log, no pool and no files.
func model(seed uint64, n int) []byte {
	state := make([]byte, stateSize)
	for g := range n {
		for _, o := range groupOf(seed, g) {
			o.apply(state)
		}
	}
	return state
}

// differing counts the bytes in which two states differ.
func differing(a, b []byte) int {
	n := max(len(a), len(b)) - min(len(a), len(b))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}
