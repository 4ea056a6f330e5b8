//go:build !linux

package kvcache

// outOfReach says why this system can't be asked.
const outOfReach = "this system neither says exactly what a process has in memory nor holds it to a limit: both are read from Linux"

var children map[string]func(args []string) int
