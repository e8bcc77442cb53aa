package runtime

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// TestNoHistoryStartsWhatWasNotAllowed has everything happen that bears on trust
// and inputs, in any order and at once: files change, the user decides, puts off,
// and gives values or none, hosts connect, disconnect, reload and configure. What
// nobody ever allowed never runs, and in the end nothing is left open.
func TestNoHistoryStartsWhatWasNotAllowed(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { untrustedHistory(t, rand.New(rand.NewPCG(seed, 11))) })
		})
	}
}

func untrustedHistory(t *testing.T, r *rand.Rand) {
	w := trustWorld(t)
	w.approve = func(ctx context.Context, p *rpc.ApproveParams) (*rpc.ApproveResult, error) {
		time.Sleep(300 * time.Millisecond)
		all := map[string]rpc.Decision{}
		for _, s := range p.Servers {
			all[s.Name] = rpc.DecideLater
			if !slices.Contains(s.Args, "bad") {
				all[s.Name] = rpc.DecideAllow
			}
		}
		return &rpc.ApproveResult{Decisions: all}, ctx.Err()
	}
	w.input = func(ctx context.Context, p *rpc.InputParams) (*rpc.InputResult, error) {
		time.Sleep(200 * time.Millisecond)
		if p.ID == "none" {
			return &rpc.InputResult{}, nil
		}
		return &rpc.InputResult{Value: new("a-long-value")}, ctx.Err()
	}
	var mu sync.Mutex
	started := 0
	for _, s := range w.servers {
		s.dial = func(int) plan { // with s.mu held
			mu.Lock()
			defer mu.Unlock()
			if started++; slices.Contains(s.spec.Args, "bad") {
				t.Errorf("%s was started", strings.Join(s.spec.Args, " "))
			}
			return plan{
				after: time.Duration(started%5) * 100 * time.Millisecond, tools: []string{"x", "y", "z"}[:1+started%3],
				lingers: time.Duration(started%4) * 100 * time.Millisecond, call: answerAfter(time.Duration(started%3) * time.Second),
			}
		}
	}
	names := []string{"a", "b", "c"}
	files := func() {
		var project, user []string
		for _, name := range names {
			switch r.IntN(8) {
			case 0: // it is not there
			case 1:
				project = append(project, fmt.Sprintf(`%q: {"command": %q, "args": ["bad"], "enabled": false}`, name, name))
			case 2:
				project = append(project, fmt.Sprintf(`%q: {"command": %q, "enabled": false}`, name, name))
			case 3, 4:
				project = append(project, fmt.Sprintf(`%q: {"command": %q, "args": ["bad"]}`, name, name))
			case 5:
				user = append(user, fmt.Sprintf(`%q: {"command": %q, "args": ["${input:one}"]}`, name, name))
			case 6:
				user = append(user, fmt.Sprintf(`%q: {"command": %q, "args": ["${input:one}", "${input:none}"]}`, name, name))
			default:
				project = append(project, fmt.Sprintf(`%q: {"command": %q}`, name, name))
			}
		}
		w.write(".mcp.json", `{"mcpServers": {`+strings.Join(project, ", ")+`}}`)
		w.write(userVSCode, `{"inputs": [{"id": "one", "type": "promptString"}, {"id": "none", "type": "promptString"}],
			"servers": {`+strings.Join(user, ", ")+`}}`)
	}
	files()
	w.open()
	defer w.close()
	w.discoverFiles(rpc.Settings{})
	var asked sync.WaitGroup
	for range 200 {
		name, draw := names[r.IntN(3)], r.IntN(3)
		switch r.IntN(9) {
		case 0, 1:
			files()
			w.files.changed()
		case 2:
			files()
			asked.Go(func() { w.reloaded(rpc.ReloadFull) })
		case 3:
			files()
			asked.Go(func() { w.reloaded(rpc.ReloadChanged) })
		case 4:
			asked.Go(func() { _, _ = w.c.Connect(t.Context(), &rpc.ConnectParams{Server: name, Restart: draw == 0}) })
		case 5:
			asked.Go(func() { _, _ = w.c.Disconnect(t.Context(), &rpc.DisconnectParams{Server: name}) })
		case 6:
			asked.Go(func() { _, _ = w.c.Call(t.Context(), &rpc.CallParams{Server: name, Tool: "x", TimeoutMs: 1000}) })
		case 7:
			asked.Go(func() {
				list, err := w.c.TrustList(t.Context(), &rpc.TrustListParams{})
				if err != nil || len(list.Servers) == 0 {
					return
				}
				s := list.Servers[draw%len(list.Servers)]
				p := &rpc.TrustDecisionParams{Server: s.Name, Hash: s.Hash}
				if draw == 0 || slices.Contains(s.Args, "bad") {
					_, _ = w.c.TrustRevoke(t.Context(), p)
				} else {
					_, _ = w.c.TrustAllow(t.Context(), p)
				}
			})
		case 8:
			off := []string{name, name + "/x"}[:draw]
			asked.Go(func() { w.configured(rpc.Settings{Disabled: off}) })
		}
		if draw > 0 {
			time.Sleep(time.Duration(r.IntN(400)) * time.Millisecond)
		}
	}
	asked.Wait()
	time.Sleep(5 * time.Minute)
	if started < 10 {
		t.Errorf("%d starts: the history proves nothing", started)
	}
	w.settled()
	w.reloaded(rpc.ReloadFull)
	time.Sleep(5 * time.Minute)
	w.settled()
}

// settled says what is left open, which is to be nothing when nothing happens.
func (w *world) settled() {
	w.t.Helper()
	_ = w.m.do(func() {
		m := w.m
		if m.round != nil || m.question != nil || m.searching || m.again || len(m.leaving)+len(m.carried) > 0 {
			w.t.Error("a round, a question or a discovery is open")
		}
		for name, mem := range m.members {
			if mem.over || mem.held || mem.fresh || len(mem.asks) > 0 {
				w.t.Errorf("%s is in the middle of a round: over %v, held %v, fresh %v, %d asks", name, mem.over, mem.held, mem.fresh, len(mem.asks))
			}
			phase := mem.rec.Phase
			if mem.rest != "" && phase != mem.rest || mem.rest == "" && resting(phase) && phase != rpc.PhaseStopped || connecting(phase) {
				w.t.Errorf("%s is %s, and is to rest as %q", name, phase, mem.rest)
			}
		}
	})
	snap := w.m.Snapshot()
	count := map[string]int{}
	for _, tool := range snap.Tools {
		count[tool.Server]++
	}
	for _, s := range snap.Servers {
		if n := count[s.Name]; n != s.Tools.Count || resting(s.Phase) && n > 0 {
			w.t.Errorf("%s is %s with %d tools, and says %d", s.Name, s.Phase, n, s.Tools.Count)
		}
	}
}

// What comes during a full reload is kept for the server that follows; if that one
// is to rest, nothing comes of it.
func TestWhatIsAskedDuringAReloadMovesNoServerThatRests(t *testing.T) {
	for _, c := range []struct {
		entry string
		want  rpc.Phase
	}{
		{`{"command": "a", "args": ["new"]}`, rpc.PhaseUntrusted},
		{`{"command": "a", "enabled": false}`, rpc.PhaseDisabled},
		{`{"args": ["new"]}`, rpc.PhaseInvalid},
	} {
		t.Run(string(c.want), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := trustWorld(t)
				w.write(".mcp.json", `{"mcpServers": {"a": {"command": "a"}}}`)
				w.approve = func(ctx context.Context, p *rpc.ApproveParams) (*rpc.ApproveResult, error) {
					if len(p.Servers[0].Args) > 0 {
						return unanswering(ctx, p)
					}
					return &rpc.ApproveResult{Decisions: map[string]rpc.Decision{"a": rpc.DecideAllow}}, nil
				}
				w.open()
				defer w.close()
				w.discoverFiles(rpc.Settings{})
				time.Sleep(time.Second)
				w.write(".mcp.json", `{"mcpServers": {"a": `+c.entry+`}}`)
				for _, ask := range []func(ack chan struct{}) any{
					func(ack chan struct{}) any { return msgStop{ack} },
					func(ack chan struct{}) any { return msgConnect{ack: ack} },
				} {
					ack := make(chan struct{})
					_ = w.m.do(func() { // before it is known what the reload finds
						w.m.reload(rpc.ReloadFull)
						w.m.members["a"].tell(ask(ack))
					})
					<-ack
					if r, _ := record(w.m.Snapshot(), "a"); r.Phase != c.want || w.dialed("a") != 1 {
						t.Errorf("a is %s, and was started %d times", r.Phase, w.dialed("a"))
					}
				}
			})
		})
	}
}
