package real

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// everywhere runs a test against server-everything over each transport.
func everywhere(t *testing.T, test func(t *testing.T, s *host)) {
	for _, transport := range []string{"stdio", "streamableHttp", "sse"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			var config rpc.ServerConfig
			switch transport {
			case "stdio":
				config = node(t, everythingJS, "stdio")
			case "sse":
				config = rpc.ServerConfig{Type: "sse", URL: everythingOver(t, transport)}
			default:
				config = rpc.ServerConfig{URL: everythingOver(t, transport)}
			}
			s := h.start(t)
			snapshot := s.initialize(map[string]rpc.ServerConfig{"everything": config}, nil)
			if record := server(t, snapshot, "everything"); record.Phase != rpc.PhaseReady {
				t.Fatalf("phase %s: %+v", record.Phase, record.Error)
			}
			test(t, s)
			s.finish()
		})
	}
}

func TestAllProgressPrecedesTheResult(t *testing.T) {
	everywhere(t, func(t *testing.T, s *host) {
		const steps = 8
		id := s.request("tools/call", map[string]any{
			"server": "everything", "tool": "trigger-long-running-operation",
			"arguments": map[string]any{"duration": 0.2, "steps": steps}, "progressToken": "here",
		})
		answer, at := s.answer(id)
		var told []string
		s.mu.Lock()
		for _, f := range s.arrived[:at] {
			if f.Method == "$/progress" {
				var p rpc.ProgressParams
				decode(t, f.Params, &p)
				told = append(told, fmt.Sprintf("%s %s/%s", p.Token, p.Value.Progress, p.Value.Total))
			}
		}
		s.mu.Unlock()
		// A host that reads slowly is told the newest only, so some may be
		// missing; never the order, and never the last.
		if len(told) == 0 || told[len(told)-1] != `"here" 8/8` || !slices.IsSorted(told) {
			t.Errorf("progress before the result: %q, want it rising to 8/8", told)
		}
		var result rpc.CallResult
		decode(t, answer.Result, &result)
		if want := "Long running operation completed."; !strings.Contains(string(result.Result), want) {
			t.Errorf("result %s, want one with %q", result.Result, want)
		}
	})
}

func TestCancelledCallEndsAndTheServerGoesOn(t *testing.T) {
	everywhere(t, func(t *testing.T, s *host) {
		id := s.request("tools/call", map[string]any{
			"server": "everything", "tool": "trigger-long-running-operation",
			"arguments": map[string]any{"duration": 600, "steps": 6000}, "progressToken": 7,
		})
		s.find("progress of the long call", 0, func(f frame) bool { return f.Method == "$/progress" })
		s.send(map[string]any{"method": "$/cancelRequest", "params": map[string]any{"id": id}})
		if answer, _ := s.answer(id); answer.Error == nil || answer.Error.Code != -32800 {
			t.Errorf("the cancelled call was answered with %s and error %+v, want -32800", answer.Result, answer.Error)
		}
		got := s.call("everything", "echo", map[string]any{"message": "still here"})
		if want := `{"content":[{"type":"text","text":"Echo: still here"}]}`; string(got.Result) != want {
			t.Errorf("after the cancellation: %s, want %s", got.Result, want)
		}
	})
}

// server-everything registers further tools once it knows the client, and
// announces them right after the handshake: the list taken at first is stale.
func TestListChangedRightAfterInitializeIsNotMissed(t *testing.T) {
	everywhere(t, func(t *testing.T, s *host) {
		tool := "simulate-research-query"
		late := func(tools []rpc.Tool) bool {
			return slices.ContainsFunc(tools, func(d rpc.Tool) bool { return strings.HasSuffix(d.Label, "/"+tool) })
		}
		var snapshot rpc.Snapshot
		s.ask("tools/snapshot", map[string]any{}, &snapshot)
		if !late(snapshot.Tools) {
			push, _ := s.find("a push with "+tool, 0, func(f frame) bool {
				var p rpc.ToolsChanged
				return f.Method == "tools/changed" && json.Unmarshal(f.Params, &p) == nil && late(p.Added)
			})
			var p rpc.ToolsChanged
			decode(t, push.Params, &p)
			if p.Reason != rpc.ReasonListChanged {
				t.Errorf("reason %q, want %q", p.Reason, rpc.ReasonListChanged)
			}
		}
	})
}

// heldFilesystem is the filesystem server behind a shell that first waits for
// a line from the named pipe in $HOLD, if there is one: a slow start that ends
// when the test says so.
func heldFilesystem(t *testing.T, h home) rpc.ServerConfig {
	t.Helper()
	script := `test -z "$HOLD" || read -r _ < "$HOLD"; exec node "$0" "$@"`
	return rpc.ServerConfig{Command: "sh", Args: []string{"-c", script, npm(t, filesystemJS), h.project()}}
}

func TestWarmStartOffersDeferredToolsAndCallsWait(t *testing.T) {
	if goruntime.GOOS == "windows" {
		t.Skip("needs sh and named pipes")
	}
	t.Parallel()
	h := newHome(t)
	servers := map[string]rpc.ServerConfig{
		"everything": node(t, everythingJS, "stdio"),
		"files":      heldFilesystem(t, h),
		"thinking":   node(t, thinkingJS),
	}
	cold := h.start(t)
	first := cold.initialize(servers, nil)
	for name := range servers {
		if record := server(t, first, name); record.Tools.From != rpc.ToolsFromLive {
			t.Fatalf("cold start: %s has tools from %q, error %+v", name, record.Tools.From, record.Error)
		}
	}
	cold.finish()

	pipe := filepath.Join(h.dir, "hold")
	if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v: %s", err, out)
	}
	warm := h.start(t, "HOLD="+pipe)
	gate := 0
	snapshot := warm.initialize(servers, &rpc.StartupSettings{GateMs: &gate})
	record := server(t, snapshot, "files")
	if record.Status != rpc.StatusConnecting || record.Tools.From != rpc.ToolsFromCache || record.Tools.CachedAt == "" {
		t.Fatalf("warm start: files is %+v, want connecting, with cached tools", record)
	}
	if diff := cmp.Diff(definitions(t, first.Tools, "files"), definitions(t, snapshot.Tools, "files")); diff != "" {
		t.Errorf("cached definitions differ from the live ones (-live +cached):\n%s", diff)
	}

	id := warm.request("tools/call", map[string]any{"server": "files", "tool": "list_allowed_directories"})
	if err := os.WriteFile(pipe, []byte("go\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	answer, _ := warm.answer(id)
	var result rpc.CallResult
	decode(t, answer.Result, &result)
	if !result.Details.Deferred || !strings.Contains(string(result.Result), filepath.Base(h.project())) {
		t.Errorf("deferred call: %s, details %+v", result.Result, result.Details)
	}
	warm.find("files to be live", 0, func(f frame) bool {
		var status rpc.Server
		return f.Method == "mcp/status" && json.Unmarshal(f.Params, &status) == nil &&
			status.Name == "files" && status.Phase == rpc.PhaseReady && status.Tools.From == rpc.ToolsFromLive
	})
	var now rpc.Snapshot
	warm.ask("tools/snapshot", map[string]any{}, &now)
	if diff := cmp.Diff(definitions(t, snapshot.Tools, "files"), definitions(t, now.Tools, "files")); diff != "" {
		t.Errorf("the tools changed when the server came (-cached +live):\n%s", diff)
	}
	warm.finish()
}

func TestReloadReplacesEveryProcess(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	servers := map[string]rpc.ServerConfig{
		"everything": node(t, everythingJS, "stdio"),
		"thinking":   node(t, thinkingJS),
	}
	s := h.start(t)
	before := s.initialize(servers, nil)
	var reloaded rpc.SnapshotResult
	s.ask("mcp/reload", map[string]any{}, &reloaded)
	if reloaded.Snapshot.Hash != before.Hash {
		t.Errorf("the tools changed in the reload: %v, before %v",
			definitions(t, reloaded.Snapshot.Tools, "everything"), definitions(t, before.Tools, "everything"))
	}
	s.ask("mcp/wait", map[string]any{}, &rpc.WaitResult{})
	var after rpc.Snapshot
	s.ask("tools/snapshot", map[string]any{}, &after)
	running := marked(t, s.mark)
	for name := range servers {
		was, is := server(t, before, name), server(t, &after, name)
		if is.Phase != rpc.PhaseReady || is.PID == was.PID {
			t.Errorf("%s: phase %s, pid %d after %d; error %+v", name, is.Phase, is.PID, was.PID, is.Error)
		}
		if line, ok := running[was.PID]; ok {
			t.Errorf("%s: the former process still runs: %s", name, line)
		}
	}
	s.finish()
}

// server-everything ignores the end of its stdin, so that only killing it
// helps, and a killed sidecar cannot: its guard must.
func TestKilledSidecarLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.start(t)
	s.initialize(map[string]rpc.ServerConfig{"everything": node(t, everythingJS, "stdio")}, nil)
	if len(marked(t, s.mark)) < 2 {
		t.Fatal("no process of the server is seen; the check below would prove nothing")
	}
	if err := s.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.waitEnd()
	s.cmd.Wait()
	s.nothingLeft()
}

func TestCallSucceedsAfterTheHTTPServerWasRestarted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	address, port := freeAddress(t)
	serve := func() *remote {
		return startRemote(t, "on port", []string{"PORT=" + port}, "node", npm(t, everythingJS), "streamableHttp")
	}
	first := serve()
	s := h.start(t)
	s.initialize(map[string]rpc.ServerConfig{"everything": {URL: "http://" + address + "/mcp"}}, nil)
	first.stop()
	serve()
	got := s.call("everything", "echo", map[string]any{"message": "again"})
	if want := `{"content":[{"type":"text","text":"Echo: again"}]}`; string(got.Result) != want {
		t.Errorf("after the restart: %s, details %+v", got.Result, got.Details)
	}
	s.finish()
}
