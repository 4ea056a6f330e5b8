package resp

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"envelope/internal/poll"
)

// Counts are what a server has done since it began. Reads and Writes are system
// calls on connections, refused ones among them.
type Counts struct {
	Reads, Writes, Waits   int
	LogWrites, Syncs       int
	Commands, Pauses, Open int
	Waiting                int // bytes of replies that no client has taken yet
}

// Step is a place in a turn of the loop at which a test or a lab can stop it.
type Step int

// The steps, in the order in which a turn takes them.
const (
	BeforeLog    Step = iota // the commands are carried out in memory
	InsideRecord             // a part of their records is written
	Logged                   // all of them are
	Synced                   // and synced; policy Always alone
	Replied                  // and the replies are sent
	Steps                    // how many there are
)

func (s Step) String() string {
	return [...]string{"before-log", "inside-record", "logged", "synced", "replied"}[s]
}

// Faults are what a server gets wrong on purpose. The zero value gets nothing
// wrong; each field is a control of a lab.
type Faults struct {
	FlushEach    bool // each command's reply is a write of its own
	ShortReads   bool // a read takes no more than a short command
	SyncEach     bool // each record has a sync of its own
	ReplyFirst   bool // replies leave before the log is written
	KeepDead     bool // active expiry finds nothing
	ForgetInput  bool // what was read before a pause is not looked at after it
	TearAnywhere bool // any damage of the log is taken for a torn tail
}

// ErrStop is what Control returns to end a server in order.
var ErrStop = errors.New("the server was told to stop")

// Options are what a server needs.
type Options struct {
	Socket string // path of the Unix socket that it makes
	Log    string // path of its log; "" for none
	Policy Policy // when the log is synced
	Hz     int    // cycles of active expiry a second; 0 for none of itself
	// Control, where it is set, is called with each line that comes from ControlFD, in the loop and after all commands
	// of that turn. Its error, or the end of that descriptor, ends the server.
	Control   func(s *Server, line string) error
	ControlFD int
	// At, where it is set, is told each step of a turn that changed something, with the sequence of its last record. Its
	// error ends the server.
	At     func(s Step, sequence uint64) error
	Faults Faults
}

const (
	chunk     = 64 << 10 // bytes of one read
	shortRead = 48       // the same under a fault
	backlog   = 512      // connections that wait to be accepted
	most      = 1000     // connections at a time
	highWater = 64 << 10 // bytes of replies from which a connection is paused
	spare     = 1 << 20  // a buffer larger than this is given back
)

// Server is one server. All of it but Open runs in Run.
type Server struct {
	Options
	Counts
	db     *Database
	log    *logFile
	poller *poll.Poller
	socket int
	full   bool // the socket is not watched: no more connections can be had
	conns  map[int]*conn
	dirty  []*conn // that have replies to be sent, or are to be closed
	again  []*conn // that have input left which no event will tell of
	buffer []byte  // that every read goes to
	line   []byte  // of the control, unfinished
	start  time.Time
	turned time.Duration // when this turn began, since the start
	skew   time.Duration // of the clock by which keys are dead
	cycled time.Duration // when active expiry last ran
}

// Open reads the log and makes the socket: clients may connect from here on. Close
// must follow.
func Open(o Options) (*Server, error) {
	s := &Server{Options: o, socket: -1, conns: map[int]*conn{}, buffer: make([]byte, chunk), start: time.Now()}
	if err := s.open(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Server) open() (err error) {
	if s.Faults.ShortReads {
		s.buffer = s.buffer[:shortRead]
	}
	s.db = newDatabase(nil)
	if s.Log != "" {
		if s.db, s.log, err = openLog(s.Log, s.Policy, s.Faults.TearAnywhere); err != nil {
			return err
		}
		s.log.counts, s.log.at, s.log.each = &s.Counts, s.At, s.Faults.SyncEach
		s.db.changed = s.log.add
	}
	if s.poller, err = poll.New(backlog); err != nil {
		return err
	}
	if s.socket, err = listen(s.Socket); err != nil {
		return err
	}
	if err := s.poller.Add(s.socket, true, false); err != nil {
		return err
	}
	if s.Control == nil {
		return nil
	}
	return s.poller.Add(s.ControlFD, true, false)
}

// Close ends all connections and gives everything back but the socket's name.
func (s *Server) Close() {
	for fd := range s.conns {
		unix.Close(fd)
	}
	s.conns = map[int]*conn{}
	if s.socket >= 0 {
		unix.Close(s.socket)
		s.socket = -1
	}
	if s.poller != nil {
		s.poller.Close()
		s.poller = nil
	}
	if s.log != nil {
		s.log.file.Close()
		s.log = nil
	}
}

// Run serves until it fails, or the control ends it.
func (s *Server) Run() error {
	for {
		if err := s.turn(); err != nil {
			return err
		}
	}
}

// turn is one turn of the loop.
func (s *Server) turn() error {
	events, err := s.poller.Wait(s.patience())
	if err != nil {
		return err
	}
	s.Waits++
	s.readClock()
	s.repeat()
	control := s.serve(events)
	s.expireSome()
	if s.Faults.ReplyFirst {
		s.flush()
	}
	changed := s.log != nil && s.log.records > 0
	if s.log != nil {
		if err := s.log.commit(s.turned); err != nil {
			return err
		}
	}
	s.flush()
	if changed && s.At != nil {
		if err := s.At(Replied, s.log.sequence); err != nil {
			return err
		}
	}
	if control {
		return s.command()
	}
	return nil
}

// patience is how long the loop may wait for something to be ready.
func (s *Server) patience() time.Duration {
	if len(s.again) > 0 {
		return 0
	}
	wait := time.Duration(-1)
	if s.Hz > 0 {
		wait = max(0, s.cycled+time.Second/time.Duration(s.Hz)-s.turned)
	}
	if s.log != nil && s.log.unsynced && s.log.policy == EverySecond {
		due := max(0, s.log.synced+time.Second-s.turned)
		if wait < 0 || due < wait {
			wait = due
		}
	}
	return wait
}

// readClock reads it once: for the time since the start, which never goes back,
// and for the time of day, by which keys live.
func (s *Server) readClock() {
	now := time.Now()
	s.turned, s.db.now = now.Sub(s.start), now.Add(s.skew).UnixMilli()
}

// serve takes the events of a turn, and reports whether the control is one of
// them.
func (s *Server) serve(events []poll.Event) (control bool) {
	for _, e := range events {
		switch c := s.conns[e.FD]; {
		case e.FD == s.socket:
			s.accept()
		case c != nil:
			s.ready(c, e)
		case s.Control != nil && e.FD == s.ControlFD:
			control = true
		}
	}
	return control
}

// expireSome runs a cycle of active expiry when one is due.
func (s *Server) expireSome() {
	if s.Hz == 0 || s.turned < s.cycled+time.Second/time.Duration(s.Hz) {
		return
	}
	s.cycled = s.turned
	s.Cycle()
}

// Cycle runs a cycle of active expiry now.
func (s *Server) Cycle() {
	if !s.Faults.KeepDead {
		s.db.cycle()
	}
}

// Advance sets the clock forward by which keys are dead.
func (s *Server) Advance(by time.Duration) {
	s.skew += by
	s.readClock()
}

// Keys returns how many keys there are, and how many of them are dead.
func (s *Server) Keys() (all, dead int) { return s.db.Size() }

// Report returns the counts, with what is open and waiting now.
func (s *Server) Report() Counts {
	c := s.Counts
	c.Commands, c.Open = s.db.executed, len(s.conns)
	for _, conn := range s.conns {
		c.Waiting += len(conn.out) - conn.sent
	}
	return c
}

// command reads from the control and passes its lines on.
func (s *Server) command() error {
	var piece [256]byte
	n, err := unix.Read(s.ControlFD, piece[:])
	switch {
	case err == unix.EINTR || err == unix.EAGAIN:
		return nil
	case err != nil:
		return fmt.Errorf("reading the control: %w", err)
	case n == 0:
		return errors.New("the control has ended")
	}
	for _, c := range piece[:n] {
		if c != '\n' {
			s.line = append(s.line, c)
			continue
		}
		line := string(s.line)
		s.line = s.line[:0]
		if err := s.Control(s, line); err != nil {
			return err
		}
	}
	return nil
}
