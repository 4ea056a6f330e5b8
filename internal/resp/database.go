package resp

import (
	"math/rand/v2"
)

// Database holds keys and their values. One goroutine uses it.
type Database struct {
	keys     map[string]*entry
	volatile []*entry // those with a time to live, for sampling
	now      int64    // ms since 1970, as the loop last read it
	changed  func(args ...[]byte)
	replay   bool // the log is read: what it holds has happened, and nothing is over
	rng      *rand.Rand
	scratch  []byte // numbers on their way into the log
	executed int
}

// entry is a key with its value.
type entry struct {
	key     string
	value   []byte
	expires int64 // ms since 1970; 0 for never
	slot    int   // in volatile, where expires is not 0
}

// newDatabase makes an empty one. changed is told of every change, as the request
// that repeats it; the arguments are good during the call.
func newDatabase(changed func(args ...[]byte)) *Database {
	return &Database{keys: map[string]*entry{}, changed: changed, rng: rand.New(rand.NewPCG(1, 2))}
}

// Value returns what a key holds, whether its time is over or not.
func (d *Database) Value(key string) (value []byte, ok bool) {
	if e := d.keys[key]; e != nil {
		return e.value, true
	}
	return nil, false
}

// Size returns how many keys there are, and how many of them are dead: their time
// is over, and nothing has met them yet.
func (d *Database) Size() (all, dead int) {
	for _, e := range d.volatile {
		if d.over(e) {
			dead++
		}
	}
	return len(d.keys), dead
}

func (d *Database) over(e *entry) bool { return e.expires != 0 && d.now > e.expires }

// find returns a key that lives. One that does not is deleted on the way.
func (d *Database) find(key []byte) *entry {
	e := d.keys[string(key)]
	if e != nil && !d.replay && d.over(e) {
		d.expire(e)
		return nil
	}
	return e
}

// expire deletes a key whose time is over. That goes to the log: replaying it
// looks at no clock.
func (d *Database) expire(e *entry) {
	d.remove(e)
	d.log(wordDel, []byte(e.key))
}

var wordDel = []byte("DEL")

func (d *Database) log(args ...[]byte) {
	if d.changed != nil && !d.replay {
		d.changed(args...)
	}
}

func (d *Database) remove(e *entry) {
	d.persist(e)
	delete(d.keys, e.key)
}

// put gives a key a value, which is copied; its time to live stays as it is.
func (d *Database) put(key, value []byte) *entry {
	e := d.keys[string(key)]
	if e == nil {
		e = &entry{key: string(key)}
		d.keys[e.key] = e
	}
	if cap(e.value) < len(value) || cap(e.value) > 2*len(value)+64 {
		e.value = make([]byte, 0, len(value))
	}
	e.value = append(e.value[:0], value...)
	return e
}

// due sets the end of a key's time, in ms since 1970; 0 stands for the instant
// after it, because in an entry it means never.
func (d *Database) due(e *entry, at int64) {
	if at == 0 {
		at = 1
	}
	if e.expires == 0 {
		e.slot = len(d.volatile)
		d.volatile = append(d.volatile, e)
	}
	e.expires = at
}

// persist makes a key live for ever, and reports whether that is news.
func (d *Database) persist(e *entry) bool {
	if e.expires == 0 {
		return false
	}
	last := d.volatile[len(d.volatile)-1]
	last.slot = e.slot
	d.volatile[e.slot] = last
	d.volatile[len(d.volatile)-1] = nil
	d.volatile = d.volatile[:len(d.volatile)-1]
	e.expires = 0
	return true
}

// Active expiry looks at samples of so many keys, and goes on for as long as more
// than a tenth of a sample was dead, but not longer than so many samples: the
// loop has clients to serve.
const (
	SampleSize = 20
	Tolerated  = 2 // of a sample
	maxSamples = 64
)

// cycle deletes dead keys that nothing has met.
func (d *Database) cycle() {
	for range maxSamples {
		dead := 0
		for range min(SampleSize, len(d.volatile)) {
			if len(d.volatile) == 0 {
				return
			}
			if e := d.volatile[d.rng.IntN(len(d.volatile))]; d.over(e) {
				d.expire(e)
				dead++
			}
		}
		if dead <= Tolerated {
			return
		}
	}
}
