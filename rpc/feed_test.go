package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func tool(name, server, definition string, state ToolState) Tool {
	return Tool{Name: name, Server: server, State: state, Definition: json.RawMessage(definition)}
}

func TestTheDifferenceOfTwoToolSets(t *testing.T) {
	set := func(revision int, tools ...Tool) *Snapshot {
		return &Snapshot{Revision: revision, Hash: fmt.Sprint("h", revision), Tools: tools}
	}
	a, b, c := tool("a", "s1", "{}", ToolLive), tool("b", "s2", "{}", ToolLive), tool("c", "s1", "{}", ToolLive)
	for _, tt := range []struct {
		name     string
		from, to *Snapshot
		want     ToolsChanged
	}{
		{"from nothing", nil, set(1, a, b), ToolsChanged{Added: []Tool{a, b}, Servers: []string{"s1", "s2"}}},
		{"from an empty set", set(1), set(2, a), ToolsChanged{PreviousRevision: 1, Added: []Tool{a}, Servers: []string{"s1"}}},
		{"to an empty set", set(1, a, b), set(2), ToolsChanged{PreviousRevision: 1, Removed: []string{"a", "b"}, Servers: []string{"s1", "s2"}}},
		{"no difference", set(1, a, b), set(3, a, b), ToolsChanged{PreviousRevision: 1}},
		{"in the middle", set(1, a, c), set(2, a, b, c), ToolsChanged{PreviousRevision: 1, Added: []Tool{b}, Servers: []string{"s2"}}},
		{"all three", set(1, a, b), set(2, tool("b", "s2", "[]", ToolLive), c), ToolsChanged{
			PreviousRevision: 1, Added: []Tool{c}, Updated: []Tool{tool("b", "s2", "[]", ToolLive)},
			Removed: []string{"a"}, Servers: []string{"s1", "s2"},
		}},
		{"a change of state alone", set(1, a), set(2, tool("a", "s1", "{}", ToolDeferred)), ToolsChanged{PreviousRevision: 1}},
		{"to another server", set(1, a), set(2, tool("a", "s9", "{}", ToolLive)), ToolsChanged{
			PreviousRevision: 1, Updated: []Tool{tool("a", "s9", "{}", ToolLive)}, Servers: []string{"s1", "s9"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Revision, tt.want.Hash, tt.want.Reason = tt.to.Revision, tt.to.Hash, ReasonReload
			if diff := cmp.Diff(&tt.want, diffTools(tt.from, tt.to, ReasonReload)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEveryMemberOfAToolButItsStateCounts(t *testing.T) {
	base := Tool{"n", "l", "s", ToolLive, "p", "pr", "pn", json.RawMessage("{}")}
	for i, other := range []Tool{
		{"N", "l", "s", ToolLive, "p", "pr", "pn", json.RawMessage("{}")},
		{"n", "L", "s", ToolLive, "p", "pr", "pn", json.RawMessage("{}")},
		{"n", "l", "S", ToolLive, "p", "pr", "pn", json.RawMessage("{}")},
		{"n", "l", "s", ToolLive, "P", "pr", "pn", json.RawMessage("{}")},
		{"n", "l", "s", ToolLive, "p", "PR", "pn", json.RawMessage("{}")},
		{"n", "l", "s", ToolLive, "p", "pr", "PN", json.RawMessage("{}")},
		{"n", "l", "s", ToolLive, "p", "pr", "pn", json.RawMessage("[]")},
	} {
		if sameTool(&base, &other) {
			t.Errorf("row %d is not seen to differ", i)
		}
	}
	other := base
	other.State = ToolDeferred
	if !sameTool(&base, &other) {
		t.Error("the state makes a difference")
	}
}

func TestAnOlderSnapshotIsNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &scripted{}, Options{})
		p.session.Publish(Update{View: view(5, "a")})
		p.initialize()
		p.session.Publish(Update{View: view(4, "b")})
		p.send(request(1, MethodSnapshot, `{}`), request(2, MethodSnapshot, `{"ifRevision":5}`))
		got := p.all()
		slices.Sort(got)
		if len(got) != 3 || short(got[1]) != "1=@5" || !strings.HasSuffix(got[2], `"result":{"revision":5,"unchanged":true}}`) {
			t.Errorf("got %s", got)
		}
		if !strings.Contains(p.logs.String(), "older") {
			t.Error("nothing in the log")
		}
	})
}

func TestThePushesReasonIsThatOfTheChangeOfTheSet(t *testing.T) {
	reasons := func(p *peer) string {
		var all []string
		for _, raw := range p.all() {
			var m struct{ Params ToolsChanged }
			if err := json.Unmarshal([]byte(raw), &m); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(raw, MethodToolsChanged) {
				all = append(all, fmt.Sprintf("%d %s", m.Params.Revision, m.Params.Reason))
			}
		}
		return strings.Join(all, " | ")
	}
	synctest.Test(t, func(t *testing.T) { // told at once
		p := start(t, &scripted{}, Options{})
		p.session.Publish(Update{View: view(1, "a"), Reason: ReasonConnected})
		p.initialize()
		p.session.Publish(Update{View: view(2, "b"), Reason: ReasonListChanged})
		synctest.Wait()
		p.session.Publish(Update{View: view(2, "b"), Reason: ReasonDisconnected})
		p.session.Publish(Update{View: view(3), Reason: ReasonRemoved})
		if got := reasons(p); got != "2 listChanged | 3 removed" {
			t.Errorf("got %s", got)
		}
	})
	synctest.Test(t, func(t *testing.T) { // held back by a request that then fails
		done := make(chan struct{})
		p := start(t, &scripted{reload: func(context.Context, *ReloadParams) (Pending[SnapshotResult], error) {
			return func(context.Context) (Answer[SnapshotResult], error) {
				<-done
				return nil, ErrInternal("no")
			}, nil
		}}, Options{})
		p.session.Publish(Update{View: view(1, "a"), Reason: ReasonConnected})
		p.initialize()
		p.send(request(1, MethodReload, `{}`))
		synctest.Wait()
		p.session.Publish(Update{View: view(2, "b"), Reason: ReasonConfigure, Concludes: true})
		p.session.Publish(Update{View: view(3, "c"), Reason: ReasonReload})
		p.session.Publish(Update{View: view(3, "c"), Reason: ReasonDisconnected})
		close(done)
		if got := reasons(p); got != "3 reload" {
			t.Errorf("got %s", got)
		}
	})
	synctest.Test(t, func(t *testing.T) { // merged while unsent
		p := stalled(t, &scripted{})
		p.session.Publish(Update{View: view(2, "b"), Reason: ReasonConfigure})
		p.session.Publish(Update{View: view(3, "c"), Reason: ReasonListChanged})
		p.session.Publish(Update{View: view(3, "c"), Reason: ReasonDisconnected, Statuses: []Server{{Name: "s"}}})
		p.listen()
		if got := reasons(p); got != "3 listChanged" {
			t.Errorf("got %s", got)
		}
	})
}

// modelHost applies the host rule to what it receives.
type modelHost struct {
	t        *testing.T
	revision int
	tools    map[string]string // name → definition
	behind   bool              // a push could not be applied: a snapshot is wanted
}

func (h *modelHost) learn(revision int, tools []Tool) {
	if revision < h.revision {
		h.t.Errorf("an answer goes back from revision %d to %d", h.revision, revision)
	}
	h.revision, h.behind, h.tools = revision, false, map[string]string{}
	for _, tool := range tools {
		h.tools[tool.Name] = string(tool.Definition)
	}
}

func (h *modelHost) receive(raw string) {
	var m struct {
		Method string
		Params ToolsChanged
		Result struct {
			Snapshot  *Snapshot
			Revision  int
			Unchanged bool
			Tools     []Tool
		}
	}
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		h.t.Fatal(err)
	}
	switch {
	case m.Result.Snapshot != nil:
		h.learn(m.Result.Snapshot.Revision, m.Result.Snapshot.Tools)
	case m.Result.Unchanged:
		if m.Result.Revision != h.revision {
			h.t.Errorf("told that %d is unchanged, at %d", m.Result.Revision, h.revision)
		}
	case m.Result.Revision != 0:
		h.learn(m.Result.Revision, m.Result.Tools)
	case m.Method == MethodToolsChanged:
		h.apply(&m.Params)
	}
}

func (h *modelHost) apply(c *ToolsChanged) {
	switch {
	case c.Revision <= h.revision:
		h.t.Errorf("a push goes back from revision %d to %d", h.revision, c.Revision)
	case c.PreviousRevision != h.revision:
		h.t.Errorf("a push from revision %d, told was %d", c.PreviousRevision, h.revision)
	}
	for _, name := range c.Removed {
		if _, ok := h.tools[name]; !ok {
			h.t.Errorf("removed %s was not there", name)
		}
		delete(h.tools, name)
	}
	for _, tool := range c.Added {
		if _, ok := h.tools[tool.Name]; ok {
			h.t.Errorf("added %s was there", tool.Name)
		}
		h.tools[tool.Name] = string(tool.Definition)
	}
	for _, tool := range c.Updated {
		if h.tools[tool.Name] == string(tool.Definition) {
			h.t.Errorf("updated %s is the same", tool.Name)
		}
		h.tools[tool.Name] = string(tool.Definition)
	}
	h.revision = c.Revision
}

// randomView is the next revision of a small random set.
func randomView(r *rand.Rand, revision int) *Snapshot {
	s := &Snapshot{Revision: revision}
	for name := 'a'; name < 'i'; name++ {
		if r.IntN(2) == 0 {
			s.Tools = append(s.Tools, tool(string(name), "s", fmt.Sprint(r.IntN(2)), ToolLive))
		}
	}
	return s
}

func TestWhateverHappensAHostThatFollowsTheRuleHasTheTruth(t *testing.T) {
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) { converge(t, rand.New(rand.NewPCG(seed, 1))) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// converge plays random steps of a runtime and of a host and compares what the
// host believes with the truth, whenever it has caught up.
func converge(t *testing.T, r *rand.Rand) {
	finish := make(chan error) // ends one reload, with this error
	impl := &scripted{reload: func(context.Context, *ReloadParams) (Pending[SnapshotResult], error) {
		return func(ctx context.Context) (Answer[SnapshotResult], error) {
			select {
			case err := <-finish:
				return snapshotResult, err
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}, nil
	}}
	p := deaf(t, impl, Options{})
	truth := randomView(r, 1)
	p.session.Publish(Update{View: truth})
	host := &modelHost{t: t, tools: map[string]string{}}
	in := NewFrameReader(p.out, FramingAuto, 1<<30)
	read := make(chan struct{}) // one token is one frame that the host reads
	go func() {
		for range read {
			body, err := in.Next()
			if err != nil {
				return
			}
			host.receive(string(body))
		}
	}()
	p.initialize()
	id, reloads := 0, 0
	for range 200 {
		switch r.IntN(8) {
		case 0, 1, 2:
			truth = randomView(r, truth.Revision+1)
			p.session.Publish(Update{
				View: truth, Statuses: []Server{{Name: "s"}}, Diagnostics: r.IntN(3) == 0, Concludes: r.IntN(3) == 0,
			})
		case 3:
			id++
			synctest.Wait()
			p.send(request(id, MethodSnapshot, fmt.Sprintf(`{"ifRevision":%d}`, r.IntN(2)*host.revision)))
		case 4:
			id++
			reloads = id
			p.send(request(id, MethodReload, `{}`))
		case 5:
			p.send(notification(MethodCancelRequest, fmt.Sprintf(`{"id":%d}`, reloads)))
		case 6:
			select {
			case finish <- []error{nil, ErrInternal("no")}[r.IntN(2)]:
			default:
			}
		case 7: // the host reads, now and then
			for range r.IntN(6) {
				select {
				case read <- struct{}{}:
				default:
				}
				synctest.Wait()
			}
		}
		if r.IntN(2) == 0 {
			synctest.Wait()
		}
	}
	settle(t, finish, read)
	want := map[string]string{}
	for _, tool := range truth.Tools {
		want[tool.Name] = string(tool.Definition)
	}
	if diff := cmp.Diff(want, host.tools); diff != "" || host.revision != truth.Revision {
		t.Errorf("the host is at %d, the truth at %d: %s", host.revision, truth.Revision, diff)
	}
}

// settle lets every reload end and the host read all there is.
func settle(t *testing.T, finish chan error, read chan struct{}) {
	t.Helper()
	for moved := true; moved; {
		moved = false
		synctest.Wait()
		select {
		case finish <- nil:
			moved = true
		default:
		}
		select {
		case read <- struct{}{}:
			moved = true
		default:
		}
	}
	close(read)
}

func TestPushesRacingSnapshotAnswersNeverContradictThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const revisions, questions = 500, 200
		p := deaf(t, &scripted{}, Options{})
		host := &modelHost{t: t, tools: map[string]string{}}
		caughtUp := make(chan struct{})
		go func() {
			in := NewFrameReader(p.out, FramingAuto, 1<<30)
			for range questions + 1 { // answers; pushes come between them
				for answered := false; !answered; {
					body, err := in.Next()
					if err != nil {
						t.Error(err)
						break
					}
					host.receive(string(body))
					answered = !strings.Contains(string(body), `"method"`)
				}
			}
			close(caughtUp)
		}()
		p.session.Publish(Update{View: view(1, "a")})
		published := make(chan struct{})
		go func() { // ends when all revisions are published
			r := rand.New(rand.NewPCG(1, 1))
			for revision := 2; revision <= revisions; revision++ {
				p.session.Publish(Update{View: randomView(r, revision)})
			}
			close(published)
		}()
		p.initialize()
		for i := range questions - 1 {
			p.send(request(i+1, MethodSnapshot, `{}`))
		}
		<-published
		p.send(request("last", MethodSnapshot, `{}`))
		<-caughtUp
		if host.revision != revisions {
			t.Errorf("the host is at revision %d", host.revision)
		}
	})
}
