package ladder

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"envelope/internal/child"
)

// The two sides speak in lines. A child says how far it came and then blocks
// until it is killed; a journal's acknowledgements are lines in between.
const (
	ready       = "ready"     // the payload is where the mode says
	refused     = "refused: " // this file system does not do that, and why
	streamEnded = "end"       // every record of the stream was appended
)

func acknowledged(seq int) string { return "ack " + strconv.Itoa(seq) }

func stopped(s step, seq int) string { return "stopped " + s.String() + " " + strconv.Itoa(seq) }

// mode is how far a child takes the payload before it says that it is ready.
type mode string

const (
	buffered mode = "buffered" // in a buffer of the process
	written  mode = "written"  // and handed to the kernel by write(2)
	synced   mode = "synced"   // and then fsync(2)
	shared   mode = "shared"   // stored through a MAP_SHARED mapping
	private  mode = "private"  // stored through a MAP_PRIVATE mapping
)

// payloadSize is 16 pages of 4 KiB: more than the default buffers of the usual
// libraries, and no more than a pipe takes at once.
const payloadSize = 65536

// hold is the child that leaves a payload at one rung: it reads the payload
// from its standard input and takes it as far as its mode says.
func hold(args []string) int {
	return child.Main(func() error {
		if len(args) != 2 {
			return fmt.Errorf("want a mode and a path, got %q", args)
		}
		payload := make([]byte, payloadSize)
		if _, err := io.ReadFull(os.Stdin, payload); err != nil {
			return fmt.Errorf("reading the payload: %w", err)
		}
		f, err := os.OpenFile(args[1], os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		switch m := mode(args[0]); m {
		case buffered, written, synced:
			return write(f, payload, m)
		case shared:
			return store(f, payload, unix.MAP_SHARED)
		case private:
			return store(f, payload, unix.MAP_PRIVATE)
		}
		return fmt.Errorf("unknown mode %q", args[0])
	})
}

// write takes the payload through a buffer that could hold it twice, so that
// only Flush ever issues a write(2).
func write(f *os.File, payload []byte, m mode) error {
	w := bufio.NewWriterSize(f, 2*len(payload))
	if _, err := w.Write(payload); err != nil {
		return err
	}
	if m != buffered {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	if m == synced {
		// Not (*os.File).Sync, which is F_FULLFSYNC on macOS.
		if err := unix.Fsync(int(f.Fd())); err != nil {
			return fmt.Errorf("fsync: %w", err)
		}
	}
	return child.Stay(ready)
}

// store copies the payload into a mapping of the file, with no msync.
func store(f *os.File, payload []byte, flags int) error {
	if err := f.Truncate(int64(len(payload))); err != nil {
		return err
	}
	page, err := unix.Mmap(int(f.Fd()), 0, len(payload), unix.PROT_READ|unix.PROT_WRITE, flags)
	if isRefusal(err) {
		return child.Stay(refused + err.Error())
	}
	if err != nil {
		return fmt.Errorf("mmap: %w", err)
	}
	copy(page, payload)
	return child.Stay(ready)
}

// isRefusal reports whether mmap failed because the file system has no such
// mapping (mmap(2): ENODEV; some network and user-space file systems answer
// with the others), and not because something is broken.
func isRefusal(err error) bool {
	for _, no := range []error{unix.ENODEV, unix.EINVAL, unix.ENOTSUP, unix.ENOSYS} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

// step is a place in the writer's protocol at which it can be killed.
type step int

const (
	beforeWrite step = iota
	insideRecord
	afterWrite
	afterAck
	steps // how many there are

	anywhere step = -1 // the child is not stopped: it is killed as it runs
)

var stepNames = [steps]string{"before-write", "inside-record", "after-write", "after-ack"}

func (s step) String() string {
	if s < 0 || s >= steps {
		return "anywhere"
	}
	return stepNames[s]
}

// order is when the writer acknowledges.
const (
	writeFirst = "write-first"
	ackFirst   = "ack-first"
)

// streamEnd is how many records a writer appends before it stops of itself. It
// bounds what a child writes while its parent waits for a processor.
const streamEnd = 512

// frameHeader is the length of the body, four bytes, and the record's number,
// eight.
const frameHeader = 12

// frame returns record number seq of the stream of a seed, and the byte at
// which the writer cuts it into two writes. Both sides compute it, so the
// parent knows every byte that the file may hold.
func frame(buf []byte, seed uint64, seq int) (record []byte, cut int) {
	rng := rand.New(rand.NewPCG(seed, uint64(seq)))
	n := 16 + rng.IntN(497)
	buf = binary.LittleEndian.AppendUint32(buf[:0], uint32(n))
	buf = binary.LittleEndian.AppendUint64(buf, uint64(seq))
	for len(buf) < frameHeader+n {
		buf = binary.LittleEndian.AppendUint64(buf, rng.Uint64())
	}
	return buf[:frameHeader+n], 1 + rng.IntN(frameHeader+n-1)
}

// journal is the child that appends records to a file and acknowledges each.
// Its arguments are PATH SEED ORDER STEP RECORD: it stops where it reaches that
// step of that record, and at the end of the stream.
func journal(args []string) int {
	return child.Main(func() error {
		if len(args) != 5 {
			return fmt.Errorf("want a path, a seed, an order, a step and a record, got %q", args)
		}
		seed, errSeed := strconv.ParseUint(args[1], 16, 64)
		at, errAt := strconv.Atoi(args[4])
		if err := errors.Join(errSeed, errAt); err != nil {
			return err
		}
		f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		w := writer{file: f, seed: seed, ackFirst: args[2] == ackFirst, stop: args[3], at: at}
		return w.run()
	})
}

type writer struct {
	file     *os.File
	seed     uint64
	ackFirst bool
	stop     string
	at       int
}

func (w *writer) run() error {
	var buf []byte
	for seq := range streamEnd {
		record, cut := frame(buf, w.seed, seq)
		if err := w.append(seq, record, cut); err != nil {
			return err
		}
		buf = record
	}
	return child.Stay(streamEnded)
}

// append is the whole protocol: write a record, then acknowledge it.
func (w *writer) append(seq int, record []byte, cut int) error {
	if w.ackFirst {
		// The control's fault, ahead of the first step, so that a kill there
		// falls between the acknowledgement and the write.
		if err := child.Say(acknowledged(seq)); err != nil {
			return err
		}
	}
	if err := w.reach(beforeWrite, seq); err != nil {
		return err
	}
	if _, err := w.file.Write(record[:cut]); err != nil {
		return err
	}
	if err := w.reach(insideRecord, seq); err != nil {
		return err
	}
	if _, err := w.file.Write(record[cut:]); err != nil {
		return err
	}
	if err := w.reach(afterWrite, seq); err != nil {
		return err
	}
	if !w.ackFirst {
		if err := child.Say(acknowledged(seq)); err != nil {
			return err
		}
	}
	return w.reach(afterAck, seq)
}

func (w *writer) reach(s step, seq int) error {
	if seq != w.at || s.String() != w.stop {
		return nil
	}
	return child.Stay(stopped(s, seq))
}
