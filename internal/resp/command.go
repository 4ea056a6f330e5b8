package resp

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// command is one of the table. Its run appends the reply to out.
type command struct {
	arity int // words of the request, the name among them; negative: at least
	run   func(d *Database, args [][]byte, out []byte) []byte
}

var commands = map[string]command{
	"ping": {-1, ping}, "echo": {2, echo}, "get": {2, get}, "set": {-3, set}, "del": {-2, del}, "exists": {-2, exists},
	"expire":    {-3, expiry("expire", true, false)},
	"pexpire":   {-3, expiry("pexpire", false, false)},
	"expireat":  {-3, expiry("expireat", true, true)},
	"pexpireat": {-3, expiry("pexpireat", false, true)},
	"persist":   {2, persist}, "ttl": {2, ttl}, "pttl": {2, pttl},
	"incr":   {2, func(d *Database, a [][]byte, out []byte) []byte { return d.add(a[1], 1, out) }},
	"decr":   {2, func(d *Database, a [][]byte, out []byte) []byte { return d.add(a[1], -1, out) }},
	"incrby": {3, incrBy}, "decrby": {3, decrBy},
	"keys": {2, keys},
}

// Errors that several commands answer with, in the words of Redis.
const (
	errNotInteger = "ERR value is not an integer or out of range"
	errSyntax     = "ERR syntax error"
	errOverflow   = "ERR increment or decrement would overflow"
)

// execute carries out one request and appends its reply.
func (d *Database) execute(args [][]byte, out []byte) []byte {
	d.executed++
	var name [16]byte
	c, known := commands[string(lower(name[:0], args[0]))]
	switch {
	case !known:
		return failure(out, unknown(args))
	case c.arity > 0 && len(args) != c.arity, len(args) < -c.arity:
		return wrongNumber(out, string(bytes.ToLower(args[0])))
	}
	return c.run(d, args, out)
}

// lower appends a word in lower case, cut where it is longer than any command.
func lower(to, word []byte) []byte {
	for _, c := range word[:min(len(word), cap(to))] {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		to = append(to, c)
	}
	return to
}

func wrongNumber(out []byte, name string) []byte {
	return failure(out, "ERR wrong number of arguments for '"+name+"' command")
}

// unknown quotes a request that is none of ours, 128 bytes of it.
func unknown(args [][]byte) string {
	const most = 128
	cut := func(b []byte, n int) string { return string(b[:min(len(b), n)]) }
	var rest strings.Builder
	for _, a := range args[1:] {
		if rest.Len() >= most {
			break
		}
		rest.WriteString("'" + cut(a, most-rest.Len()) + "' ")
	}
	return "ERR unknown command '" + cut(args[0], most) + "', with args beginning with: " + rest.String()
}

func ping(_ *Database, args [][]byte, out []byte) []byte {
	switch len(args) {
	case 1:
		return simple(out, "PONG")
	case 2:
		return bulk(out, args[1])
	}
	return wrongNumber(out, "ping")
}

func echo(_ *Database, args [][]byte, out []byte) []byte { return bulk(out, args[1]) }

func get(d *Database, args [][]byte, out []byte) []byte {
	if e := d.find(args[1]); e != nil {
		return bulk(out, e.value)
	}
	return null(out)
}

func del(d *Database, args [][]byte, out []byte) []byte {
	n := int64(0)
	for _, key := range args[1:] {
		if e := d.find(key); e != nil {
			d.remove(e)
			d.log(wordDel, key)
			n++
		}
	}
	return integer(out, n)
}

func exists(d *Database, args [][]byte, out []byte) []byte {
	n := int64(0)
	for _, key := range args[1:] {
		if d.find(key) != nil {
			n++
		}
	}
	return integer(out, n)
}

func incrBy(d *Database, args [][]byte, out []byte) []byte {
	by, ok := parseInt(args[2])
	if !ok {
		return failure(out, errNotInteger)
	}
	return d.add(args[1], by, out)
}

func decrBy(d *Database, args [][]byte, out []byte) []byte {
	by, ok := parseInt(args[2])
	switch {
	case !ok:
		return failure(out, errNotInteger)
	case by == math.MinInt64:
		return failure(out, "ERR decrement would overflow")
	}
	return d.add(args[1], -by, out)
}

// add changes a number that is kept as text. Its time to live stays.
func (d *Database) add(key []byte, by int64, out []byte) []byte {
	v := int64(0)
	if e := d.find(key); e != nil {
		var ok bool
		if v, ok = parseInt(e.value); !ok {
			return failure(out, errNotInteger)
		}
	}
	if by > 0 && v > math.MaxInt64-by || by < 0 && v < math.MinInt64-by {
		return failure(out, errOverflow)
	}
	d.scratch = strconv.AppendInt(d.scratch[:0], v+by, 10)
	d.put(key, d.scratch)
	d.log(wordSet, key, d.scratch, wordKeepTTL)
	return integer(out, v+by)
}

// keys lists those that a pattern means, in no order.
func keys(d *Database, args [][]byte, out []byte) []byte {
	var found []*entry
	for _, e := range d.keys {
		if match(args[1], []byte(e.key)) {
			found = append(found, e)
		}
	}
	live := found[:0]
	for _, e := range found {
		if d.find([]byte(e.key)) != nil {
			live = append(live, e)
		}
	}
	out = array(out, len(live))
	for _, e := range live {
		out = bulk(out, []byte(e.key))
	}
	return out
}
