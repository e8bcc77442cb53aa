package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// printer tells the story, a line an event, each with its time since the start
// of the sidecar. It belongs to the host's goroutine.
type printer struct {
	out   io.Writer
	bold  string // terminal sequences, empty where there is no terminal
	dim   string
	plain string

	started time.Time
	shown   map[string]string // what was last told about a server
}

func newPrinter(out *os.File) *printer {
	p := &printer{out: out}
	if info, err := out.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "" {
		p.bold, p.dim, p.plain = "\x1b[1m", "\x1b[2m", "\x1b[0m"
	}
	return p
}

// restart sets the clock to zero.
func (p *printer) restart() { p.started, p.shown = time.Now(), map[string]string{} }

func (p *printer) title(text string) {
	_, _ = fmt.Fprintf(p.out, "\n%s%s%s\n", p.bold, text, p.plain)
}

// line prints one event; mark says which way it went.
func (p *printer) line(mark, text string) {
	_, _ = fmt.Fprintf(p.out, "%s%6d ms%s  %s %s\n", p.dim, time.Since(p.started).Milliseconds(), p.plain, mark, text)
}

func (p *printer) detail(text string) {
	_, _ = fmt.Fprintf(p.out, "%14s%s\n", "", text)
}

func (p *printer) sent(method, about string) {
	p.line("->", fmt.Sprintf("%s%-18s%s %s", p.bold, method, p.plain, about))
}

func (p *printer) received(what, about string) {
	p.line("<-", fmt.Sprintf("%s%-18s%s %s", p.bold, what, p.plain, about))
}

// snapshot tells a whole tool set and every server.
func (p *printer) snapshot(what string, s *rpc.Snapshot) {
	live := 0
	for _, tool := range s.Tools {
		if tool.State == rpc.ToolLive {
			live++
		}
	}
	p.received(what, fmt.Sprintf("revision %d, %s: %d live, %d deferred",
		s.Revision, countTools(len(s.Tools)), live, len(s.Tools)-live))
	for _, server := range s.Servers {
		p.detail(p.describe(server))
	}
	for _, problem := range s.Errors {
		p.detail(fmt.Sprintf("%s: %s: %s", problem.Severity, problem.Path, problem.Error))
	}
}

// status tells what became of a server, once; the steps of an attempt are left
// out.
func (p *printer) status(server rpc.Server) {
	text := p.describe(server)
	if server.Status == rpc.StatusConnecting || p.shown[server.Name] == text {
		p.shown[server.Name] = text
		return
	}
	p.shown[server.Name] = text
	p.received("mcp/status", text)
}

func (p *printer) describe(server rpc.Server) string {
	tools := "no tools yet"
	switch server.Tools.From {
	case rpc.ToolsFromLive:
		tools = countTools(server.Tools.Count) + " live"
	case rpc.ToolsFromCache:
		tools = countTools(server.Tools.Count) + " deferred"
	case rpc.ToolsFromNone:
	}
	text := fmt.Sprintf("%-11s %-12s %s", server.Name, server.Phase, tools)
	if server.Phase == rpc.PhaseReady {
		text += fmt.Sprintf(" (%s %s, connected in %d ms)", server.Transport, server.ProtocolVersion, server.Timings.ConnectMs)
	}
	if server.Error != nil {
		text += ": " + server.Error.Message
	}
	return text
}

func (p *printer) changed(change rpc.ToolsChanged) {
	p.received("tools/changed", fmt.Sprintf("revision %d -> %d: %d added, %d updated, %d removed (%s: %s)",
		change.PreviousRevision, change.Revision, len(change.Added), len(change.Updated), len(change.Removed),
		change.Reason, strings.Join(change.Servers, ", ")))
}

// called tells how a call went and the first text of its result.
func (p *printer) called(call rpc.CallResult) {
	how := "live"
	if call.Details.Deferred {
		how = fmt.Sprintf("deferred: waited %d ms for the server", call.Details.WaitedMs)
	}
	p.received("answer", fmt.Sprintf("%s/%s took %d ms, %s", call.Details.Server, call.Details.Tool, call.Details.DurationMs, how))
	var result struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(call.Result, &result); err != nil || len(result.Content) == 0 {
		p.detail(string(call.Result))
		return
	}
	for line := range strings.Lines(result.Content[0].Text) {
		p.detail(strings.TrimRight(line, "\n"))
	}
}

func (p *printer) failed(failed rpc.WaitFailed) {
	text := failed.Server
	if failed.Error != nil {
		text += ": " + failed.Error.Message
	}
	p.detail(text)
}

func countTools(n int) string {
	if n == 1 {
		return "1 tool"
	}
	return fmt.Sprintf("%d tools", n)
}
