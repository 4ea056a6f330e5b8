package pipelining

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"envelope/internal/resp"
)

// connection connects to the socket of that name in a directory.
func connection(dir, name string) (net.Conn, error) {
	fd, err := dial(dir, name)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	return net.FileConn(f)
}

// farewell is a request whose reply marks the end of the others. No reply of a
// corpus holds it.
const farewell = "envelope-farewell"

// converse sends requests and returns their replies, without that to the
// farewell that it adds; all until the end of the connection where the server
// closes it.
func converse(ctx context.Context, c net.Conn, requests []byte) ([]byte, error) {
	defer context.AfterFunc(ctx, func() { c.SetDeadline(time.Unix(1, 0)) })()
	c.SetDeadline(time.Now().Add(patience))
	if _, err := c.Write(resp.AppendRequest(bytes.Clone(requests), []byte("ECHO"), []byte(farewell))); err != nil {
		return nil, fmt.Errorf("writing requests: %w", err)
	}
	end := resp.AppendBulk(nil, []byte(farewell))
	var got []byte
	piece := make([]byte, 16<<10)
	for {
		n, err := c.Read(piece)
		got = append(got, piece[:n]...)
		if text, ok := bytes.CutSuffix(got, end); ok {
			return text, nil
		}
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET):
			return got, nil
		default:
			return nil, fmt.Errorf("reading replies, after %d bytes of them: %w", len(got), err)
		}
	}
}
