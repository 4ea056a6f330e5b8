package writeahead

import (
	"fmt"

	"envelope/axioms"
	"envelope/internal/lab"
)

var questions = []lab.Question{
	{
		Name: "bytes-after-the-retry", Unit: "B",
		Text: "A program writes 65,536 bytes. fsync returns EIO: none of them could be written. The program calls fsync again, " +
			"and it returns 0. How many of the bytes are on the disk?",
		Candidates: []lab.Candidate{
			{Text: "none: the second call had nothing to write", Value: axioms.Bytes(0)},
			{Text: "a page: the one that failed is still missing", Value: axioms.Bytes(payloadSize - pageSize)},
			{Text: "all: the second call wrote them", Value: axioms.Bytes(payloadSize)},
		},
		Answer: lab.Answer{Series: seriesStored},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			const dirty = 0 // pages: a failed write-back leaves them marked clean
			return lab.Derivation{
				Value: axioms.Bytes(dirty * pageSize),
				Steps: "fsync writes dirty pages; the failed call left 0 of 16 dirty: 0 x 4 KiB = 0 B",
			}, nil
		},
	}, {
		Name: "bytes-shown-after-the-retry", Unit: "B",
		Text: "The same program reads the 65,536 bytes back at once, through the same file system. How many of them does it see as it wrote them?",
		Candidates: []lab.Candidate{
			{Text: "none: the disk has none", Value: axioms.Bytes(0)},
			{Text: "half: some pages were evicted", Value: axioms.Bytes(payloadSize / 2)},
			{Text: "all: the cache still holds them", Value: axioms.Bytes(payloadSize)},
		},
		Answer: lab.Answer{Series: seriesCached},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			const kept = 16 // pages: clean ones are valid until memory is short
			return lab.Derivation{
				Value: axioms.Bytes(kept * pageSize),
				Steps: "a read takes cached pages for valid, and 16 of 16 are cached: 16 x 4 KiB = 64 KiB",
			}, nil
		},
	}, {
		Name: "torn-images", Unit: "1",
		Text: "A page has 8 sectors. Each arrives on the disk whole, or not at all. In how many ways can a write of the page be torn?",
		Candidates: []lab.Candidate{
			{Text: "one at each border between two sectors", Value: axioms.Count(sectors - 1)},
			{Text: "two at each border", Value: axioms.Count(2 * (sectors - 1))},
			{Text: "every mixture of old and new", Value: axioms.Count(1<<sectors - 2)},
		},
		Answer: lab.Answer{Series: seriesImages},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			return lab.Derivation{
				Value: axioms.Count(1<<sectors - 2),
				Steps: "2^8 mixtures, less the old page and the new one: 256 - 2 = 254",
			}, nil
		},
	}, {
		Name: "caught-by-reading-back", Unit: "1",
		Text: "To be sure of a page, a store reads it back after the write, notes its CRC-32C, and holds the page against that later. " +
			"Of all its torn images, how many does it find?",
		Candidates: []lab.Candidate{
			{Text: "none", Value: axioms.Count(0)},
			{Text: "those with an odd number of old sectors", Value: axioms.Count(128)},
			{Text: "all", Value: axioms.Count(1<<sectors - 2)},
		},
		Axioms: []string{"crc32-miss"},
		Answer: lab.Answer{Series: seriesReread},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			const differ = 0 // bits in which the page differs from its own copy
			return lab.Derivation{
				Value: axioms.Count(differ * (1<<sectors - 2)),
				Steps: fmt.Sprintf("the page is compared with itself: %d of 254 images differ", differ),
			}, nil
		},
	},
}
