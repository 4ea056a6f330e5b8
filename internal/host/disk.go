package host

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Disk is one whole disk at the bottom of the stack under the directory.
type Disk struct {
	Name          string       `json:"name"` // the kernel's: vda, nvme0n1
	Model         Fact[string] `json:"model"`
	Rotational    Fact[bool]   `json:"rotational"`     // believed only outside a virtual machine
	WriteCache    Fact[string] `json:"write_cache"`    // "write back" or "write through"
	Scheduler     Fact[string] `json:"scheduler"`      // none, mq-deadline, ...
	LogicalBlock  Fact[uint64] `json:"logical_block"`  // B
	PhysicalBlock Fact[uint64] `json:"physical_block"` // B
	Size          Fact[uint64] `json:"size"`           // B
	Transport     Fact[string] `json:"transport"`      // of an NVMe device: pcie, tcp, rdma, fc
	FlushCounter  Fact[bool]   `json:"flush_counter"`  // whether the kernel's count of flushes can be read
}

func readDisk(root fs.FS, name string, guest Fact[bool]) Disk {
	sys := "/sys/block/" + name
	d := Disk{
		Name:          name,
		Model:         either(textFact(root, sys+"/device/model"), textFact(root, sys+"/device/name")),
		Rotational:    readRotational(root, sys, guest),
		WriteCache:    textFact(root, sys+"/queue/write_cache"),
		Scheduler:     choiceFact(root, sys+"/queue/scheduler"),
		LogicalBlock:  uintFact(root, sys+"/queue/logical_block_size", 1, "B"),
		PhysicalBlock: uintFact(root, sys+"/queue/physical_block_size", 1, "B"),
		Size:          uintFact(root, sys+"/size", 512, "B"), // sectors of 512 B whatever the disk's own are
		Transport:     textFact(root, sys+"/device/transport"),
	}
	if c, ok := d.WriteCache.Get(); ok && c != "write back" && c != "write through" {
		d.WriteCache = Missing[string](fmt.Sprintf("%s/queue/write_cache says %q", sys, c))
	}
	if _, err := readFlushes(root, name); err != nil {
		d.FlushCounter = Known(false, "", sys+"/stat: "+err.Error())
	} else {
		d.FlushCounter = Known(true, "", sys+"/stat")
	}
	return d
}

// readRotational believes the flag outside a virtual machine only: a hypervisor's
// disk says what its default is, whatever lies below.
func readRotational(root fs.FS, sys string, guest Fact[bool]) Fact[bool] {
	in, ok := guest.Get()
	if !ok {
		return Missing[bool](guest.Unknown)
	}
	if in {
		return Missing[bool]("in a virtual machine the flag says nothing about the disk")
	}
	n, err := readUint(root, sys+"/queue/rotational")
	if err != nil {
		return Missing[bool](why(sys+"/queue/rotational", err))
	}
	return Known(n != 0, "", sys+"/queue/rotational")
}

// readFlushes returns how many flush requests a whole disk has completed since boot.
func readFlushes(root fs.FS, name string) (uint64, error) {
	s, err := readText(root, "/sys/block/"+name+"/stat")
	if err != nil {
		return 0, fmt.Errorf("%s", why("stat", err))
	}
	return parseFlushes(s)
}

// parseFlushes returns the sixteenth field of a disk's stat file, "flush I/Os"
// (Documentation/block/stat.rst); kernels before 5.5 have fewer fields.
func parseFlushes(s string) (uint64, error) {
	f := strings.Fields(s)
	if len(f) < 16 {
		return 0, fmt.Errorf("%d fields: this kernel does not count flushes", len(f))
	}
	n, err := strconv.ParseUint(f[15], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", clean(f[15]))
	}
	return n, nil
}
