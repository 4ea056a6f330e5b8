package host

import "errors"

// Live is what no file can tell. Local returns the machine's own; a Fixed
// stands in for it in tests.
type Live interface {
	// Resolve returns dir as an absolute path without symbolic links.
	Resolve(dir string) (string, error)
	// Statfs returns what the file system of dir says of itself.
	Statfs(dir string) (Statfs, error)
	// Device returns the device number of dir (st_dev).
	Device(dir string) (Number, error)
	// Uname returns the kernel's name, release and machine.
	Uname() (Uname, error)
	// Processor returns what the processor says of itself.
	Processor() (Processor, error)
	// Sysctl returns a kernel variable as text; Linux has files instead.
	Sysctl(name string) (string, error)
}

// Uname is the kernel's answer to uname, without the host name.
type Uname struct{ System, Release, Machine string }

// Statfs is a file system's answer to statfs: a magic number on Linux, a name elsewhere.
type Statfs struct {
	Magic uint64 // 0 where the system has names instead
	Name  string // "" where the system has numbers instead
	Local bool   // false for a network file system; meaningful only with a Name
	// Size, where the system has numbers: free or not.
	Blocks, BlockSize uint64
}

// Processor is what the processor says of itself (cpuid).
type Processor struct {
	Model, Vendor    string
	Vector           []string // vector extensions, in the kernel's spelling
	Caches           []Cache
	Hypervisor       bool   // the hypervisor bit
	HypervisorVendor string // leaf 0x40000000, "" where there is none
}

// Fixed is a Live whose answers are its fields; the zero value knows nothing.
type Fixed struct {
	Path    string // the answer of Resolve; "" passes dir through
	FS      *Statfs
	Sizes   map[string]uint64 // blocks of the file system at a path, beside what FS says
	Dev     *Number
	Kernel  *Uname
	CPU     *Processor
	Sysctls map[string]string
}

var errFixed = errors.New("not in the fixture")

// Resolve returns f.Path, or dir where that is empty.
func (f Fixed) Resolve(dir string) (string, error) {
	if f.Path != "" {
		return f.Path, nil
	}
	return dir, nil
}

// Statfs returns f.FS with the size that f.Sizes has for dir.
func (f Fixed) Statfs(dir string) (Statfs, error) {
	blocks, sized := f.Sizes[dir]
	st, err := answer(f.FS)
	if sized {
		st.Blocks, st.BlockSize, err = blocks, 4096, nil
	}
	return st, err
}

// Device returns f.Dev.
func (f Fixed) Device(string) (Number, error) { return answer(f.Dev) }

// Uname returns f.Kernel.
func (f Fixed) Uname() (Uname, error) { return answer(f.Kernel) }

// Processor returns f.CPU.
func (f Fixed) Processor() (Processor, error) { return answer(f.CPU) }

// Sysctl returns the entry of f.Sysctls.
func (f Fixed) Sysctl(name string) (string, error) {
	if v, ok := f.Sysctls[name]; ok {
		return v, nil
	}
	return "", errFixed
}

func answer[T any](v *T) (T, error) {
	if v == nil {
		var zero T
		return zero, errFixed
	}
	return *v, nil
}
