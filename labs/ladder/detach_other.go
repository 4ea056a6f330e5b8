//go:build !linux

package ladder

import (
	"os/exec"
	"syscall"
)

// detach takes a child out of the terminal's process group, so that Ctrl-C
// reaches the run and not the child. When the run dies, the child's standard
// input ends, and with it the child.
func detach(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}
