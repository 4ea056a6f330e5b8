// Slowfs mounts a copy-through file system whose fsync takes a while longer, to
// see what the labs do on a slow disk:
//
//	go run ./bench/slowfs [-delay 20ms] BACKING MOUNTPOINT
//
// It serves until it is told to stop, and never touches its own mount.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

func main() {
	delay := flag.Duration("delay", 20*time.Millisecond, "added to every fsync")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: slowfs [-delay D] BACKING MOUNTPOINT")
		os.Exit(2)
	}
	server, err := mount(flag.Arg(0), flag.Arg(1), *delay)
	if err != nil {
		fmt.Fprintf(os.Stderr, "slowfs: mounting on %s: %v\n", flag.Arg(1), err)
		os.Exit(1)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-stop
		server.Unmount()
	}()
	fmt.Println("mounted")
	server.Wait()
}

func mount(backing, point string, delay time.Duration) (*fuse.Server, error) {
	root, err := fs.NewLoopbackRoot(backing)
	if err != nil {
		return nil, err
	}
	slow := &node{LoopbackNode: root.(*fs.LoopbackNode), delay: delay}
	slow.RootData.RootNode = slow
	second := time.Second
	return fs.Mount(point, slow, &fs.Options{
		AttrTimeout: &second, EntryTimeout: &second,
		MountOptions: fuse.MountOptions{FsName: "slowfs", Name: "slowfs", DirectMount: true,
			// Without this the kernel asks for an attribute before every write.
			DisableXAttrs: true, ExtraCapabilities: fuse.CAP_WRITEBACK_CACHE},
	})
}

// node is a loopback node whose fsync takes longer.
type node struct {
	*fs.LoopbackNode
	delay time.Duration
}

// WrapChild makes the children of a slow node slow.
func (n *node) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	return &node{LoopbackNode: child.(*fs.LoopbackNode), delay: n.delay}
}

// readable is an open's flags as a write-back cache needs them: the kernel reads
// what is left of a page before it writes one, and appends by itself.
func readable(flags uint32) uint32 {
	return flags&^(syscall.O_ACCMODE|syscall.O_APPEND) | syscall.O_RDWR
}

// Open opens the backing file for reading as well.
func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return n.LoopbackNode.Open(ctx, readable(flags))
}

// Create opens the new backing file for reading as well.
func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	return n.LoopbackNode.Create(ctx, name, readable(flags), mode, out)
}

// Fsync waits, then syncs the backing file.
func (n *node) Fsync(ctx context.Context, f fs.FileHandle, flags uint32) syscall.Errno {
	time.Sleep(n.delay)
	if s, ok := f.(fs.FileFsyncer); ok {
		return s.Fsync(ctx, flags)
	}
	return syscall.ENOTSUP
}
