package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"syscall"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime"
)

// start opens a session of our own for a command. gate is how long servers are
// waited for, in milliseconds.
func (f *flags) start(ctx context.Context, m *runtime.Manager, h *screenHost, gate int) (*runtime.Client, *rpc.Snapshot, error) {
	client := m.Join(h)
	p := f.params(gate)
	p.Capabilities = h.capabilities()
	watch := h.person != nil // a question may be settled elsewhere
	p.Settings.Discovery.Watch = &watch
	wait, err := client.Initialize(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	if _, err := wait(ctx); err != nil {
		return nil, nil, err
	}
	if err := m.Answered(ctx); err != nil {
		return nil, nil, err
	}
	if gate > 0 { // also for what has only just been allowed
		if _, err := client.Wait(ctx, &rpc.WaitParams{TimeoutMs: &gate}); err != nil {
			return nil, nil, err
		}
	}
	return client, m.Snapshot(), nil
}

// params are those of the session of every command.
func (f *flags) params(gate int) *rpc.InitializeParams {
	watch, uncached := false, rpc.UncachedBackground
	if gate > 0 {
		uncached = rpc.UncachedWait
	}
	settings := &rpc.Settings{
		Startup:   &rpc.StartupSettings{GateMs: &gate, Uncached: uncached},
		Trust:     &rpc.TrustSettings{Project: rpc.ProjectTrust(f.trust)},
		Discovery: &rpc.DiscoverySettings{Watch: &watch, Own: f.client},
		Reconnect: rpc.ReconnectManual,
	}
	if f.timeout > 0 {
		ms := f.timeout * 1000
		settings.Timeouts = &rpc.TimeoutSettings{ConnectMs: ms, CallMs: ms}
	}
	return &rpc.InitializeParams{
		ProtocolVersion: rpc.ProtocolVersion,
		Client:          rpc.ClientInfo{Name: "mcp-sidecar", Version: version},
		Cwd:             f.cwd,
		Settings:        settings,
	}
}

// withServers gives use a session of its own, when every server is connected or
// has failed: the only one that is named, or all if only is "".
func (f *flags) withServers(ctx context.Context, w *world, log *slog.Logger, only string, use func(context.Context, *runtime.Client, *rpc.Snapshot) int) int {
	ctx, stop := untilSignal(ctx)
	defer stop()
	m, closeAll := f.open(log, runtime.Options{Chosen: named(only)})
	defer closeAll(0)
	host := newScreenHost(f, w, only)
	client, snap, err := f.start(ctx, m, host, waitForAll)
	host.clear()
	if err != nil {
		return failed(ctx, w, err)
	}
	return use(ctx, client, snap)
}

// named chooses the one server of a name, or all if it is "".
func named(only string) func(string) bool {
	if only == "" {
		return nil
	}
	return func(server string) bool { return server == only }
}

// errorCode is the exit code that diagnostics call for.
func errorCode(all []rpc.Diagnostic) int {
	if slices.ContainsFunc(all, func(d rpc.Diagnostic) bool { return d.Severity == rpc.SeverityError }) {
		return exitFailed
	}
	return exitOK
}

// waitForAll is a gate that no connect timeout outlasts, in milliseconds.
const waitForAll = 24 * 60 * 60 * 1000

func failed(ctx context.Context, w *world, err error) int {
	var by *interruption
	if errors.As(context.Cause(ctx), &by) {
		fmt.Fprintln(w.err, "mcp-sidecar: interrupted")
		return by.code()
	}
	printLine(w.err, "mcp-sidecar: %v", err)
	return exitFailed
}

// printed writes to standard output and gives the exit code: code, unless not
// all could be written or ctx ended before somebody had read it. A reader that
// is gone, such as head, has what it wanted.
func printed(ctx context.Context, w *world, code int, print func(io.Writer)) int {
	var text bytes.Buffer
	print(&text)
	w.err.flush(flushLimit) // both may be the same screen
	written := make(chan error, 1)
	go func() { // ends with the write, or with the process
		_, err := w.out.Write(text.Bytes())
		written <- err
	}()
	select {
	case <-ctx.Done():
		return failed(ctx, w, context.Cause(ctx))
	case err := <-written:
		switch {
		case err == nil:
			return code
		case !errors.Is(err, syscall.EPIPE):
			fmt.Fprintln(w.err, "mcp-sidecar: standard output:", err)
		}
		return exitFailed
	}
}
