//go:build !linux

package writeahead

import (
	"context"

	"envelope/internal/lab"
)

func addChildren(map[string]func([]string) int) {}

func syncTwice(context.Context, *lab.Run, backing, int) ([]eioOutcome, string, error) {
	return nil, "", &unreachable{"it takes a FUSE mount with write-back caching, which this lab makes on Linux only"}
}
