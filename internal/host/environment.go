package host

import (
	"io/fs"
	"os"
)

// Environment is what is known about the machine and about the directory that
// is measured. It holds nothing that names the machine or its user.
type Environment struct {
	System  System   `json:"system"`
	CPU     CPU      `json:"cpu"`
	Virtual Virtual  `json:"virtual"`
	Memory  Memory   `json:"memory"`
	Clock   Clock    `json:"clock"`
	Target  Target   `json:"target"`
	Load    Volatile `json:"load"` // at the time of Read; ReadVolatile takes it again
}

// System is the operating system.
type System struct {
	OS     Fact[string] `json:"os"`     // the distribution's own name and version
	Kernel Fact[string] `json:"kernel"` // name and release
	Arch   Fact[string] `json:"arch"`   // as uname says: x86_64, aarch64, arm64
}

// CPU is the processor and how much of it this process may use.
type CPU struct {
	Model            Fact[string]   `json:"model"`
	Vendor           Fact[string]   `json:"vendor"`
	Logical          Fact[int]      `json:"logical"`           // online logical CPUs
	Physical         Fact[int]      `json:"physical"`          // online physical cores
	Allowed          Fact[int]      `json:"allowed"`           // logical CPUs that the affinity mask leaves
	Quota            Fact[float64]  `json:"quota"`             // CPUs' worth of time a period; the logical CPUs where no quota is set
	QuotaSet         Fact[bool]     `json:"quota_set"`         // whether any cgroup in sight sets a quota
	Caches           Fact[[]Cache]  `json:"caches"`            // those of the first CPU
	Vector           Fact[[]string] `json:"vector"`            // vector extensions, in the kernel's spelling
	Governor         Fact[string]   `json:"governor"`          // that of the first CPU
	Frequency        Fact[float64]  `json:"frequency"`         // Hz; the source says whether highest or current
	PerformanceCores Fact[int]      `json:"performance_cores"` // logical CPUs of the faster kind
	EfficiencyCores  Fact[int]      `json:"efficiency_cores"`  // logical CPUs of the slower kinds
}

// Cache is one cache of the first CPU.
type Cache struct {
	Level    int    `json:"level"`
	Type     string `json:"type"`      // Data, Instruction or Unified
	Size     uint64 `json:"size"`      // B
	SharedBy int    `json:"shared_by"` // logical CPUs that share it; 0 where that is not known
}

// Virtual says what lies between this process and the hardware. A container
// inside a virtual machine is both, so the two are answered apart; "none" is
// said only by a detector that would have seen one.
type Virtual struct {
	Machine    Fact[string] `json:"machine"`    // none, kvm, firecracker, wsl, vmware, ...; "other" for a hypervisor without a known name
	Container  Fact[string] `json:"container"`  // none, docker, podman, kubernetes, gvisor, ...; "other" for one that left no name
	Hypervisor Fact[string] `json:"hypervisor"` // the vendor string that cpuid gives
}

// Memory is the machine's memory and how much of it this process may use.
type Memory struct {
	Total           Fact[uint64] `json:"total"`            // B
	Available       Fact[uint64] `json:"available"`        // B, by the kernel's own estimate
	Limit           Fact[uint64] `json:"limit"`            // B; the total where no cgroup sets a lower one
	LimitSet        Fact[bool]   `json:"limit_set"`        // whether any cgroup in sight sets a limit
	TransparentHuge Fact[string] `json:"transparent_huge"` // always, madvise or never
	HugePages       Fact[uint64] `json:"huge_pages"`       // pages reserved
	HugePageSize    Fact[uint64] `json:"huge_page_size"`   // B
}

// Clock is the kernel's clock source, and what the instrument measures of it.
type Clock struct {
	Source     Fact[string]   `json:"source"`
	Available  Fact[[]string] `json:"available"`
	Overhead   Fact[float64]  `json:"overhead"`   // s a reading; filled in by the caller, who measures it
	Resolution Fact[float64]  `json:"resolution"` // s; filled in by the caller, who measures it
}

// Read returns what root (a tree rooted at /) and live tell of the machine and
// of dir. It never fails: what cannot be read is unknown with its reason.
func Read(root fs.FS, dir string, live Live) Environment {
	e := Environment{
		System:  readSystem(root, live),
		Virtual: readVirtual(root, live),
		Memory:  readMemory(root, live),
		Load:    ReadVolatile(root, live),
	}
	e.CPU = readCPU(root, live)
	e.Clock = readClock(root)
	e.Target = readTarget(root, dir, live, e.Virtual.guest())
	return e
}

// Here returns the environment of this machine with dir as its target.
func Here(dir string) Environment { return Read(Root(), dir, Local()) }

// Root returns the real file system from /.
func Root() fs.FS { return os.DirFS("/") }
