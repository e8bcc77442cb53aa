package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime"
)

// screenHost is the host that a command is: it shows what is going on in one
// line, on a screen, and drops the rest.
type screenHost struct {
	out    io.Writer
	screen bool

	mu    sync.Mutex
	width int // guarded by mu; of the line as it stands
	quiet bool
}

var _ runtime.Listener = (*screenHost)(nil)

// Publish implements runtime.Listener.
func (h *screenHost) Publish(u rpc.Update) {
	var done, all int
	var busy []string
	for _, s := range u.View.Servers {
		all++
		if s.Status == rpc.StatusConnecting {
			busy = append(busy, s.Name)
		} else {
			done++
		}
	}
	if len(busy) == 0 {
		h.show("")
		return
	}
	h.show(fmt.Sprintf("%d/%d  waiting for %s", done, all, strings.Join(busy, ", ")))
}

// Log implements runtime.Listener.
func (h *screenHost) Log(context.Context, *rpc.LogParams) error { return nil }

// Progress implements runtime.Listener.
func (h *screenHost) Progress(_ context.Context, p *rpc.ProgressParams) error {
	line := string(p.Value.Progress)
	if p.Value.Total != nil {
		line += "/" + string(p.Value.Total)
	}
	h.show(strings.TrimSpace(line + "  " + p.Value.Message))
	return nil
}

// show replaces the line.
func (h *screenHost) show(line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.screen || h.quiet {
		return
	}
	if runes := []rune(line); len(runes) > 78 {
		line = string(runes[:77]) + "…"
	}
	fmt.Fprintf(h.out, "\r%s%s", line, strings.Repeat(" ", max(h.width-len([]rune(line)), 0)))
	h.width = len([]rune(line))
	if line == "" {
		fmt.Fprint(h.out, "\r")
	}
}

// clear takes the line away for good.
func (h *screenHost) clear() {
	h.show("")
	h.mu.Lock()
	h.quiet = true
	h.mu.Unlock()
}

// start opens a session of our own for a command. gate is how long servers are
// waited for, in milliseconds.
func (f *flags) start(ctx context.Context, m *runtime.Manager, h *screenHost, gate int, uncached rpc.Uncached) (*runtime.Client, *rpc.Snapshot, error) {
	client := m.Join(h)
	watch := false
	settings := &rpc.Settings{
		Startup:   &rpc.StartupSettings{GateMs: &gate, Uncached: uncached},
		Trust:     &rpc.TrustSettings{Project: rpc.ProjectTrust(f.trust)},
		Discovery: &rpc.DiscoverySettings{Watch: &watch},
		Reconnect: rpc.ReconnectManual,
	}
	if f.timeout > 0 {
		ms := f.timeout * 1000
		settings.Timeouts = &rpc.TimeoutSettings{ConnectMs: ms, CallMs: ms}
	}
	wait, err := client.Initialize(ctx, &rpc.InitializeParams{
		ProtocolVersion: rpc.ProtocolVersion,
		Client:          rpc.ClientInfo{Name: "mcp-sidecar", Version: version},
		Cwd:             f.cwd,
		Settings:        settings,
	})
	if err != nil {
		return nil, nil, err
	}
	answer, err := wait(ctx)
	if err != nil {
		return nil, nil, err
	}
	return client, answer(m.Snapshot()).Snapshot, nil
}

// list prints every server and its tools.
func list(ctx context.Context, f *flags, w *world, log *slog.Logger) int {
	ctx, stop := untilSignal(ctx)
	defer stop()
	m, closeAll := f.open(log, "", nil)
	defer closeAll()
	host := &screenHost{out: w.err, screen: w.screen && !f.json}
	_, snap, err := f.start(ctx, m, host, waitForAll, rpc.UncachedWait)
	host.clear()
	if err != nil {
		return failed(ctx, w, err)
	}
	if f.json {
		printJSON(w.out, snap)
	} else {
		printTable(w.out, snap)
	}
	for _, s := range snap.Servers {
		if s.Phase == rpc.PhaseFailed || s.Phase == rpc.PhaseInvalid {
			return exitFailed
		}
	}
	return exitOK
}

// waitForAll is a gate that no connect timeout outlasts, in milliseconds.
const waitForAll = 24 * 60 * 60 * 1000

// call runs one tool.
func call(ctx context.Context, f *flags, w *world, log *slog.Logger, args []string) int {
	arguments, err := argumentsOf(args, w.in)
	if err != nil {
		return usage(w, cmdCall, err.Error())
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	m, closeAll := f.open(log, args[0], nil)
	defer closeAll()
	host := &screenHost{out: w.err, screen: w.screen && !f.json}
	client, _, err := f.start(ctx, m, host, 0, rpc.UncachedBackground)
	if err != nil {
		return failed(ctx, w, err)
	}
	result, err := client.Call(ctx, &rpc.CallParams{
		Server: args[0], Tool: args[1], Arguments: arguments, ProgressToken: json.RawMessage(`"call"`),
	})
	host.clear()
	if err != nil {
		return failed(ctx, w, err)
	}
	var content toolContent
	if err := json.Unmarshal(result.Result, &content); err != nil {
		log.Debug("the result has an unusual shape", "err", err)
	}
	if f.json {
		printJSON(w.out, result)
	} else {
		content.print(w.out, result.Result)
		printHelpful(w.err, result.Details.Error)
	}
	if content.IsError {
		return exitFailed
	}
	return exitOK
}

// argumentsOf gives the JSON object of a call.
func argumentsOf(args []string, in io.Reader) (json.RawMessage, error) {
	if len(args) < 3 {
		return nil, nil
	}
	text := []byte(args[2])
	if args[2] == "-" {
		var err error
		if text, err = io.ReadAll(in); err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil || object == nil {
		return nil, fmt.Errorf("the arguments are not a JSON object: %s", strings.TrimSpace(string(text)))
	}
	return json.RawMessage(strings.TrimSpace(string(text))), nil
}

func failed(ctx context.Context, w *world, err error) int {
	if ctx.Err() != nil {
		fmt.Fprintln(w.err, "mcp-sidecar: interrupted")
		return exitFailed
	}
	fmt.Fprintln(w.err, "mcp-sidecar:", err)
	if errors.Is(err, &rpc.Error{Code: rpc.CodeUntrusted}) {
		fmt.Fprintln(w.err, "It comes from a project file, which somebody else may have written. --trust allow starts it.")
	}
	return exitFailed
}

func printJSON(out *os.File, v interface{ AppendJSON([]byte) []byte }) {
	_, _ = out.Write(append(v.AppendJSON(nil), '\n'))
}
