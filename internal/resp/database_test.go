package resp

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// say carries out an inline request.
func (d *Database) say(t interface{ Fatalf(string, ...any) }, line string) string {
	args, ok := Words([]byte(line))
	if !ok {
		t.Fatalf("%q is no request", line)
	}
	return string(d.execute(args, nil))
}

func TestTimeToLive(t *testing.T) {
	d := newDatabase(nil)
	check := func(now int64, line, want string) {
		t.Helper()
		d.now = now
		if got := d.say(t, line); got != want {
			t.Errorf("at %d ms, %s: got %q, want %q", now, line, got, want)
		}
	}
	check(1000, "SET k v PX 500", "+OK\r\n")
	check(1000, "PTTL k", ":500\r\n")
	check(1001, "TTL k", ":0\r\n")
	check(1000, "TTL k", ":1\r\n")
	check(1499, "PTTL k", ":1\r\n")
	check(1500, "GET k", "$1\r\nv\r\n") // its last instant
	check(1501, "GET k", "$-1\r\n")
	check(1501, "EXISTS k", ":0\r\n")
	check(2000, "SET k v EX 10", "+OK\r\n")
	check(2000, "SET k w KEEPTTL", "+OK\r\n")
	check(12_000, "GET k", "$1\r\nw\r\n")
	check(12_001, "INCR k", ":1\r\n") // what was there is over
	check(math.MaxInt64-1, "PTTL k", ":-1\r\n")
	check(20_000, "SET k 5 PX 10", "+OK\r\n")
	check(20_005, "INCR k", ":6\r\n")
	check(20_005, "PTTL k", ":5\r\n")
	check(20_011, "KEYS *", "*0\r\n")
	check(20_011, "SET k 1 PX "+strconv.Itoa(math.MaxInt64-20_011), "+OK\r\n")
	check(20_011, "SET k 1 PX "+strconv.Itoa(math.MaxInt64-20_010), "-ERR invalid expire time in 'set' command\r\n")
}

// Keys that nothing meets die of samples; those that live are never among them.
func TestCycle(t *testing.T) {
	d := newDatabase(nil)
	for i := range 1000 {
		d.say(t, fmt.Sprintf("SET dead:%d v PX 5", i))
		d.say(t, fmt.Sprintf("SET live:%d v PX 5000", i))
		d.say(t, fmt.Sprintf("SET ever:%d v", i))
	}
	d.now += 100
	check := func(all, dead int) {
		t.Helper()
		if a, n := d.Size(); a != all || n != dead {
			t.Errorf("got %d keys, %d of them dead, want %d and %d", a, n, all, dead)
		}
	}
	check(3000, 1000)
	d.cycle() // finds too many dead to stop after one sample
	if _, dead := d.Size(); dead > 1000-2*SampleSize {
		t.Errorf("%d of 1000 are still dead after a cycle", dead)
	}
	for range 2000 {
		d.cycle()
	}
	check(2000, 0)
	d.now += 5000
	check(2000, 1000)
	for range 2000 {
		d.cycle()
	}
	check(1000, 0)
	if len(d.volatile) != 0 {
		t.Errorf("%d keys are sampled, and none has a time", len(d.volatile))
	}
	d.cycle() // with nothing to look at
}

// state is all of a database.
func state(d *Database) map[string]string {
	all := map[string]string{}
	for k, e := range d.keys {
		all[k] = fmt.Sprintf("%q until %d", e.value, e.expires)
	}
	for i, e := range d.volatile {
		if e.slot != i || e.expires == 0 || d.keys[e.key] != e {
			all["broken: "+e.key] = "the index of keys with a time"
		}
	}
	return all
}

// What the log repeats is what happened, whatever the time is when it does.
func TestLogRepeatsHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var log []byte
		var n uint64
		d := newDatabase(func(args ...[]byte) {
			n++
			log = AppendRecord(log, n, args...)
		})
		d.now = 1_000_000
		key := rapid.SampledFrom([]string{"a", "b", "c"})
		number := rapid.IntRange(-20, 50)
		for range rapid.IntRange(0, 40).Draw(t, "commands") {
			k, v := key.Draw(t, "key"), number.Draw(t, "number")
			line := rapid.SampledFrom([]string{"SET %s %d", "SET %s %d KEEPTTL", "SET %s 7 PX %d", "SET %s %d NX", "SET %s %d XX GET", "INCRBY %s %d", "DECR %s",
				"DEL %s", "PEXPIRE %s %d", "PEXPIRE %s %d NX", "PERSIST %s", "GET %s", "KEYS *", "EXISTS %s", "CYCLE", "WAIT", "SET %s text", "PEXPIREAT %s 1", "EXPIREAT %s 2000"}).Draw(t, "command")
			switch line {
			case "CYCLE":
				d.cycle()
			case "WAIT":
				d.now += int64(rapid.IntRange(0, 30).Draw(t, "ms"))
			default:
				d.say(t, strings.NewReplacer("%s", k, "%d", strconv.Itoa(v)).Replace(line))
			}
		}
		again, records, end, err := Load(log, false)
		if err != nil || records != int(n) || end != len(log) {
			t.Fatalf("got %d records up to %d, %v; want %d and %d", records, end, err, n, len(log))
		}
		if diff := cmp.Diff(state(d), state(again)); diff != "" {
			t.Fatalf("after the log (-lived +repeated):\n%s", diff)
		}
	})
}

// FuzzCommands: whatever a client asks for, it gets one whole reply to each
// request.
func FuzzCommands(f *testing.F) {
	for _, s := range []string{"SET k v EX 10 NX GET", "KEYS *[", "EXPIRE k -1 GT", "INCRBY k 9223372036854775807", "DEL k k k", "nosuch 'a\r\n'", "SET k v PX", "PING a b", "''"} {
		f.Add([]byte(s))
	}
	d := newDatabase(nil)
	f.Fuzz(func(t *testing.T, line []byte) {
		args, ok := Words(line)
		if !ok || len(args) == 0 {
			return
		}
		out := d.execute(args, nil)
		if rest, ok := skipReply(out); !ok || len(rest) > 0 {
			t.Fatalf("%q: got %q, want one reply", args, out)
		}
		if broken := state(d)["broken: k"]; broken != "" {
			t.Fatalf("%q broke %s", args, broken)
		}
	})
}
