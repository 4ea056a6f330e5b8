package resp

import (
	"math"
	"strconv"
)

var (
	wordSet       = []byte("SET")
	wordPXAT      = []byte("PXAT")
	wordKeepTTL   = []byte("KEEPTTL")
	wordPersist   = []byte("PERSIST")
	wordPExpireAt = []byte("PEXPIREAT")
)

// setOptions are what SET was told besides key and value.
type setOptions struct {
	nx, xx, get, keep bool
	at                int64 // end of the key's time, in ms since 1970
	timed             bool
}

// set is SET key value [NX | XX] [GET] [EX s | PX ms | EXAT s | PXAT ms | KEEPTTL].
func set(d *Database, args [][]byte, out []byte) []byte {
	var o setOptions
	if why := o.read(args[3:], d.now); why != "" {
		return failure(out, why)
	}
	key, value := args[1], args[2]
	e := d.find(key)
	if o.get {
		if e != nil {
			out = bulk(out, e.value)
		} else {
			out = null(out)
		}
	}
	if o.nx && e != nil || o.xx && e == nil {
		if o.get {
			return out
		}
		return null(out)
	}
	e = d.put(key, value)
	switch {
	case o.timed:
		d.due(e, o.at)
		d.scratch = strconv.AppendInt(d.scratch[:0], o.at, 10)
		d.log(wordSet, key, value, wordPXAT, d.scratch)
	case o.keep:
		d.log(wordSet, key, value, wordKeepTTL)
	default:
		d.persist(e)
		d.log(wordSet, key, value)
	}
	if o.get {
		return out
	}
	return simple(out, "OK")
}

// read returns what is wrong with the options; "" where nothing is.
func (o *setOptions) read(args [][]byte, now int64) (why string) {
	var unit, value []byte
	for i := 0; i < len(args); i++ {
		var name [8]byte
		switch word := string(lower(name[:0], args[i])); {
		case len(args[i]) > 7:
			return errSyntax
		case word == "nx" && !o.xx:
			o.nx = true
		case word == "xx" && !o.nx:
			o.xx = true
		case word == "get":
			o.get = true
		case word == "keepttl" && unit == nil:
			o.keep = true
		case (word == "ex" || word == "px" || word == "exat" || word == "pxat") && !o.keep && unit == nil && i+1 < len(args):
			unit, value = args[i], args[i+1]
			i++
		default:
			return errSyntax
		}
	}
	if unit == nil {
		return ""
	}
	v, ok := parseInt(value)
	if !ok {
		return errNotInteger
	}
	seconds, absolute := unit[0]|0x20 == 'e', len(unit) == 4
	if o.at, ok = instant(v, seconds, absolute, now); !ok || v <= 0 {
		return "ERR invalid expire time in 'set' command"
	}
	o.timed = true
	return ""
}

// instant is a time in ms since 1970. It reports false where that is beyond what
// a number can hold.
func instant(v int64, seconds, absolute bool, now int64) (at int64, ok bool) {
	if seconds {
		if v > math.MaxInt64/1000 || v < math.MinInt64/1000 {
			return 0, false
		}
		v *= 1000
	}
	if absolute {
		return v, true
	}
	return v + now, v <= math.MaxInt64-now
}

// expiry is EXPIRE and its kind: [NX | XX | GT | LT] behind the time.
func expiry(name string, seconds, absolute bool) func(*Database, [][]byte, []byte) []byte {
	return func(d *Database, args [][]byte, out []byte) []byte {
		var nx, xx, gt, lt bool
		for _, a := range args[3:] {
			var word [8]byte
			switch string(lower(word[:0], a)) {
			case "nx":
				nx = true
			case "xx":
				xx = true
			case "gt":
				gt = true
			case "lt":
				lt = true
			default:
				return failure(out, "ERR Unsupported option "+string(a))
			}
		}
		switch {
		case nx && (xx || gt || lt):
			return failure(out, "ERR NX and XX, GT or LT options at the same time are not compatible")
		case gt && lt:
			return failure(out, "ERR GT and LT options at the same time are not compatible")
		}
		v, ok := parseInt(args[2])
		if !ok {
			return failure(out, errNotInteger)
		}
		at, ok := instant(v, seconds, absolute, d.now)
		if !ok {
			return failure(out, "ERR invalid expire time in '"+name+"' command")
		}
		e := d.find(args[1])
		if e == nil {
			return integer(out, 0)
		}
		// A key without an end lives longer than any other.
		had := e.expires != 0
		if nx && had || xx && !had || gt && (!had || at <= e.expires) || lt && had && at >= e.expires {
			return integer(out, 0)
		}
		if at <= d.now && !d.replay {
			d.expire(e)
			return integer(out, 1)
		}
		d.due(e, at)
		d.scratch = strconv.AppendInt(d.scratch[:0], at, 10)
		d.log(wordPExpireAt, args[1], d.scratch)
		return integer(out, 1)
	}
}

func persist(d *Database, args [][]byte, out []byte) []byte {
	e := d.find(args[1])
	if e == nil || !d.persist(e) {
		return integer(out, 0)
	}
	d.log(wordPersist, args[1])
	return integer(out, 1)
}

// left is what PTTL answers: ms, or -1 for ever, or -2 for no such key.
func (d *Database) left(key []byte) int64 {
	e := d.find(key)
	switch {
	case e == nil:
		return -2
	case e.expires == 0:
		return -1
	}
	return max(e.expires-d.now, 0)
}

func pttl(d *Database, args [][]byte, out []byte) []byte { return integer(out, d.left(args[1])) }

func ttl(d *Database, args [][]byte, out []byte) []byte {
	ms := d.left(args[1])
	if ms >= 0 {
		ms = (ms + 500) / 1000
	}
	return integer(out, ms)
}
