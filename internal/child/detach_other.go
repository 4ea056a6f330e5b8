//go:build !linux

package child

import (
	"os/exec"
	"syscall"
)

// detach takes a child out of the terminal's process group. That this process
// has died it learns from its standard input, which ends.
func detach(cmd *exec.Cmd, _ bool) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}
