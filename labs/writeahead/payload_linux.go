package writeahead

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Stores that stand for kernels and disks on which one of the three facts is
// otherwise, and for one that hangs. Only tests ask for them.
const (
	writesAll backing = "writes-all" // carries out a write, and says EIO
	neverWell backing = "never-well" // refuses it, and every fsync too
	silent    backing = "silent"     // never answers
)

// payloadOf is what trial i writes. Client and lab both compute it.
func payloadOf(seed uint64, i int) []byte {
	rng := rand.New(rand.NewPCG(seed, uint64(i)))
	p := make([]byte, payloadSize)
	for j := range p {
		p[j] = byte(rng.Uint32())
	}
	return p
}

func trialFile(i int) string { return fmt.Sprintf("trial-%d", i) }

// prepare makes the backing files, each different from its payload in every
// byte: what is equal afterwards was written.
func prepare(dir string, seed uint64, n int) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for i := range n {
		old := payloadOf(seed, i)
		for j := range old {
			old[j] = ^old[j]
		}
		if err := os.WriteFile(filepath.Join(dir, trialFile(i)), old, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// inspect counts what came of the payloads, behind the file system's back.
func inspect(dir string, seed uint64, out []eioOutcome) error {
	for i := range out {
		file, err := os.ReadFile(filepath.Join(dir, trialFile(i)))
		if err != nil {
			return err
		}
		out[i].stored = equal(file, payloadOf(seed, i))
	}
	return nil
}

// equal counts the bytes of two buffers that are the same, each in its place.
func equal(a, b []byte) int { return max(len(a), len(b)) - differing(a, b) }
