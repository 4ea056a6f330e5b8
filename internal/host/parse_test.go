package host

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestParseMountinfo(t *testing.T) {
	got, err := ParseMountinfo(`36 35 98:0 /mnt1 /my\040dir rw,noatime master:1 - ext3 /dev/root rw,errors=continue
37 35 0:9 / /t rw - tmpfs  rw,size=4k
38 35 0:60 / /mnt/c rw - 9p C:\134Program\040Files rw,aname=drvfs;path=C:\134 Files
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []Mount{
		{36, 35, Number{98, 0}, "/mnt1", "/my dir", []string{"rw", "noatime"}, "ext3", "/dev/root", []string{"rw", "errors=continue"}},
		{37, 35, Number{0, 9}, "/", "/t", []string{"rw"}, "tmpfs", "", []string{"rw", "size=4k"}},
		{38, 35, Number{0, 60}, "/", "/mnt/c", []string{"rw"}, "9p", `C:\Program Files`, []string{"rw", `aname=drvfs;path=C:\ Files`}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("mounts (-want +got):\n%s", d)
	}
}

func TestUnescape(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		if got := unescape(in); got != want {
			t.Errorf("unescape(%q): got %q, want %q", in, got, want)
		}
	}
	check(`a\040b\011c\012d\134e`, "a b\tc\nd\\e")
	check(`\13404`, `\04`)
	check(`\04`, `\04`)
	check(`\999`, `\999`)
	check(`\777`, `\777`)
	check(`\`, `\`)
	check(``, ``)
}

func TestMountOf(t *testing.T) {
	mounts := []Mount{
		{ID: 1, Point: "/", Device: Number{8, 0}}, {ID: 2, Point: "/a", Device: Number{8, 1}},
		{ID: 3, Point: "/a", Device: Number{8, 2}}, {ID: 4, Point: "/ab", Device: Number{8, 3}},
	}
	check := func(path string, dev *Number, want int) {
		t.Helper()
		if got, _ := mountOf(mounts, path, dev); got.ID != want {
			t.Errorf("%s: got mount %d, want %d", path, got.ID, want)
		}
	}
	check("/", nil, 1)
	check("/a", nil, 3)
	check("/a/b", nil, 3)
	check("/abc", nil, 1)
	check("/ab", nil, 4)
	check("/a/b", &Number{8, 1}, 2)
	check("/a/b", &Number{0, 9}, 3) // btrfs: st_dev is in no line
	if _, ok := mountOf(mounts[1:], "/x", nil); ok {
		t.Error("a path outside every mount was found")
	}
}

// Errors quote what they stumbled over.
func TestErrorsQuoteTheText(t *testing.T) {
	check := func(err error, text string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want an error with %s", err, text)
		}
	}
	mount := func(s string) error { _, err := ParseMountinfo(s); return err }
	check(mount("22 1 8:0 / / rw - ext4 /dev/sda rw\nnonsense"), `line 2: too few fields in "nonsense"`)
	check(mount("x 1 8:0 / / rw - ext4 /dev/sda rw"), `"x 1 8:0`)
	check(mount("22 1 8-0 / / rw - ext4 /dev/sda rw"), `"8-0"`)
	check(mount("22 1 8:0 / / rw - ext4"), `- ext4"`)
	_, _, err := parseCPUMax("lots 100000")
	check(err, `"lots 100000"`)
	_, _, err = parseCPUMax("100000 0")
	check(err, `"100000 0"`)
	_, err = parseList("0-3,x")
	check(err, `"x"`)
	_, err = parseList("0-99999999")
	check(err, `"0-99999999"`)
	_, err = parseList("3-1")
	check(err, `"3-1"`)
	_, err = parseLoad("0.1 0.2")
	check(err, `"0.1 0.2"`)
	_, err = parseLoad("0.1 NaN 0.3")
	check(err, `"NaN"`)
	_, _, err = parsePressure("full avg10=0.00 total=0")
	check(err, `"full avg10`)
	_, _, err = parsePressure("some avg10=Inf avg60=0 total=0")
	check(err, `"Inf"`)
	_, err = parseSteal("cpu 1 2 3")
	check(err, `"cpu 1 2 3"`)
	_, err = parseSteal("cpu 1 2 3 4 5 6 7 x")
	check(err, `"x"`)
	_, err = parseFlushes("1 2 3")
	check(err, "3 fields")
	_, err = parseFlushes(strings.Repeat("1 ", 15) + "many")
	check(err, `"many"`)
	_, err = bracketed("a b c")
	check(err, `"a b c"`)
	_, err = prettyName("NAME=x")
	check(err, "PRETTY_NAME")
}

func TestParseNumbers(t *testing.T) {
	avg, total, err := parsePressure("some avg10=4.14 avg60=1.86 avg300=0.49 total=2005005\nfull avg10=9 total=9\n")
	if err != nil || avg != 4.14/100 || total != 2.005005 {
		t.Errorf("got %v %v (%v), want 0.0414 and 2.005005 s", avg, total, err)
	}
	if n, err := parseSteal("cpu0 9 9 9 9 9 9 9 9\ncpu  1 2 3 4 5 6 7 8 9 10\n"); err != nil || n != 8 {
		t.Errorf("got %d (%v), want 8 ticks", n, err)
	}
	// Field 16, not 15 or 17.
	if n, err := parseFlushes("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"); err != nil || n != 16 {
		t.Errorf("got %d (%v), want 16", n, err)
	}
	list, err := parseList("0-2,8,10-11\n")
	if d := cmp.Diff([]int{0, 1, 2, 8, 10, 11}, list); d != "" || err != nil {
		t.Errorf("list (-want +got):\n%s%v", d, err)
	}
}

// Whatever the mount table says, nothing panics and the record can be written.
func FuzzMountinfo(f *testing.F) {
	f.Add("22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard\n", "/srv/data")
	f.Add(`51 22 0:45 / / rw - overlay overlay rw,upperdir=/,volatile`, "/")
	f.Add("30 22 0:33 /@home /home rw - btrfs /dev/mapper/vg0-data rw,subvol=/@home", "/home")
	f.Add(`70 22 0:60 / /mnt/c rw - 9p C:\134 rw,aname=drvfs`, "/mnt/c")
	f.Add("22 1 7:0 / / rw - ext4  \n", "")
	f.Fuzz(func(t *testing.T, table, dir string) {
		if len(table) > 1<<14 {
			return
		}
		mounts, err := ParseMountinfo(table)
		if err != nil && mounts != nil {
			t.Error("mounts and an error")
		}
		root := fstest.MapFS{
			"proc/self/mountinfo": {Data: []byte(table)}, "proc/self/cgroup": {Data: []byte("0::/a")},
			"sys/dev/block/7:0/uevent": {Data: []byte("DEVNAME=loop0")}, "sys/block/loop0/loop/backing_file": {Data: []byte("/srv/data")},
			"sys/block/dm-0/dm/name": {Data: []byte("vg0-data")}, "sys/block/dm-0/slaves/dm-0": {}, "work": {},
		}
		e := Read(root, dir, Fixed{})
		if _, err := json.Marshal(e); err != nil {
			t.Error(err)
		}
		e.Lines()
	})
}

func TestRootIsAPath(t *testing.T) {
	root := fstest.MapFS{"a": {}}
	if !exists(root, "/") || !exists(root, "/a") || exists(root, "/b") {
		t.Errorf("got %v %v %v for /, /a, /b, want true true false", exists(root, "/"), exists(root, "/a"), exists(root, "/b"))
	}
	if got := names(root, "/"); len(got) != 1 {
		t.Errorf("got %q in /, want one name", got)
	}
}
