// Package host knows the machine that a run happens on: every fact with the
// place where it was read, and "unknown" with the reason where it cannot be
// known. Nothing is guessed and no other program is run.
//
// # Where facts come from
//
// Read takes an fs.FS rooted at / (the real one is os.DirFS("/"), a fixture is
// any tree of small files) and a Live for what no file can tell: the file
// system's magic number, the device number of a directory, uname, cpuid. The
// parsers work on text and are apart from the readers, so a captured machine
// is as good as the machine. A library that reads /proc from a path of the
// real file system could not be given such a tree, hence the parsers here.
//
// # What is not printed
//
// The JSON of an Environment is an allow-list. Mount points, mount sources,
// upper directories, cgroup paths, device-mapper names and UUIDs are read where
// they are needed and kept out of it; a subvolume or a pool is named only if
// the name is one of the customary ones, because any other is somebody's own
// word. Mount options pass only if their key is known and their value is plain.
// Errors of the parsers quote the offending text; a reason inside a Fact repeats
// one only where the file can hold nothing but the kernel's numbers.
//
// # Limits
//
// Flushes are counted where the kernel counts them, on the request queue of the
// physical disk. Drivers without one (pmem, brd, the head of a multipath NVMe
// device) leave the counter at zero. The limits of a cgroup are those that can
// be seen: a container with its own cgroup namespace does not see the ones
// above its root. A container that shares every namespace with its host is
// seen only if it left a mark.
package host
