package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime"
)

// screenHost is the host that a command is: it shows what is going on in one
// line, on a screen, and drops the rest.
type screenHost struct {
	out    io.Writer
	screen bool

	// person is who answers questions; nil when nobody can. about is the one
	// server that they are asked about, "" for all.
	person *person
	about  string

	mu    sync.Mutex
	width int // guarded by mu; of the line as it stands, in characters
	quiet int // guarded by mu; nothing is shown while it is not 0
}

var _ runtime.Listener = (*screenHost)(nil)

// newScreenHost asks who sits at the terminal, if somebody does, about one
// server, or about all if about is "".
func newScreenHost(f *flags, w *world, about string) *screenHost {
	h := &screenHost{out: w.err, screen: w.screen && !f.json, about: about}
	if w.terminal && w.screen {
		h.person = &person{in: w.in, out: w.err}
	}
	return h
}

// Publish implements runtime.Listener.
func (h *screenHost) Publish(u rpc.Update) {
	if u.View == nil {
		return
	}
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
	h.draw(line)
}

// draw replaces the line, by one write, so that nothing comes between. The
// caller holds mu.
func (h *screenHost) draw(line string) {
	if !h.screen || h.quiet > 0 {
		return
	}
	line = shortened(line, 78)
	width := utf8.RuneCountInString(line)
	if width == 0 && h.width == 0 {
		return
	}
	end := ""
	if width == 0 {
		end = "\r"
	}
	fmt.Fprintf(h.out, "\r%s%s%s", line, strings.Repeat(" ", max(h.width-width, 0)), end)
	h.width = width
}

// clear takes the line away, until what it returns is called: for good, if it
// never is.
func (h *screenHost) clear() (resume func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.draw("")
	h.quiet++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.quiet--
	}
}

// capabilities are what can be asked of the person.
func (h *screenHost) capabilities() *rpc.Capabilities {
	return &rpc.Capabilities{Approve: h.person != nil, Input: h.person != nil}
}

// Approve implements runtime.Listener.
func (h *screenHost) Approve(ctx context.Context, p *rpc.ApproveParams) (*rpc.ApproveResult, error) {
	defer h.clear()()
	decisions := map[string]rpc.Decision{}
	for _, s := range p.Servers {
		if h.about != "" && s.Name != h.about {
			continue
		}
		d, err := h.person.decide(ctx, s)
		if err != nil {
			break // what was decided before is decided
		}
		decisions[s.Name] = d
	}
	return &rpc.ApproveResult{Decisions: decisions}, nil
}

// Input implements runtime.Listener.
func (h *screenHost) Input(ctx context.Context, p *rpc.InputParams) (*rpc.InputResult, error) {
	if h.about != "" && p.Server != h.about {
		return &rpc.InputResult{}, nil
	}
	defer h.clear()()
	return h.person.give(ctx, p)
}
