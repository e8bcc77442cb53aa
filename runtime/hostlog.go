package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// serverKey is the log attribute that names a server.
const serverKey = "server"

// hostLog is a slog.Handler that also tells the hosts (runtime/log) what is of
// level info and above. Everything that passes through it is redacted.
type hostLog struct {
	next  slog.Handler
	clean func(string) string
	tell  func(rpc.LogParams) // must not block
	attrs []slog.Attr
}

// Enabled implements slog.Handler.
func (h *hostLog) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelInfo || h.next.Enabled(ctx, l)
}

// Handle implements slog.Handler.
func (h *hostLog) Handle(ctx context.Context, r slog.Record) error {
	p := rpc.LogParams{Level: logLevel(r.Level)}
	var text strings.Builder
	text.WriteString(r.Message)
	clean := slog.NewRecord(r.Time, r.Level, h.clean(r.Message), r.PC)
	add := func(a slog.Attr) bool {
		value := h.clean(a.Value.String())
		clean.AddAttrs(slog.String(a.Key, value))
		if a.Key == serverKey {
			p.Server = value
		} else {
			fmt.Fprintf(&text, "; %s: %s", a.Key, value)
		}
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	if r.Level >= slog.LevelInfo {
		p.Message = h.clean(text.String())
		h.tell(p)
	}
	if !h.next.Enabled(ctx, r.Level) {
		return nil
	}
	return h.next.Handle(ctx, clean)
}

// WithAttrs implements slog.Handler.
func (h *hostLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *h
	c.attrs = append(append([]slog.Attr{}, h.attrs...), attrs...)
	return &c
}

// WithGroup implements slog.Handler. Groups are not used here.
func (h *hostLog) WithGroup(string) slog.Handler { return h }

func logLevel(l slog.Level) rpc.LogLevel {
	switch {
	case l >= slog.LevelError:
		return rpc.LogError
	case l >= slog.LevelWarn:
		return rpc.LogWarning
	case l >= slog.LevelInfo:
		return rpc.LogInfo
	}
	return rpc.LogDebug
}

// serverLevel maps the levels of notifications/message (MCP:
// server/utilities/logging, after RFC 5424).
func serverLevel(level string) rpc.LogLevel {
	switch level {
	case "debug":
		return rpc.LogDebug
	case "info", "notice":
		return rpc.LogInfo
	case "warning":
		return rpc.LogWarning
	}
	return rpc.LogError
}

// tellHosts sends a line to every host's log, unless too many are on their way.
func (m *Manager) tellHosts(p rpc.LogParams) {
	if !m.lines.take() {
		return
	}
	posted := m.inbox.post(func() {
		if n := m.lines.give(); n > 0 {
			p.Message += fmt.Sprintf(" (%d lines before this one were dropped)", n)
		}
		for _, c := range m.clients {
			_ = c.host.Log(m.ctx, &p) // a host that is gone reads no log
		}
	})
	if !posted {
		m.lines.give()
	}
}

// lineBudget bounds the lines between those who log and the Manager's loop.
type lineBudget struct {
	under   atomic.Int64 // on their way
	dropped atomic.Int64 // since the last one that was not
}

// take says whether one more may be on its way.
func (b *lineBudget) take() bool {
	if b.under.Add(1) <= logBacklog {
		return true
	}
	b.under.Add(-1)
	b.dropped.Add(1)
	return false
}

// give says that one has arrived, and how many were dropped before it.
func (b *lineBudget) give() int64 {
	b.under.Add(-1)
	return b.dropped.Swap(0)
}
