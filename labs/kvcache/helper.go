package kvcache

import "fmt"

// A child says one line: what it saw, or why this system does not let it try.
const refused = "refused: "

// held is what the kernel counted for a process, in bytes.
type held struct{ before, after int64 }

func (h held) line() string { return fmt.Sprintf("held %d %d", h.before, h.after) }

// admission is how a process filled what it was allowed.
type admission struct {
	admitted int
	refusal  bool   // it ended because the kernel said no, and not at the number it was to stop at
	grown    int64  // bytes that the process took beside its sequences
	left     int64  // bytes up to the limit
	limit    string // which one
}

func (a admission) line() string {
	return fmt.Sprintf("admitted %d %t %d %d %s", a.admitted, a.refusal, a.grown, a.left, a.limit)
}

func parseHeld(line string) (h held, err error) {
	n, err := fmt.Sscanf(line, "held %d %d", &h.before, &h.after)
	if err == nil && (n != 2 || h.line() != line) {
		err = fmt.Errorf("got %q", line)
	}
	return h, err
}

func parseAdmission(line string) (a admission, err error) {
	n, err := fmt.Sscanf(line, "admitted %d %t %d %d %s", &a.admitted, &a.refusal, &a.grown, &a.left, &a.limit)
	if err == nil && (n != 5 || a.line() != line) {
		err = fmt.Errorf("got %q", line)
	}
	return a, err
}

// refusal is an error that says that this system does not allow a trial. It is
// no fault.
type refusal string

func (r refusal) Error() string { return string(r) }
