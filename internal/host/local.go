package host

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

type local struct{}

// Local returns this machine's own Live.
func Local() Live { return local{} }

func (local) Resolve(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// vectorFeatures pairs the library's names with the kernel's spelling in /proc/cpuinfo.
var vectorFeatures = []struct {
	id   cpuid.FeatureID
	name string
}{
	{cpuid.SSE2, "sse2"}, {cpuid.SSSE3, "ssse3"}, {cpuid.SSE4, "sse4_1"}, {cpuid.SSE42, "sse4_2"},
	{cpuid.AVX, "avx"}, {cpuid.F16C, "f16c"}, {cpuid.FMA3, "fma"}, {cpuid.AVX2, "avx2"},
	{cpuid.AVX512F, "avx512f"}, {cpuid.AVX512DQ, "avx512dq"}, {cpuid.AVX512BW, "avx512bw"},
	{cpuid.AVX512VL, "avx512vl"}, {cpuid.AVX512VNNI, "avx512_vnni"}, {cpuid.AVX512BF16, "avx512_bf16"},
	{cpuid.AVX512FP16, "avx512_fp16"}, {cpuid.AVXVNNI, "avx_vnni"}, {cpuid.AMXTILE, "amx_tile"},
	{cpuid.AMXINT8, "amx_int8"}, {cpuid.AMXBF16, "amx_bf16"},
}

func (local) Processor() (Processor, error) {
	c := cpuid.CPU
	if runtime.GOARCH != "amd64" {
		// The library detects some features of other architectures but
		// neither a hypervisor nor its absence.
		return Processor{}, errors.New("no cpuid instruction on " + runtime.GOARCH)
	}
	p := Processor{
		Model: strings.TrimSpace(c.BrandName), Vendor: c.VendorString,
		Hypervisor:       c.Supports(cpuid.HYPERVISOR),
		HypervisorVendor: strings.TrimRight(c.HypervisorVendorString, "\x00 "),
	}
	for _, f := range vectorFeatures {
		if c.Supports(f.id) {
			p.Vector = append(p.Vector, f.name)
		}
	}
	add := func(level int, kind string, size int) {
		if size > 0 {
			p.Caches = append(p.Caches, Cache{Level: level, Type: kind, Size: uint64(size)})
		}
	}
	add(1, "Data", c.Cache.L1D)
	add(1, "Instruction", c.Cache.L1I)
	add(2, "Unified", c.Cache.L2)
	add(3, "Unified", c.Cache.L3)
	return p, nil
}
