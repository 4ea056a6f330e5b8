package ladder

import (
	"os/exec"
	"syscall"
)

// detach takes a child out of the terminal's process group, so that Ctrl-C
// reaches the run and not the child, and has it killed when the run dies.
func detach(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
