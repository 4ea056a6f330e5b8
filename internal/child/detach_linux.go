package child

import (
	"os/exec"
	"syscall"
)

// detach takes a child out of the terminal's process group and, unless it is to
// outlive this process, has it killed when the thread that starts it ends.
func detach(cmd *exec.Cmd, outlives bool) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if !outlives {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	}
}
