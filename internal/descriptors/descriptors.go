// Package descriptors ends a program that may open next to no files with an error
// that says so. It has to be imported for that alone.
//
// Without it such a program dies of a panic before main begins: go-fuse opens a pipe
// when it is initialised, and the first pipe makes the runtime open two more files.
// Packages without anything left to wait for are initialised in the order of their
// import paths, so this one comes before github.com/hanwen/go-fuse as long as it
// imports nothing that the other does not.
package descriptors

import (
	"fmt"
	"os"
	"syscall"
)

// least is how many files a program must be able to open beside those that it came
// with, two for each pipe.
const least = 8

func init() {
	if err := room(); err != nil {
		fmt.Fprintf(os.Stderr, "envelope: %d more files can't be opened: %v; raise the limit (ulimit -n)\n", least, err)
		os.Exit(2)
	}
}

// room opens as many files, and closes them.
func room() (err error) {
	var pipes [least / 2][2]int
	n := 0
	for ; n < len(pipes) && err == nil; n++ {
		err = syscall.Pipe(pipes[n][:])
	}
	if err != nil {
		n--
	}
	for _, p := range pipes[:n] {
		syscall.Close(p[0])
		syscall.Close(p[1])
	}
	return err
}
