package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/share"
)

// errNoEndpoint is for a guest without an invitation.
var errNoEndpoint = errors.New(share.Variable + " is not set: the host that owns a session gets its value by runtime/share, and hands it on")

// join makes us a guest of the session that the environment names.
func (w *world) join(ctx context.Context) (*net.UnixConn, error) {
	if w.endpoint == "" {
		return nil, errNoEndpoint
	}
	conn, err := share.Dial(ctx, w.endpoint)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", share.Variable, err)
	}
	return conn, nil
}

// ownSession says that the command line is about a session of doctor's own.
func (f *flags) ownSession() bool { return len(f.ofSession()) > 0 }

// ofSession are the flags on the command line that only a session of our own can heed.
func (f *flags) ofSession() []string {
	return slices.DeleteFunc([]string{"cwd", "trust", "timeout", "client"}, func(name string) bool { return !f.given[name] })
}

// helloOfGuest opens a guest's connection to a session, whose settings are its owner's.
func (f *flags) helloOfGuest(name string) *rpc.InitializeParams {
	return &rpc.InitializeParams{
		ProtocolVersion: rpc.ProtocolVersion,
		Client:          rpc.ClientInfo{Name: name, Version: version},
		Cwd:             f.cwd,
	}
}

// askSession has the session examined that the environment names.
func (f *flags) askSession(ctx context.Context, w *world, log *slog.Logger, only string) (*rpc.DoctorReport, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, sessionPatience, errSilent)
	defer cancel()
	conn, err := w.join(ctx)
	if err != nil {
		return nil, err
	}
	guest := rpc.NewClient(conn, rpc.Hearing{}, log)
	defer guest.Close()
	report := &rpc.DoctorReport{}
	if err = guest.Ask(ctx, rpc.MethodInitialize, f.helloOfGuest("mcp-sidecar doctor"), &rpc.InitializeResult{}); err == nil {
		err = guest.Ask(ctx, rpc.MethodDoctor, &rpc.DoctorParams{Server: only}, report)
	}
	switch {
	case err == nil:
		return report, nil
	case errors.Is(err, rpc.ErrClosed):
		err = share.ErrGone // just now
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return nil, fmt.Errorf("%s: %w", share.Variable, err)
}

// sessionPatience is how long a session may take to examine itself, which it does
// within seconds.
const sessionPatience = 30 * time.Second

var errSilent = fmt.Errorf("the session has said nothing for %v", sessionPatience)
