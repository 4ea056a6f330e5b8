package host

import (
	"io"
	"io/fs"
	"path"
	"strings"
)

func readVirtual(root fs.FS, live Live) Virtual {
	v := Virtual{Machine: readMachine(root, live), Container: readContainer(root)}
	p, err := live.Processor()
	switch {
	case err != nil:
		v.Hypervisor = Missing[string]("no cpuid")
	case clean(p.HypervisorVendor) == "":
		v.Hypervisor = Missing[string]("cpuid names no hypervisor")
	default:
		v.Hypervisor = Known(clean(p.HypervisorVendor), "", "cpuid")
	}
	return v
}

// guest says whether this is a virtual machine; unknown where Machine is.
func (v Virtual) guest() Fact[bool] {
	m, ok := v.Machine.Get()
	if !ok {
		return Missing[bool]("whether this is a virtual machine is not known: " + v.Machine.Unknown)
	}
	return Known(m != "none", "", v.Machine.Source)
}

// readMachine asks the detectors in the order of how much they say: the special
// kernels, the hypervisor's own tables, then the processor's bit, which alone
// can also say "none".
func readMachine(root fs.FS, live Live) Fact[string] {
	if source, ok := wsl(root); ok {
		return Known("wsl", "", source)
	}
	if source, ok := firecracker(root); ok {
		return Known("firecracker", "", source)
	}
	if s, _ := readText(root, "/proc/xen/capabilities"); strings.Contains(s, "control_d") {
		// The first domain of Xen runs over the hypervisor but owns the disks.
		return Known("none", "", "/proc/xen/capabilities")
	}
	bit := hypervisorBit(root, live)
	present, asked := bit.Get()
	if asked && !present {
		return Known("none", "", bit.Source)
	}
	if name, ok := vendorOf(live); ok {
		return Known(name, "", "cpuid")
	}
	if f, ok := machineByTables(root); ok {
		return f
	}
	if on, err := live.Sysctl("kern.hv_vmm_present"); err == nil {
		if strings.TrimSpace(on) == "0" {
			return Known("none", "", "sysctl kern.hv_vmm_present")
		}
		return Known("other", "", "sysctl kern.hv_vmm_present")
	}
	if asked {
		return Known("other", "", bit.Source)
	}
	return Missing[string]("nothing here would show a hypervisor: " + bit.Unknown)
}

// wsl looks for the kernel that Microsoft builds for its subsystem.
func wsl(root fs.FS) (string, bool) {
	for _, name := range []string{"/proc/sys/kernel/osrelease", "/proc/version"} {
		s, _ := readText(root, name)
		s = strings.ToLower(s)
		// "4.4.0-19041-Microsoft" (1) and "5.15.90.1-microsoft-standard-WSL2" (2);
		// Azure's own kernels say neither.
		if strings.Contains(s, "microsoft-standard-wsl") || strings.Contains(s, "-microsoft") {
			return name, true
		}
	}
	return "", false
}

// firecracker looks for the OEM mark in the ACPI tables that Firecracker writes
// (src/acpi-tables: "FIRECK"); where only root may read them, for a kernel command
// line that names it.
func firecracker(root fs.FS) (string, bool) {
	const tables = "/sys/firmware/acpi/tables"
	for _, t := range names(root, tables) {
		if oemOf(root, tables+"/"+t) == "FIRECK" {
			return tables, true
		}
	}
	s, _ := readText(root, "/proc/cmdline")
	if strings.Contains(strings.ToLower(s), "firecracker") {
		return "/proc/cmdline", true
	}
	return "", false
}

// oemOf returns the OEM mark of an ACPI table, bytes 10 to 15 (ACPI 6.5, section
// 5.2.6), or "": a server's tables are large, so no more than these are read.
func oemOf(root fs.FS, name string) string {
	f, err := root.Open(rel(name))
	if err != nil {
		return ""
	}
	defer f.Close()
	var head [16]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return ""
	}
	return string(head[10:])
}

// hypervisorBit is leaf 1, ECX bit 31, which no processor sets by itself: asked
// of the processor, or read as the flag that the kernel shows.
func hypervisorBit(root fs.FS, live Live) Fact[bool] {
	if p, err := live.Processor(); err == nil {
		return Known(p.Hypervisor, "", "cpuid")
	}
	s, err := readText(root, cpuinfo)
	if err != nil {
		return Missing[bool](why(cpuinfo, err))
	}
	flags := strings.Fields(parseCPUInfo(s).fields["flags"])
	if len(flags) == 0 {
		return Missing[bool]("this processor has no hypervisor bit")
	}
	return Known(has(flags, "hypervisor"), "", cpuinfo)
}

// vendors are the strings of leaf 0x40000000 (systemd's src/basic/virt.c and the
// hypervisors' own documents).
var vendors = []struct{ id, name string }{
	{"KVMKVMKVM", "kvm"}, {"Linux KVM Hv", "kvm"}, {"TCGTCGTCGTCG", "qemu"}, {"VMwareVMware", "vmware"},
	{"Microsoft Hv", "hyper-v"}, {"XenVMMXenVMM", "xen"}, {"bhyve bhyve", "bhyve"}, {"VBoxVBoxVBox", "virtualbox"},
	{"lrpepyh vr", "parallels"}, {"prl hyperv", "parallels"}, {"ACRNACRNACRN", "acrn"}, {"QNXQVMBSQG", "qnx"},
	{"VirtualApple", "rosetta"}, {"Jailhouse", "jailhouse"},
}

func vendorOf(live Live) (string, bool) {
	p, err := live.Processor()
	if err != nil || !p.Hypervisor {
		return "", false
	}
	id := clean(p.HypervisorVendor)
	for _, v := range vendors {
		if strings.HasPrefix(id, v.id) {
			return v.name, true
		}
	}
	return "", false
}

// boards are the makers that firmware names in a virtual machine. Clouds that also
// rent out whole machines under the same name (Amazon) are known by the rest.
var boards = []struct{ mark, name string }{
	{"KVM", "kvm"}, {"QEMU", "qemu"}, {"OpenStack", "kvm"}, {"KubeVirt", "kvm"}, {"Google Compute Engine", "kvm"},
	{"Alibaba Cloud ECS", "kvm"}, {"VMware", "vmware"}, {"innotek", "virtualbox"}, {"VirtualBox", "virtualbox"},
	{"Xen", "xen"}, {"HVM domU", "xen"}, {"Bochs", "bochs"}, {"Parallels", "parallels"}, {"BHYVE", "bhyve"},
	{"Virtual Machine", "hyper-v"}, {"Apple Virtualization", "apple"}, {"Apple Inc. Virtual", "apple"},
}

// machineByTables asks firmware and kernel for a hypervisor by name; they can
// only say yes. The serial numbers and UUIDs beside these files are not read.
func machineByTables(root fs.FS) (Fact[string], bool) {
	if s, err := readText(root, "/sys/hypervisor/type"); err == nil && clean(s) != "" {
		return Known(clean(s), "", "/sys/hypervisor/type"), true
	}
	if s, err := readText(root, "/proc/device-tree/hypervisor/compatible"); err == nil {
		name := "other"
		for _, n := range []string{"kvm", "xen", "vmware"} {
			if strings.Contains(s, n) {
				name = n
			}
		}
		return Known(name, "", "/proc/device-tree"), true
	}
	product, err := readText(root, "/sys/class/dmi/id/product_name")
	if s, _ := readText(root, "/sys/class/dmi/id/sys_vendor"); s == "Amazon EC2" && err == nil && !strings.Contains(product, ".metal") {
		return Known("kvm", "", "DMI product_name"), true
	}
	for _, f := range []string{"product_name", "sys_vendor", "board_vendor", "bios_vendor"} {
		s, _ := readText(root, "/sys/class/dmi/id/"+f)
		for _, b := range boards {
			if strings.Contains(s, b.mark) {
				return Known(b.name, "", "DMI "+f), true
			}
		}
	}
	return Fact[string]{}, false
}

// mark is a sign that a container's manager leaves.
type mark struct{ name, source string }

func readContainer(root fs.FS) Fact[string] {
	if source, ok := gvisor(root); ok {
		return Known("gvisor", "", source)
	}
	m, marked := containerMark(root)
	inside, why := separate(root)
	switch {
	case marked && why == "" && !inside:
		// A root file system that was made from an image keeps the image's
		// marks; the namespaces say whether this is a container.
		return Known("none", "", "/proc/self/ns (the mark "+m.source+" is left over from an image)")
	case marked:
		return Known(m.name, "", m.source)
	case why != "":
		return Missing[string]("no manager left a mark, and " + why)
	case !inside:
		return Known("none", "", "/proc/self/ns")
	}
	if _, ok := wsl(root); ok {
		return Missing[string]("WSL runs every distribution in namespaces of its own")
	}
	return Known("other", "", "/proc/self/ns")
}

// gvisor looks for the version that its kernel always claims (gvisor,
// pkg/sentry/kernel/version).
func gvisor(root fs.FS) (string, bool) {
	for _, name := range []string{"/proc/version", "/proc/sys/kernel/osrelease"} {
		s, _ := readText(root, name)
		if strings.Contains(strings.ToLower(s), "gvisor") || strings.Contains(s, "#1 SMP Sun Jan 10 15:06:54 PST 2016") {
			return name, true
		}
	}
	return "", false
}

// containerNames are the words that are printed; a manager's free text is not.
var containerNames = map[string]string{
	"docker": "docker", "podman": "podman", "lxc": "lxc", "lxc-libvirt": "lxc", "systemd-nspawn": "systemd-nspawn",
	"oci": "oci", "rkt": "rkt", "proot": "proot", "kubernetes": "kubernetes", "kubepods": "kubernetes",
	"libpod": "podman", "containerd": "containerd", "garden": "garden", "lxd": "lxc", "incus": "lxc", "crio": "cri-o",
	"buildkit": "buildkit",
}

func containerMark(root fs.FS) (mark, bool) {
	if filled(root, "/run/secrets/kubernetes.io") || filled(root, "/var/run/secrets/kubernetes.io") {
		return mark{"kubernetes", "/run/secrets/kubernetes.io"}, true
	}
	if s, err := readText(root, "/run/systemd/container"); err == nil {
		if name := containerNames[s]; name != "" {
			return mark{name, "/run/systemd/container"}, true
		}
		return mark{"other", "/run/systemd/container"}, true
	}
	if exists(root, "/run/.containerenv") {
		return mark{"podman", "/run/.containerenv"}, true
	}
	if exists(root, "/.dockerenv") {
		return mark{"docker", "/.dockerenv"}, true
	}
	if s, err := readText(root, "/proc/1/environ"); err == nil {
		for _, kv := range strings.Split(s, "\x00") {
			if v, ok := strings.CutPrefix(kv, "container="); ok && containerNames[v] != "" {
				return mark{containerNames[v], "/proc/1/environ"}, true
			}
		}
	}
	if s, err := readText(root, "/proc/self/cgroup"); err == nil {
		if name, ok := containerByCgroup(s); ok {
			return mark{name, "/proc/self/cgroup"}, true
		}
	}
	return mark{}, false
}

func filled(root fs.FS, name string) bool { return len(names(root, name)) > 0 }

// containerByCgroup looks for a manager's word at the start of a part of the
// path: "/docker/ID", "/kubepods.slice/...", "/system.slice/docker-ID.scope". A
// service of the same name ("docker.service") is the manager, not a container.
func containerByCgroup(text string) (string, bool) {
	for _, p := range parseCgroup(text) {
		for _, part := range strings.Split(path.Clean("/"+p), "/") {
			if strings.HasSuffix(part, ".service") || strings.HasSuffix(part, ".socket") {
				continue
			}
			word := strings.FieldsFunc(part, func(r rune) bool { return r == '.' || r == '-' || r == ':' })
			if len(word) > 0 && word[0] != "oci" && containerNames[word[0]] != "" {
				return containerNames[word[0]], true
			}
		}
	}
	return "", false
}

// initial are the numbers of the namespaces that the kernel starts with
// (include/linux/proc_ns.h). A container has at least one of these for itself.
var initial = []struct{ name, link string }{
	{"pid", "pid:[4026531836]"}, {"uts", "uts:[4026531838]"}, {"ipc", "ipc:[4026531839]"},
}

// separate reports whether this process lives in other namespaces than the
// first process of the kernel, or why that cannot be told.
func separate(root fs.FS) (inside bool, why string) {
	for _, ns := range initial {
		link, err := fs.ReadLink(root, "proc/self/ns/"+ns.name)
		if err != nil {
			return false, "/proc/self/ns cannot be read"
		}
		if link != ns.link {
			return true, ""
		}
	}
	return false, ""
}
