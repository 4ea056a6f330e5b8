package writeahead

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"envelope/internal/child"
)

// What the serving process says.
const (
	isMounted   = "mounted"
	isUnmounted = "unmounted"
	refused     = "refused: " // it could not mount, and why
)

// clientHangs is a file in a job's directory.
const clientHangs = "client-hangs"

// serveMount serves the files of a directory on a mount until its standard
// input ends. It never touches the mount: a process that waits in the kernel
// for its own answer can't be killed.
func serveMount(dir, point string, store backing, helper bool) error {
	if err := canMount(helper); err != nil {
		return child.Say(refused + err.Error())
	}
	second := time.Second
	options := &fs.Options{AttrTimeout: &second, EntryTimeout: &second}
	options.MountOptions = fuse.MountOptions{
		FsName: fmt.Sprintf("%s%d", mountSource, os.Getppid()), Name: "envelope",
		ExtraCapabilities: fuse.CAP_WRITEBACK_CACHE,
		DirectMountStrict: !helper,
		DisableXAttrs:     true, // or the kernel asks for one before every write
	}
	// Not fs.Mount, whose last step opens a file on the mount.
	server, err := fuse.NewServer(fs.NewNodeFS(&tree{dir: dir, store: store}, options), point, &options.MountOptions)
	if err != nil {
		return child.Say(refused + strings.TrimSpace(child.Bare(err).Error()))
	}
	if server.KernelSettings().Flags64()&fuse.CAP_WRITEBACK_CACHE == 0 {
		return errors.Join(child.Say(refused+"this kernel's FUSE has no write-back caching"), unmount(point))
	}
	go server.Serve()
	if err := child.Say(isMounted); err != nil {
		return errors.Join(err, unmount(point))
	}
	io.Copy(io.Discard, os.Stdin)
	if err := unmount(point); err != nil {
		return err
	}
	return child.Say(isUnmounted)
}

// canMount says what is missing in words that the mount's own error lacks.
func canMount(helper bool) error {
	if helper {
		// unmount wants this one, too; an older fusermount will not do.
		_, err := exec.LookPath("fusermount3")
		return err
	}
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return device.Close()
}

// tree is the root of the mount.
type tree struct {
	fs.Inode
	dir   string
	store backing
}

var _ = fs.NodeOnAdder(&tree{})

// OnAdd adds a node for each file of the backing directory.
func (t *tree) OnAdd(ctx context.Context) {
	entries, err := os.ReadDir(t.dir)
	if err != nil {
		return // the client will miss its files and say so
	}
	for _, e := range entries {
		f, err := os.OpenFile(filepath.Join(t.dir, e.Name()), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		child := t.NewPersistentInode(ctx, &leaf{file: f, store: t.store}, fs.StableAttr{Mode: syscall.S_IFREG})
		t.AddChild(e.Name(), child, false)
	}
}

// leaf is a file of the mount; the bytes are in a backing file.
type leaf struct {
	fs.Inode
	file  *os.File
	store backing
}

var (
	_ = fs.NodeGetattrer(&leaf{})
	_ = fs.NodeSetattrer(&leaf{})
	_ = fs.NodeOpener(&leaf{})
	_ = fs.NodeReader(&leaf{})
	_ = fs.NodeWriter(&leaf{})
	_ = fs.NodeFsyncer(&leaf{})
	_ = fs.NodeFlusher(&leaf{})
)

// Getattr returns the backing file's attributes.
func (l *leaf) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	var st syscall.Stat_t
	if err := syscall.Fstat(int(l.file.Fd()), &st); err != nil {
		return fs.ToErrno(err)
	}
	out.FromStat(&st)
	return 0
}

// Setattr changes nothing: with write-back caching the kernel sends times.
func (l *leaf) Setattr(ctx context.Context, f fs.FileHandle, _ *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	return l.Getattr(ctx, f, out)
}

// Open needs no handle: the backing file is open.
func (l *leaf) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) { return nil, 0, 0 }

// Read reads the backing file.
func (l *leaf) Read(_ context.Context, _ fs.FileHandle, dest []byte, at int64) (fuse.ReadResult, syscall.Errno) {
	n, err := unix.Pread(int(l.file.Fd()), dest, at)
	if err != nil {
		return nil, fs.ToErrno(err)
	}
	return fuse.ReadResultData(dest[:n]), 0
}

// Write is what the kernel calls when it writes its cached pages back.
func (l *leaf) Write(_ context.Context, _ fs.FileHandle, data []byte, at int64) (uint32, syscall.Errno) {
	switch l.store {
	case silent:
		// Until the connection is aborted, or this process killed. The file
		// tells a test that the client hangs.
		os.WriteFile(filepath.Join(filepath.Dir(filepath.Dir(l.file.Name())), clientHangs), nil, 0o600)
		select {}
	case failing, neverWell:
		return 0, syscall.EIO
	}
	n, err := unix.Pwrite(int(l.file.Fd()), data, at)
	if err == nil && l.store == writesAll {
		err = syscall.EIO
	}
	return uint32(max(n, 0)), fs.ToErrno(err)
}

// Fsync syncs the backing file, which succeeds: only the writes fail.
func (l *leaf) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	if l.store == neverWell {
		return syscall.EIO
	}
	return fs.ToErrno(unix.Fsync(int(l.file.Fd())))
}

// Flush is close(2) by the client.
func (l *leaf) Flush(context.Context, fs.FileHandle) syscall.Errno { return 0 }
