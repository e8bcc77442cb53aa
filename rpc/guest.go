package rpc

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"syscall"

	"github.com/sourcegraph/jsonrpc2"
)

// Guest is the host's side of the wire, for a program that asks a session which
// it has joined a few things. It answers no requests, of which a guest gets none,
// and hears no notifications.
type Guest struct{ conn *jsonrpc2.Conn }

// NewGuest speaks on a connection that was let in. Close closes it, and ends the
// library's goroutines.
func NewGuest(rw io.ReadWriteCloser, log *slog.Logger) *Guest {
	stream := jsonrpc2.NewBufferedStream(rw, jsonrpc2.VSCodeObjectCodec{})
	return &Guest{jsonrpc2.NewConn(context.Background(), stream, silent{}, jsonrpc2.SetLogger(libraryLog{log}))}
}

// Ask makes a request, and reads its result into result. What the session refuses
// is an *Error.
func (g *Guest) Ask(ctx context.Context, method string, params, result any) error {
	err := g.conn.Call(ctx, method, params, result)
	var refused *jsonrpc2.Error
	switch {
	case errors.As(err, &refused):
		return &Error{Code: int(refused.Code), Message: refused.Message}
	case errors.Is(err, jsonrpc2.ErrClosed), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return ErrClosed
	}
	return err
}

// Close leaves the session.
func (g *Guest) Close() { _ = g.conn.Close() } // it may be closed already

// silent is a jsonrpc2.Handler.
type silent struct{}

func (silent) Handle(context.Context, *jsonrpc2.Conn, *jsonrpc2.Request) {}
