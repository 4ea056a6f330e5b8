//go:build !linux

package uring

import "fmt"

// A Ring does not exist here.
type Ring struct{}

// New is an error that wraps [ErrUnavailable].
func New(int) (*Ring, error) { return nil, fmt.Errorf("%w: it is Linux's alone", ErrUnavailable) }

func (*Ring) Nop() error { return ErrUnavailable }

func (*Ring) Read(int, []byte, int64) error { return ErrUnavailable }

func (*Ring) Run() error { return ErrUnavailable }

func (*Ring) Close() error { return nil }
