package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// slowSeconds is how long the files server takes to start in the warm start.
const slowSeconds = 2

// story is two sessions in one project.
type story struct {
	sidecar, project, cache string
	env                     []string
	out                     *printer
}

// cold starts without any tool list from before: an interactive host does not
// wait for it, it takes the tools as they come.
func (s story) cold(ctx context.Context) error {
	s.out.title("cold start: no tool list is remembered")
	h, err := s.open(ctx, s.env)
	if err != nil {
		return err
	}
	if err := s.settle(h); err != nil {
		return err
	}
	return s.close(h)
}

// warm starts with the tool lists of the cold start and one server that is
// slow: its tools are there all the same, and a call waits for it.
func (s story) warm(ctx context.Context) error {
	s.out.title(fmt.Sprintf("warm start: the lists are remembered, and \"files\" takes %d s to start", slowSeconds))
	h, err := s.open(ctx, append(s.env, fmt.Sprint("SLOW_START=", slowSeconds)))
	if err != nil {
		return err
	}
	calls := []rpc.CallParams{
		{Server: "remote", Tool: "get-sum", Arguments: json.RawMessage(`{"a": 20, "b": 22}`)},
		{Server: "files", Tool: "list_directory", Arguments: json.RawMessage(`{"path": "."}`)},
	}
	for _, params := range calls {
		s.out.sent("tools/call", params.Server+"/"+params.Tool+" "+string(params.Arguments))
		var result rpc.CallResult
		if err := h.ask("tools/call", &params, &result); err != nil {
			return err
		}
		s.out.called(result)
	}
	if err := s.settle(h); err != nil {
		return err
	}

	s.out.sent("mcp/reload", "everything is stopped, read and started again")
	snapshot, err := h.reload()
	if err != nil {
		return err
	}
	s.out.snapshot("answer at the gate", snapshot)
	if err := s.settle(h); err != nil {
		return err
	}
	return s.close(h)
}

// open starts a sidecar and initializes it as an editor would.
func (s story) open(ctx context.Context, env []string) (*host, error) {
	s.out.restart()
	wire, err := start(ctx, s.sidecar, s.project, env, "--cache-dir", s.cache)
	if err != nil {
		return nil, err
	}
	s.out.line("  ", fmt.Sprintf("sidecar started, process %d", wire.cmd.Process.Pid))
	h := &host{wire: wire, onChange: s.out.changed, onStatus: s.out.status}
	settings := &rpc.Settings{
		// Only the project's own file: an example has no business starting
		// what the user has configured elsewhere.
		Discovery: &rpc.DiscoverySettings{Include: []string{"mcp-json"}},
		Startup:   &rpc.StartupSettings{Uncached: rpc.UncachedBackground},
	}
	s.out.sent("runtime/initialize", `gateMs 250, uncached "background"`)
	snapshot, err := h.initialize(s.project, settings)
	if err != nil {
		return nil, fmt.Errorf("%w\n%w", err, wire.wait())
	}
	s.out.snapshot("answer at the gate", snapshot)
	return h, nil
}

// settle lets every server come, and tells how the tools then are.
func (s story) settle(h *host) error {
	s.out.sent("mcp/wait", "until no server is connecting")
	var result rpc.WaitResult
	if err := h.ask("mcp/wait", &rpc.WaitParams{}, &result); err != nil {
		return err
	}
	tools, err := h.current()
	if err != nil {
		return err
	}
	s.out.received("answer", fmt.Sprintf("%d servers connected, %d pending, %d failed; revision %d, %s",
		len(result.Connected), len(result.Pending), len(result.Failed), h.revision, countTools(len(tools))))
	for _, failed := range result.Failed {
		s.out.failed(failed)
	}
	return nil
}

func (s story) close(h *host) error {
	s.out.sent("runtime/shutdown", "and runtime/exit")
	if err := h.close(); err != nil {
		return err
	}
	s.out.line("  ", "sidecar ended, and every server with it")
	return nil
}
