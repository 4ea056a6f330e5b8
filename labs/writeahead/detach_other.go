//go:build !linux

package writeahead

import (
	"os/exec"
	"syscall"
)

// detach takes a child out of the terminal's process group, so that Ctrl-C
// reaches the run and not the child. When the run dies, the child's standard
// input ends, and with it the child.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
