package kvcache

import (
	"strings"

	"envelope/internal/child"
)

// children are there where they can do anything.
var children = map[string]func(args []string) int{"occupy": occupy, "admit": admit}

// tell ends a child's work: with what it saw, or with a refusal.
func tell(line string, err error) error {
	if no, ok := err.(refusal); ok {
		return child.Say(refused + strings.ReplaceAll(string(no), "\n", " "))
	}
	if err != nil {
		return err
	}
	return child.Say(line)
}

// occupy is the child that keeps a cache: its arguments are a shape, and how
// many of keys and values it keeps, 2 unless it is sabotaged.
func occupy(args []string) int {
	return child.Main(func() error {
		n, err := numbers(args, 6)
		if err != nil {
			return err
		}
		h, err := keep(shapeOf(n), n[5])
		return tell(h.line(), err)
	})
}

// admit is the child that takes sequences until it gets no more: its arguments
// are the shape of one, the bytes that it is allowed, the number at which it
// stops in any case, and 1 if the limit holds.
func admit(args []string) int {
	return child.Main(func() error {
		n, err := numbers(args, 8)
		if err != nil {
			return err
		}
		a, err := fillUp(shapeOf(n), n[5], n[6], n[7] == 1)
		return tell(a.line(), err)
	})
}
