package host

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestEveryCaseHasAFixture(t *testing.T) {
	have := fixtures(t)
	for i := 1; i <= 12; i++ {
		found := false
		for _, f := range have {
			found = found || strings.HasPrefix(f.name, fmt.Sprintf("case-%02d-", i))
		}
		if !found {
			t.Errorf("case %d has no fixture", i)
		}
	}
}

// Every fact is either known with a source, or unknown with a reason; a number
// has a base unit.
func TestEveryFactIsKnownOrHasAReason(t *testing.T) {
	for _, f := range fixtures(t) {
		if n := checkFacts(t, f.name, "", decode(t, f.read())); n < 50 {
			t.Errorf("%s: only %d facts", f.name, n)
		}
	}
	checkFacts(t, "this machine", "", decode(t, Here(t.TempDir())))
}

func checkFacts(t *testing.T, name, path string, doc any) (n int) {
	t.Helper()
	switch d := doc.(type) {
	case []any:
		for i, v := range d {
			n += checkFacts(t, name, fmt.Sprintf("%s.%d", path, i), v)
		}
	case map[string]any:
		value, fact := d["value"]
		if !fact {
			for k, v := range d {
				n += checkFacts(t, name, path+"."+k, v)
			}
			return n
		}
		_, unknown := d["unknown"]
		_, source := d["source"]
		if known := value != nil; known == unknown || known != source {
			t.Errorf("%s: %s is neither known with a source nor unknown with a reason: %v", name, path, d)
		}
		_, number := value.(float64)
		if unit, _ := d["unit"].(string); number != (unit != "") || unit != "" && !has([]string{"B", "s", "Hz", "1"}, unit) {
			t.Errorf("%s: %s has the unit %q", name, path, unit)
		}
		return 1 + checkFacts(t, name, path, value)
	}
	return n
}

func TestFact(t *testing.T) {
	check := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check(Known(uint64(4096), "B", "x").String(), "4096 B")
	check(Known(2, "1", "x").String(), "2")
	check(Known("ext4", "", "x").String(), "ext4")
	check(Missing[int]("no such file").String(), "unknown (no such file)")
	check(Fact[int]{}.String(), "unknown")
	b, err := json.Marshal(Missing[int]("why"))
	check(string(b), `{"value":null,"unknown":"why"}`)
	if err != nil {
		t.Error(err)
	}
	if v, ok := Known(7, "1", "x").Get(); !ok || v != 7 {
		t.Errorf("got %v %v, want 7 true", v, ok)
	}
	if _, ok := Missing[int]("why").Get(); ok {
		t.Error("a missing fact was got")
	}
	if Missing[int]("").Unknown == "" {
		t.Error("a missing fact has no reason")
	}
}

// The device-mapper's name is there for a reader in memory, and nowhere else
// (TestNothingPrivateLeaves).
func TestDeviceMapperNameStaysInMemory(t *testing.T) {
	layers, _ := load(t, "case-02-btrfs-dm").read().Target.Layers.Get()
	if len(layers) == 0 || layers[0].Name != "vg0-data" {
		t.Errorf("got layers %+v, want the first named vg0-data", layers)
	}
}

// A record that was read back judges as it did when it was written.
func TestUnfitSurvivesTheRecord(t *testing.T) {
	b, err := json.Marshal(load(t, "case-03-overlay-volatile").read())
	if err != nil {
		t.Fatal(err)
	}
	var e Environment
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatal(err)
	}
	if _, unfit := e.Target.Unfit(); !unfit {
		t.Error("a volatile overlay is fit once it was read back")
	}
}

func TestFlushCounterIsReadAnew(t *testing.T) {
	f := load(t, "case-12-luks-raid")
	count, reason := f.read().Target.FlushCounter(f.root)
	if count == nil {
		t.Fatal(reason)
	}
	f.root["sys/block/sdb/stat"] = &fstest.MapFile{Data: []byte("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 25 17\n")}
	if n, err := count(); err != nil || n != 35 {
		t.Errorf("got %d (%v), want 35", n, err)
	}
	delete(f.root, "sys/block/sdb/stat")
	if n, err := count(); err == nil || !strings.Contains(err.Error(), "sdb") {
		t.Errorf("got %d (%v) without sdb's counter, want an error that names it", n, err)
	}
}

func TestWriteBack(t *testing.T) {
	check := func(name, some, all string) {
		t.Helper()
		target := load(t, name).read().Target
		if got := word(target.WriteBack()); got != some {
			t.Errorf("%s: WriteBack is %s, want %s", name, got, some)
		}
		if got := word(target.WriteBackAll()); got != all {
			t.Errorf("%s: WriteBackAll is %s, want %s", name, got, all)
		}
	}
	check("case-12-luks-raid", "true", "false")
	check("case-02-btrfs-dm", "true", "true")
	check("nobarrier-write-through", "false", "false")
	check("nobarrier-unknown-cache", "unknown", "unknown")
	check("case-08-tmpfs", "unknown", "unknown")
}

// ACPI tables are binary, and only root may read them.
func TestFirecracker(t *testing.T) {
	check := func(want string, files fstest.MapFS) {
		t.Helper()
		if got := word(Read(files, "/", Fixed{CPU: &Processor{Hypervisor: true, HypervisorVendor: "KVMKVMKVM"}}).Virtual.Machine); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	table := func(oem string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("DSDT\x77\x00\x00\x00\x02\x9a" + oem + "FCVMDSDT\x00\x00\x00\x00FCAT")}
	}
	check("firecracker", fstest.MapFS{"sys/firmware/acpi/tables/DSDT": table("FIRECK")})
	check("kvm", fstest.MapFS{"sys/firmware/acpi/tables/DSDT": table("BOCHS ")})
	check("kvm", fstest.MapFS{"sys/firmware/acpi/tables/DSDT": {Data: []byte("DSDT")}})
	check("firecracker", fstest.MapFS{"proc/cmdline": {Data: []byte("quiet -- --firecracker-init\n")}})
}

// macOS has no files for these facts; its kernel variables stand in for them.
func TestDarwin(t *testing.T) {
	e := Read(fstest.MapFS{}, "/Users/alice/x", Fixed{
		FS:     &Statfs{Name: "apfs", Local: true},
		Kernel: &Uname{"Darwin", "24.1.0", "arm64"},
		Sysctls: map[string]string{
			"kern.osproductversion": "15.1", "machdep.cpu.brand_string": "Apple M3", "hw.memsize": "17179869184",
			"hw.logicalcpu": "8", "hw.physicalcpu": "8", "hw.perflevel0.logicalcpu": "4", "hw.perflevel1.logicalcpu": "4",
			"hw.l1dcachesize": "65536", "kern.hv_vmm_present": "0", "vm.loadavg": "1.50 1.25 1.00",
		},
	})
	doc := decode(t, e)
	check := func(path, want string) {
		t.Helper()
		if got := field(at(doc, path), "value"); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	check("system.os", "macOS 15.1")
	check("system.kernel", "Darwin 24.1.0")
	check("cpu.model", "Apple M3")
	check("cpu.logical", "8")
	check("cpu.performance_cores", "4")
	check("cpu.efficiency_cores", "4")
	check("cpu.caches.0.size", "65536")
	check("memory.total", "17179869184")
	check("virtual.machine", "none")
	check("load.load_1", "1.5")
	check("target.filesystem", "apfs")
	if _, ok := e.Target.Disks.Get(); ok {
		t.Error("the disks are known, though nothing tells them")
	}
	if strings.Contains(fmt.Sprint(doc), "alice") {
		t.Error("the directory is named")
	}
}

// The real Live answers what its system can.
func TestLocal(t *testing.T) {
	e := Here(t.TempDir())
	if _, ok := e.System.Kernel.Get(); !ok {
		t.Errorf("kernel: %v", e.System.Kernel)
	}
	if _, ok := e.Target.Filesystem.Get(); !ok {
		t.Errorf("file system: %v", e.Target.Filesystem)
	}
	if _, err := Local().Processor(); (err == nil) != (runtime.GOARCH == "amd64") {
		t.Errorf("cpuid on %s: %v", runtime.GOARCH, err)
	}
	if st, err := Local().Statfs(t.TempDir()); err != nil || st.Magic == 0 && st.Name == "" {
		t.Errorf("statfs: %+v (%v)", st, err)
	}
	if _, err := Local().Resolve("/no/such/directory"); err == nil {
		t.Error("a directory that does not exist was resolved")
	}
	gone := Here("/no/such/directory").Target
	if _, ok := gone.Filesystem.Get(); ok {
		t.Error("the file system of a directory that does not exist is known")
	}
}

func TestLines(t *testing.T) {
	want := `system     unknown, unknown, unknown
processor  unknown, CPUs unknown logical, unknown physical, quota unknown (/proc/self/cgroup is not there), governor unknown
caches     unknown (/sys/devices/system/cpu/cpu0/cache lists no cache with a size)
vectors    unknown (/proc/cpuinfo is not there)
virtual    machine none (cpuid), container unknown (no manager left a mark, and /proc/self/ns cannot be read)
memory     unknown, unknown available, limit unknown (/proc/self/cgroup is not there), transparent huge pages unknown
clock      unknown of unknown (/sys/devices/system/clocksource/clocksource0/available_clocksource is not there)
load       unknown unknown unknown, pressure cpu unknown io unknown memory unknown
directory  ext4 on nvme0n1p3 (partition), nvme0n1 [rw,nobarrier]
disk       nvme0n1, 1 GiB, model unknown, not spinning, write cache write back, scheduler none, blocks 512/4096 B, flushes counted
unfit      nobarrier over a volatile write cache: an fsync does not flush it`
	got := strings.Join(load(t, "case-11-nobarrier").read().Lines(), "\n")
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}
	here := load(t, "here").read()
	here.Clock.Overhead, here.Clock.Resolution = Known(25e-9, "s", "measured"), Known(1e-9, "s", "measured")
	all := strings.Join(here.Lines(), "\n")
	for _, s := range []string{
		"clock      tsc of tsc kvm-clock, 25 ns a reading, resolution 1 ns",
		"caches     L1d 48 KiB, L1i 32 KiB, L2 1 MiB, L3 32 MiB for 2 CPUs",
		"virtual    machine firecracker (/proc/cmdline), container none",
		"warning    in a virtual machine an fsync may reach only the host",
	} {
		if !strings.Contains(all, s) {
			t.Errorf("no line with %q in\n%s", s, all)
		}
	}
}

func TestReasonsForErrors(t *testing.T) {
	check := func(err error, want string) {
		t.Helper()
		if got := why("x", fmt.Errorf("open /home/alice: %w", err)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check(fs.ErrNotExist, "x is not there")
	check(fs.ErrPermission, "x may not be read")
	check(fs.ErrInvalid, "x is not a path that can be read")
	check(fmt.Errorf("else"), "x cannot be read")
}
