package writeahead

import (
	"os/exec"
	"syscall"
)

// detach takes a child out of the terminal's process group, so that Ctrl-C
// reaches the run and not the child, and has it killed when the thread that
// started it dies.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
