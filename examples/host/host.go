package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// errEnded is the end of the sidecar when an answer was still due.
var errEnded = errors.New("the sidecar ended without an answer")

// host is one session with a sidecar. It belongs to one goroutine: while it
// waits for an answer it takes what is pushed, so everything is seen in the
// order in which it was said.
type host struct {
	wire   *wire
	lastID int

	// revision and tools are what the sidecar said last.
	revision int
	tools    map[string]rpc.Tool
	stale    bool // a push did not follow on revision: ask for the whole

	// onChange and onStatus are told what was pushed.
	onChange func(rpc.ToolsChanged)
	onStatus func(rpc.Server)
}

// ask sends a request and takes pushes until it is answered.
func (h *host) ask(method string, p params, result any) error {
	h.lastID++
	id := strconv.Itoa(h.lastID)
	if err := h.wire.send(frame{ID: json.RawMessage(id), Method: method, Params: p.AppendJSON(nil)}); err != nil {
		return err
	}
	for f := range h.wire.frames {
		if f.Method != "" {
			if err := h.take(f); err != nil {
				return err
			}
			continue
		}
		if string(f.ID) != id {
			continue
		}
		if f.Error != nil {
			return f.Error
		}
		return json.Unmarshal(f.Result, result)
	}
	return errEnded
}

// take handles one push. What it does not know it ignores, as every host must.
func (h *host) take(f received) error {
	switch f.Method {
	case "tools/changed":
		var change rpc.ToolsChanged
		if err := json.Unmarshal(f.Params, &change); err != nil {
			return err
		}
		h.apply(change)
		h.onChange(change)
	case "mcp/status":
		var status rpc.Server
		if err := json.Unmarshal(f.Params, &status); err != nil {
			return err
		}
		h.onStatus(status)
	}
	return nil
}

// apply is the rule by which a host keeps its tools true: old news is ignored,
// the next revision is applied, and after a gap the whole is asked for.
func (h *host) apply(change rpc.ToolsChanged) {
	switch {
	case change.Revision <= h.revision:
	case change.PreviousRevision != h.revision:
		h.stale = true
	default:
		for _, name := range change.Removed {
			delete(h.tools, name)
		}
		for _, tool := range slices.Concat(change.Added, change.Updated) {
			h.tools[tool.Name] = tool
		}
		h.revision = change.Revision
	}
}

// replace takes a whole snapshot.
func (h *host) replace(snapshot *rpc.Snapshot) {
	h.revision, h.stale = snapshot.Revision, false
	h.tools = make(map[string]rpc.Tool, len(snapshot.Tools))
	for _, tool := range snapshot.Tools {
		h.tools[tool.Name] = tool
	}
}

// current is the tool set, sorted by name.
func (h *host) current() ([]rpc.Tool, error) {
	if h.stale {
		var snapshot rpc.Snapshot
		if err := h.ask("tools/snapshot", &rpc.SnapshotParams{}, &snapshot); err != nil {
			return nil, err
		}
		h.replace(&snapshot)
	}
	return slices.SortedFunc(maps.Values(h.tools), func(a, b rpc.Tool) int { return cmp.Compare(a.Name, b.Name) }), nil
}

// initialize opens the session and returns the first snapshot.
func (h *host) initialize(cwd string, settings *rpc.Settings) (*rpc.Snapshot, error) {
	var result rpc.InitializeResult
	err := h.ask("runtime/initialize", &rpc.InitializeParams{
		ProtocolVersion: rpc.ProtocolVersion,
		Client:          rpc.ClientInfo{Name: "example-host", Version: "1"},
		Cwd:             cwd,
		ProcessID:       os.Getpid(),
		Settings:        settings,
	}, &result)
	if err != nil {
		return nil, err
	}
	h.replace(result.Snapshot)
	return result.Snapshot, nil
}

// reload has all configuration read again and all servers started again.
func (h *host) reload() (*rpc.Snapshot, error) {
	var result rpc.SnapshotResult
	if err := h.ask("mcp/reload", &rpc.ReloadParams{}, &result); err != nil {
		return nil, err
	}
	h.replace(result.Snapshot)
	return result.Snapshot, nil
}

// close ends the session: first the servers, then the sidecar.
func (h *host) close() error {
	if err := h.ask("runtime/shutdown", &rpc.ShutdownParams{}, &rpc.ShutdownResult{}); err != nil {
		return errors.Join(err, h.wire.wait())
	}
	if err := h.wire.send(frame{Method: "runtime/exit"}); err != nil {
		return errors.Join(err, h.wire.wait())
	}
	return h.wire.wait()
}
