package torntail

import (
	"context"
	"hash/crc32"
	"math/bits"

	"envelope/internal/lab"
)

// zeroBlock is the longest run of zeros that is offered as a record.
const zeroBlock = 2048

// knownAnswers compares the library's checksums, which the log uses, with
// published values and with the division of this package.
func knownAnswers(ctx context.Context, r *lab.Run) error {
	sum := func(p []byte, table *crc32.Table) uint32 { return crc32.Checksum(p, table) }
	if r.Sabotaged("zero-seed") {
		sum = zeroSeeded
	}
	differ := func(a, b uint32) {
		r.Observe("checksum-known-answers", float64(bits.OnesCount32(a^b)))
	}
	// The check values of the catalogue of parametrised CRC algorithms, and
	// the worked example of textbooks on networks.
	digits := []byte("123456789")
	differ(sum(digits, crc32.IEEETable), 0xCBF43926)
	differ(sum(digits, castagnoli), 0xE3069283)
	differ(bitwise(digits, polyCRC32), 0xCBF43926)
	differ(bitwise(digits, polyCastagnoli), 0xE3069283)
	differ(uint32(remainder("1101011011", "10011")), 0b1110)

	rng := r.Rand("known-answers")
	for n := range 1025 {
		p := randomBytes(rng, n)
		differ(sum(p, crc32.IEEETable), bitwise(p, polyCRC32))
		differ(sum(p, castagnoli), bitwise(p, polyCastagnoli))
	}
	return ctx.Err()
}

// zeroSeeds offers blocks of zeros, whose stored checksum is therefore zero, to
// checks with either seed; from a header's length on, as a log too. That log
// begins with sequence number 0, so that nothing but the check can refuse it.
func zeroSeeds(ctx context.Context, r *lab.Run) error {
	standard := func(p []byte, table *crc32.Table) uint32 { return crc32.Checksum(p, table) }
	zero, ours, theirs := zeroSeeded, faults{}, faults{zeroSeed: true}
	if r.Sabotaged("seeds-exchanged") {
		standard, zero = zero, standard
		ours, theirs = theirs, ours
	}
	block := make([]byte, zeroBlock)
	for n := 1; n <= zeroBlock; n++ {
		p, off := block[:n], 0
		for _, table := range []*crc32.Table{crc32.IEEETable, castagnoli} {
			off += count(zero(p, table) != 0) + count(standard(p, table) == 0)
		}
		if n >= headerSize {
			off += count(len(theirs.recover(p, 0).payloads) != 1) + len(ours.recover(p, 0).payloads)
		}
		r.Observe("zero-seed-accepts-zeros", float64(off))
	}
	return ctx.Err()
}

// emptyRecords asks what the CRC of nothing is, and whether zeros behind the
// end of a log read as records without a payload.
func emptyRecords(ctx context.Context, r *lab.Run) error {
	const claim = "empty-record-still-passes"
	nothing := []float64{float64(crc32.ChecksumIEEE(nil)), float64(crc32.Checksum(nil, castagnoli))}
	r.Observe(claim, nothing...)
	r.AddSeries(lab.Series{Name: "crc-of-nothing", Text: "CRC-32 and CRC-32C of no bytes, standard seed",
		Unit: "1", Samples: nothing, Conditions: -1})

	ours, theirs := faults{}, faults{bareLength: true}
	if r.Sabotaged("length-uncovered") {
		ours = theirs
	}
	block := make([]byte, zeroBlock)
	for n := 1; n <= zeroBlock; n++ {
		off := len(ours.recover(block[:n], 0).payloads)
		if n >= headerSize {
			off += count(len(theirs.recover(block[:n], 0).payloads) != 1)
		}
		r.Observe(claim, float64(off))
	}
	return ctx.Err()
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
