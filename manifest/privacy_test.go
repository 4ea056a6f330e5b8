package manifest

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/user"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"envelope/internal/host"
)

// freeText lists the paths of the schema that may hold any text.
func freeText(t *testing.T) map[string]bool {
	t.Helper()
	var schema object
	if err := json.Unmarshal(Schema, &schema); err != nil {
		t.Fatal(err)
	}
	defs := schema["$defs"].(object)
	out := map[string]bool{}
	var walk func(path string, s object)
	walk = func(path string, s object) {
		if ref, ok := s["$ref"].(string); ok {
			s = defs[strings.TrimPrefix(ref, "#/$defs/")].(object)
		}
		if fmt.Sprint(s["type"]) == "string" || fmt.Sprint(s["type"]) == "[string null]" {
			out[path] = s["pattern"] == nil && s["format"] == nil && s["enum"] == nil
		} else if s["enum"] != nil || s["const"] != nil {
			out[path] = false
		}
		for key, sub := range s {
			switch key {
			case "properties":
				for name, p := range sub.(object) {
					walk(strings.TrimPrefix(path+"."+name, "."), p.(object))
				}
			case "items":
				walk(path+"[]", sub.(object))
			case "additionalProperties":
				if sub, ok := sub.(object); ok {
					walk(path+".*", sub)
				}
			case "anyOf":
				for _, branch := range sub.([]any) {
					walk(path, branch.(object))
				}
			case "then", "else":
				if s["type"] == nil { // samples: an array or an object
					walk(path, sub.(object))
				}
			}
		}
	}
	walk("", defs["run"].(object))
	return out
}

func TestAllowedIsEveryFreeText(t *testing.T) {
	free, allowed := freeText(t), Allowed()
	for path, is := range free {
		if is && !allowed[path] {
			t.Errorf("%s may hold any text and is not on the list", path)
		}
	}
	for path := range allowed {
		if !free[path] {
			t.Errorf("%s is on the list, but may not hold any text", path)
		}
	}
}

// Every text of a real run is on the list, or is constrained by the schema.
func TestTextsAreAllowed(t *testing.T) {
	free, allowed := freeText(t), Allowed()
	seen := 0
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case object:
			for k, sub := range v {
				at := path + "." + k
				if strings.HasPrefix(path, ".program.sources") || path == ".program.settings" {
					at = path + ".*"
				}
				walk(at, sub)
			}
		case []any:
			for _, sub := range v {
				walk(path+"[]", sub)
			}
		case string:
			path = strings.TrimPrefix(path, ".")
			seen++
			if is, known := free[path]; !known || is && !allowed[path] {
				t.Errorf("%s = %q is text that is not allowed", path, v)
			}
		}
	}
	walk("", loosened(t, exampleRun(t)))
	if seen < 100 {
		t.Errorf("saw %d texts only", seen)
	}
}

// TestNothingNamesTheMachine plants what must not leave a machine wherever it
// could be picked up, and takes the machine's own as well.
func TestNothingNamesTheMachine(t *testing.T) {
	const (
		hostName = "planted-host"
		userName = "planted-user"
		home     = "/home/" + userName
		serial   = "PLANTEDSERIAL"
		uuid     = "0ddba11d-dead-4bad-8bad-c0ffee0ddba1"
		address  = "203.0.113.77"
		share    = "planted-share"
	)
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	root := fstest.MapFS{
		"proc/self/mountinfo": text("22 1 8:2 / / rw - ext4 /dev/disk/by-uuid/" + uuid + " rw\n" +
			"60 22 0:52 / " + home + "/nas rw - nfs4 " + hostName + ":/" + share + " rw,vers=4.2,addr=" + address + ",clientaddr=" + address + "\n"),
		"proc/self/environ":                  text("USER=" + userName + "\x00HOME=" + home + "\x00LD_PRELOAD=" + home + "/x.so\x00"),
		"proc/self/cgroup":                   text("0::/user.slice/" + userName + "\n"),
		"proc/sys/kernel/hostname":           text(hostName + "\n"),
		"proc/version":                       text("Linux version 6.1 (" + userName + "@" + hostName + ")\n"),
		"etc/hostname":                       text(hostName + "\n"),
		"etc/machine-id":                     text(strings.ReplaceAll(uuid, "-", "") + "\n"),
		"sys/class/dmi/id/product_serial":    text(serial + "\n"),
		"sys/class/dmi/id/product_uuid":      text(uuid + "\n"),
		"sys/block/sda/device/serial":        text(serial + "\n"),
		"sys/block/sda/device/wwid":          text(serial + "\n"),
		"proc/sys/kernel/random/boot_id":     text(uuid + "\n"),
		"sys/class/net/eth0/address":         text("de:ad:be:ef:00:01\n"),
		"proc/net/fib_trie":                  text(address + "\n"),
		"etc/os-release":                     text("NAME=Test\nVERSION_ID=1\n"),
		"sys/devices/virtual/dmi/id/uevent":  text(serial + "\n"),
		"sys/block/sda/device/model":         text("A MODEL\n"),
		"proc/sys/kernel/domainname":         text(hostName + "\n"),
		"sys/class/dmi/id/chassis_asset_tag": text(serial + "\n"),
	}
	run := exampleRun(t)
	run.Environment = host.Read(root, home+"/nas", host.Fixed{})
	run.EnvironmentEnd = host.ReadVolatile(root, host.Fixed{})
	run.Labs[0].Conditions[0].Before = run.EnvironmentEnd
	run.Program = Here(os.DirFS(t.TempDir()))
	run.Command = Redact([]string{home + "/bin/envelope", "run", "barrier", "--dir", home + "/nas", "--results=" + home + "/r.json", "//" + hostName + "/" + share},
		home+"/nas", home, home)
	here := run
	here.Environment = host.Here(t.TempDir())

	for _, r := range []Run{run, here} {
		r.ID = "" // which is random, and may hold anything
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		planted := []string{hostName, userName, "/home/", serial, uuid, strings.ReplaceAll(uuid, "-", ""), address, share, "de:ad:be:ef", t.TempDir()}
		for _, secret := range append(planted, ownSecrets(t)...) {
			if i := strings.Index(string(text), secret); i >= 0 {
				t.Errorf("the run holds %q: ...%s...", secret, text[max(0, i-60):min(len(text), i+60)])
			}
		}
	}
}

// ownSecrets are what names the machine that the test runs on.
func ownSecrets(t *testing.T) []string {
	t.Helper()
	var out []string
	add := func(s string) {
		// Names such as "root" and "vm" are words of their own right.
		if s = strings.TrimSpace(s); len(s) >= 6 && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if name, err := os.Hostname(); err == nil {
		add(name)
	}
	if u, err := user.Current(); err == nil {
		add(u.Username)
	}
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		add(home + "/")
	}
	if id, err := os.ReadFile("/etc/machine-id"); err == nil {
		add(string(id))
	}
	links, _ := net.Interfaces()
	for _, l := range links {
		if l.Flags&net.FlagLoopback == 0 {
			add(l.HardwareAddr.String())
			addrs, _ := l.Addrs()
			for _, a := range addrs {
				ip, _, _ := strings.Cut(a.String(), "/")
				add(ip)
			}
		}
	}
	return out
}

func TestRedact(t *testing.T) {
	const home, dir, cwd = "/home/ada", "/mnt/nvme", "/home/ada/envelope"
	check := func(line, want string) {
		t.Helper()
		if got := strings.Join(Redact(strings.Fields(line), dir, home, cwd), " "); got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
	check("/home/ada/envelope/bin/envelope run", "envelope run")
	check("./run-labs.sh storage --full", "run-labs.sh storage --full")
	check("/tmp/b001/exe/ada-build run", "envelope run")
	check("envelope run --dir /mnt/nvme --results /x/y.json", "envelope run --dir DIR --results RESULTS")
	check("envelope run --dir=work --results=r", "envelope run --dir=DIR --results=RESULTS")
	check("envelope run /mnt/nvme/a /mnt/nvme2 ~/x ../x ./x", "envelope run DIR PATH HOME HOME HOME")
	check("envelope run pipelining --redis 203.0.113.77:6379", "envelope run pipelining --redis ADDR")
	check("envelope run --redis=cache", "envelope run --redis=ADDR")
	check("envelope run --trace out.json --new /srv/x --new=/srv/x", "envelope run --trace PATH --new PATH --new=PATH")
	check("envelope run --require barrier/an-fsync-is-dear,gpu0 --budget 2.5s --seed -3",
		"envelope run --require barrier/an-fsync-is-dear,gpu0 --budget 2.5s --seed -3")
	check("envelope run barrier/an-fsync-is-dear", "envelope run barrier/an-fsync-is-dear")
	check("envelope run ada secret.txt //nas/share nas:/share C:\\x $(id)", "envelope run HOME HOME PATH HOME HOME HOME")
	check("envelope run --require ../x,/y", "envelope run --require HOME")
	check("envelope rerun results.json", "envelope rerun HOME")
}
