package runtime

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// mirror is a host at the other end of a real session. It keeps a tool set by
// the host rule and checks it against every snapshot that it is told.
type mirror struct {
	t    *testing.T
	in   io.WriteCloser
	mu   sync.Mutex
	next int // guarded by mu
	// waits are the answers asked for, by id. Guarded by mu.
	waits map[int]chan json.RawMessage

	// Owned by the reader.
	revision int
	tools    map[string]string // name → definition
	servers  map[string]rpc.Phase
	pushes   int
}

func newMirror(t *testing.T, m *Manager) (h *mirror, ended <-chan struct{}) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	h = &mirror{
		t: t, in: inW, waits: map[int]chan json.RawMessage{},
		tools: map[string]string{}, servers: map[string]rpc.Phase{},
	}
	s := rpc.NewSession(inR, outW, rpc.Options{Framing: rpc.FramingNDJSON})
	client := m.Join(s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(context.Background(), client)
		client.Leave()
	}()
	go h.read(outR)
	return h, done
}

func (h *mirror) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     *int            `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			h.t.Errorf("the sidecar said %q: %v", line, err)
			return
		}
		if m.ID == nil {
			h.told(m.Method, m.Params)
			continue
		}
		if m.Result == nil {
			m.Result = m.Error
		}
		h.answered(m.Result)
		h.mu.Lock()
		w := h.waits[*m.ID]
		delete(h.waits, *m.ID)
		h.mu.Unlock()
		w <- m.Result
	}
}

func (h *mirror) told(method string, params json.RawMessage) {
	switch method {
	case "mcp/status":
		var s rpc.Server
		h.decode(params, &s)
		if s.Phase == rpc.PhaseRemoved {
			delete(h.servers, s.Name)
		} else {
			h.servers[s.Name] = s.Phase
		}
	case "tools/changed":
		var c rpc.ToolsChanged
		h.decode(params, &c)
		if c.Revision <= h.revision || c.PreviousRevision != h.revision {
			h.t.Errorf("a push from %d to %d at revision %d", c.PreviousRevision, c.Revision, h.revision)
		}
		h.pushes++
		h.revision = c.Revision
		for _, name := range c.Removed {
			if _, ok := h.tools[name]; !ok {
				h.t.Errorf("%s is removed and was not there", name)
			}
			delete(h.tools, name)
		}
		for _, tool := range slices.Concat(c.Added, c.Updated) {
			h.tools[tool.Name] = tool.Label + string(tool.Definition)
		}
	}
}

// answered checks a snapshot against what the pushes have made of the set, and
// takes it over.
func (h *mirror) answered(result json.RawMessage) {
	var shape struct {
		Snapshot *rpc.Snapshot `json:"snapshot"` // of a round
		Hash     string        `json:"hash"`     // of tools/snapshot
	}
	h.decode(result, &shape)
	snap, told := shape.Snapshot, false
	switch {
	case snap == nil && shape.Hash == "":
		return
	case snap == nil:
		snap, told = &rpc.Snapshot{}, true
		h.decode(result, snap)
	}
	set := map[string]string{}
	for _, tool := range snap.Tools {
		set[tool.Name] = tool.Label + string(tool.Definition)
	}
	if snap.Revision < h.revision {
		h.t.Errorf("revision went back from %d to %d", h.revision, snap.Revision)
	}
	if told && snap.Revision == h.revision && !maps.Equal(set, h.tools) {
		h.t.Errorf("revision %d: the snapshot has %v, the host %v", snap.Revision,
			slices.Sorted(maps.Keys(set)), slices.Sorted(maps.Keys(h.tools)))
	}
	for _, s := range snap.Servers {
		if told && h.servers[s.Name] != s.Phase {
			h.t.Errorf("the snapshot has %s %s, the statuses %s", s.Name, s.Phase, h.servers[s.Name])
		}
		h.servers[s.Name] = s.Phase
	}
	h.revision, h.tools = snap.Revision, set
}

// sameInReport compares a snapshot with the doctor's report, when nothing moves.
func (h *mirror) sameInReport(snapshot, report json.RawMessage) {
	var snap rpc.Snapshot
	var r rpc.DoctorReport
	h.decode(snapshot, &snap)
	h.decode(report, &r)
	var servers []rpc.Server
	for _, s := range r.Servers {
		servers = append(servers, s.Server)
	}
	if diff := cmp.Diff(snap.Servers, servers, cmpopts.EquateEmpty()) + cmp.Diff(snap.Errors, r.Errors, cmpopts.EquateEmpty()); diff != "" {
		h.t.Errorf("the snapshot and the doctor differ: %s", diff)
	}
	for _, s := range snap.Servers {
		wrong := slices.ContainsFunc(r.Findings, func(f rpc.Finding) bool { return f.Server == s.Name && f.Severity == rpc.SeverityError })
		if wrong != (s.Error != nil) {
			h.t.Errorf("%s is %s with %v, and the doctor finds %+v", s.Name, s.Phase, s.Error, r.Findings)
		}
	}
}

func (h *mirror) decode(raw json.RawMessage, to any) {
	if err := json.Unmarshal(raw, to); err != nil {
		h.t.Errorf("%s: %v", raw, err)
	}
}

// ask sends a request; the channel gets its answer.
func (h *mirror) ask(method, params string) <-chan json.RawMessage {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	w := make(chan json.RawMessage, 1)
	h.waits[h.next] = w
	fmt.Fprintf(h.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", h.next, method, params)
	return w
}

// TestHostThatAppliesPushesHasTheTruth replays random events of random servers
// to a host that knows only the first snapshot and the pushes, and compares it
// with every snapshot it asks for.
func TestHostThatAppliesPushesHasTheTruth(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { randomHistory(t, rand.New(rand.NewPCG(seed, 7))) })
		})
	}
}

func randomHistory(t *testing.T, r *rand.Rand) {
	servers := map[string]*scripted{}
	var mu sync.Mutex // of r, which the dials share
	draw := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return r.IntN(n)
	}
	tools := func() []string {
		all := []string{"one", "two", "three", "a b", "a-b", "a.b", strings.Repeat("long", 30)}
		return all[:draw(len(all)+1)]
	}
	for i := range 6 {
		servers[fmt.Sprintf("s%d", i)] = &scripted{dial: func(int) plan {
			p := plan{after: time.Duration(draw(600)) * time.Millisecond, tools: tools()}
			if draw(4) == 0 {
				p.err = errRefused
			}
			return p
		}}
	}
	w := newWorld(t, servers)
	w.open()
	defer w.close()
	h, ended := newMirror(t, w.m)
	entries := func() string {
		var list []string
		for name := range servers {
			if draw(5) > 0 {
				list = append(list, fmt.Sprintf(`%q:{"command":%q,"timeout":%d}`, name, name, 1000*(1+draw(2))))
			}
		}
		return `{"servers":{` + strings.Join(list, ",") + `},"disabled":["s0/one"],"discovery":{"include":["host"]}}`
	}
	h.ask("runtime/initialize", fmt.Sprintf(
		`{"protocolVersion":1,"client":{"name":"m","version":"0"},"cwd":%q,"settings":%s}`, w.cwd, entries()))
	for range 150 {
		name := fmt.Sprintf("s%d", draw(6))
		s := servers[name]
		s.mu.Lock()
		live := s.last
		s.mu.Unlock()
		switch draw(10) {
		case 0:
			h.ask("mcp/reload", `{}`)
		case 1:
			h.ask("mcp/reload", `{"mode":"changed"}`)
		case 2:
			h.ask("runtime/configure", `{"settings":`+entries()+`}`)
		case 3:
			h.ask("mcp/connect", fmt.Sprintf(`{"server":%q,"restart":%v}`, name, draw(2) == 0))
		case 4:
			h.ask("mcp/disconnect", fmt.Sprintf(`{"server":%q}`, name))
		case 5, 6:
			if live != nil {
				live.mu.Lock()
				live.tools = tools()
				live.mu.Unlock()
				live.hooks.ToolsChanged()
			}
		case 7:
			if live != nil {
				live.die()
			}
		case 8:
			h.ask("tools/snapshot", `{}`)
		case 9:
			h.ask("mcp/doctor", `{}`)
		}
		if draw(2) == 0 {
			time.Sleep(time.Duration(draw(400)) * time.Millisecond)
		}
	}
	time.Sleep(5 * time.Minute)
	h.sameInReport(<-h.ask("tools/snapshot", `{}`), <-h.ask("mcp/doctor", `{}`))
	_ = h.in.Close()
	<-ended
	if len(h.waits) != 0 {
		t.Errorf("%d requests were not answered", len(h.waits))
	}
	if h.pushes == 0 {
		t.Error("nothing was pushed: the history proves nothing")
	}
}

func TestAFilterThatLeavesNoToolIsToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.write(".mcp.json", `{"mcpServers": {"a": {"command": "a", "tools": {"include": ["misspelt"]}}, "b": {"command": "b", "tools": {"exclude": ["z"]}}}}`)
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{})
		e := w.m.Snapshot().Errors
		if len(e) != 1 || e[0].Server != "a" || e[0].Severity != rpc.SeverityWarning || !strings.Contains(e[0].Error, "leaves none of the 1") {
			t.Errorf("errors: %+v", e)
		}
	})
}
