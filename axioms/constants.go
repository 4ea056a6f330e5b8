package axioms

import "slices"

// Constant is an assumed axiom: a quantity that holds for a class of hardware, or a fact that a question takes as given.
type Constant struct {
	Name      string
	Quantity  Quantity // where a range is given, a round number near its geometric middle
	Low, High Quantity // the range; both equal to Quantity where a single number is given
	Class     string   // the class of hardware, or what the fact is about
	Source    string   // where the number comes from, in words
}

// Ranged reports whether c is a range and not one number.
func (c Constant) Ranged() bool { return c.Low != c.High }

// All returns the constants in their fixed order: from the processor outwards, then the accelerator, the model that the
// serving questions are about, the launch study (where the time of one token goes on an accelerator), and the checksums.
func All() []Constant { return slices.Clone(constants) }

// Lookup returns the constant of that name. An unknown name is an error that lists the names near it.
func Lookup(name string) (Constant, error) {
	if c, ok := constant(name); ok {
		return c, nil
	}
	return Constant{}, Set{}.unknown(name)
}

func constant(name string) (Constant, bool) {
	for _, c := range constants {
		if c.Name == name {
			return c, true
		}
	}
	return Constant{}, false
}

// one is a constant given as a single number.
func one(name string, q Quantity, class, source string) Constant {
	return Constant{name, q, q, q, class, source}
}

// span is a constant given as a range.
func span(name string, q, low, high Quantity, class, source string) Constant {
	return Constant{name, q, low, high, class, source}
}

const magnitude = "order of magnitude"

var constants = []Constant{
	span("function-call", Seconds(2e-9), Seconds(1e-9), Seconds(5e-9), "any current processor", magnitude),
	span("system-call", Seconds(2e-6), Seconds(0.5e-6), Seconds(5e-6), "any current kernel", magnitude),
	span("cache-copy", BytesPerSecond(40e9), BytesPerSecond(30e9), BytesPerSecond(50e9), "one core, source and target in its caches",
		magnitude),
	span("branch-miss", Seconds(5e-9), Seconds(2e-9), Seconds(10e-9), "any current processor: 10 to 20 cycles", magnitude),
	span("l1-load", Seconds(1e-9), Seconds(0.8e-9), Seconds(2e-9), "any current processor: 4 to 5 cycles", magnitude),
	span("l2-load", Seconds(4e-9), Seconds(3e-9), Seconds(6e-9), "any current processor: 12 to 16 cycles", magnitude),
	span("l3-load", Seconds(20e-9), Seconds(10e-9), Seconds(40e-9), "server processors", magnitude),
	one("memory-load", Seconds(100e-9), "a load that misses every cache", magnitude),
	one("cache-read", BytesPerSecond(100e9), "one core, data in its second cache: 32 B a cycle", magnitude),
	one("dram-read", BytesPerSecond(15e9), "one core, data in memory", magnitude),
	one("cache-write", BytesPerSecond(100e9), "one core, target in its second cache: 32 B a cycle", magnitude),
	one("dram-write", BytesPerSecond(10e9), "one core, target in memory", magnitude),
	one("random-read", BytesPerSecond(5e9), "one core, whole cache lines of 64 B, independent of each other", magnitude),
	one("mutex", Seconds(20e-9), "lock and unlock, uncontended", magnitude),
	one("goroutine-switch", Seconds(200e-9), "one processor", magnitude),
	one("thread-handover", Seconds(5e-6), "a sleeping thread is woken", magnitude),
	one("page-fault", Seconds(500e-9), "an anonymous page of 4 KiB, in memory", magnitude),
	one("process-start", Seconds(1e-3), "a small program, its files cached", magnitude),
	one("crc32c", BytesPerSecond(10e9), "one core with a CRC instruction", magnitude),
	one("sha256", BytesPerSecond(1e9), "one core with SHA instructions", magnitude),
	one("deflate", BytesPerSecond(100e6), "one core, fastest level", magnitude),
	one("tcp-round-trip", Seconds(30e-6), "loopback", magnitude),
	one("unix-round-trip", Seconds(15e-6), "two threads of one machine", magnitude),
	one("file-read", BytesPerSecond(10e9), "one core, from the page cache", magnitude),
	one("direct-read", Seconds(100e-6), "4 KiB from NVMe flash, at random", magnitude),
	one("dram-copy", BytesPerSecond(10e9), "one core, source and target in memory", magnitude),
	one("nvme-write", BytesPerSecond(2e9), "NVMe flash drive, sequential", magnitude),
	one("disk-write", BytesPerSecond(150e6), "spinning disk, sequential", magnitude),
	one("fsync-plp", Seconds(100e-6), "drive with power-loss protection", magnitude),
	one("fsync-flash", Seconds(1e-3), "consumer flash drive", magnitude),
	one("fsync-disk", Seconds(10e-3), "spinning disk", magnitude+": about one turn"),

	one("a100-peak", Quantity{312e12, DimFLOPPerSecond}, "NVIDIA A100, 16-bit tensor cores, dense", "the vendor's data sheet"),
	one("a100-bandwidth", BytesPerSecond(2e12), "NVIDIA A100, 80 GB", "the vendor's data sheet, rounded"),
	span("a100-memory", Bytes(80e9), Bytes(80e9), Bytes(81920<<20), "NVIDIA A100, 80 GB",
		"the name on the card is the low end; the driver reports about 81,920 MiB, the high end"),
	one("gpu-launch", Seconds(2.7e-6), "a kernel handed to an NVIDIA driver, without waiting for it", "published measurements"),

	one("core-peak", Quantity{100e9, DimFLOPPerSecond}, "one core with 256-bit vectors, float32", "two fused multiply-adds of eight lanes a cycle at about 3 GHz"),
	one("model-parameters", Count(7e9), "a 7B model", "its name"),
	one("model-weights", Bytes(14e9), "a 7B model in 16 bits", "7e9 parameters, 2 bytes each"),
	one("model-work", FLOP(14e9), "a 7B model, one token", "a multiplication and an addition for each parameter"),
	one("model-layers", Count(32), "a 7B model", "the architecture of its family"),
	one("model-width", Count(4096), "a 7B model", "the architecture of its family"),
	one("model-context", Count(2048), "a 7B model, longest sequence in tokens", "the architecture of its family"),
	one("block-tokens", Count(16), "tokens in one block of a paged cache", "a common default of serving engines"),

	one("study-weights", Bytes(1.19e9),
		"the launch study (where the time of one token goes on an accelerator): weights of its model, read once a token", "the study's own count"),
	one("study-bandwidth", BytesPerSecond(380e9),
		"the launch study (where the time of one token goes on an accelerator): memory bandwidth", "measured in the study"),
	one("study-operations", Count(280),
		"the launch study (where the time of one token goes on an accelerator): operations of its model, a token", "the study's own count"),
	one("study-token", Seconds(7.8e-3),
		"the launch study (where the time of one token goes on an accelerator): one token, its operations handed over one by one", "measured in the study"),
	one("acceptance", Count(0.7), "a proposer whose tokens are accepted seven times in ten", "given by the question"),

	one("float32-roundoff", Count(1.0/(1<<24)), "a float32 operation, largest relative error", "IEEE 754: half a step of 24 binary digits"),
	one("float64-roundoff", Count(1.0/(1<<53)), "a float64 operation, largest relative error", "IEEE 754: half a step of 53 binary digits"),
	one("adam-first", Count(0.9), "what AdamW keeps of its mean of the gradient", "the customary number"),
	one("adam-second", Count(0.999), "what AdamW keeps of its mean of the gradient's square", "the customary number"),

	one("crc16-miss", Count(1.0/(1<<16)), "a random alteration passes a 16-bit check", "arithmetic: one remainder in 65,536"),
	one("crc32-miss", Count(1.0/(1<<32)), "a random alteration passes a 32-bit check", "arithmetic: one remainder in 4,294,967,296"),
}
