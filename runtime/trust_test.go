package runtime

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/trust"
)

// write puts a file into the project, or below the home directory with "~/".
func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.cwd, name)
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		path = filepath.Join(w.home, rest)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// discoverFiles is initialize of a host that names no servers itself.
func (w *world) discoverFiles(s rpc.Settings) {
	w.t.Helper()
	wait, err := w.c.Initialize(w.t.Context(), &rpc.InitializeParams{
		ProtocolVersion: 1, Cwd: w.cwd, Settings: &s,
		Capabilities: &rpc.Capabilities{Approve: w.approve != nil, Input: w.input != nil},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.initialized(wait)
}

// deciding is a user who decides by name, and puts off what is not there.
func deciding(decisions map[string]rpc.Decision) func(context.Context, *rpc.ApproveParams) (*rpc.ApproveResult, error) {
	return func(context.Context, *rpc.ApproveParams) (*rpc.ApproveResult, error) {
		return &rpc.ApproveResult{Decisions: decisions}, nil
	}
}

// unanswering is a user who is not there.
func unanswering(ctx context.Context, _ *rpc.ApproveParams) (*rpc.ApproveResult, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

const threeServers = `{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}, "c": {"command": "c"}}}`

// trustWorld has servers a, b and c, which any file may name, and a ledger.
func trustWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, map[string]*scripted{
		"a": {dial: always(plan{tools: []string{"x"}})}, "b": {dial: always(plan{tools: []string{"y"}})},
		"c": {dial: always(plan{tools: []string{"z"}})},
	})
	w.ledger = trust.Open(filepath.Join(t.TempDir(), "trust.json"))
	return w
}

// expectAll is expect for what happens in one instant and has no order.
func (w *world) expectAll(got []string, want ...string) {
	w.t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	w.expect(got, want...)
}

func (w *world) dialed(name string) int {
	s := w.servers[name]
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dials
}

func TestProjectServersWaitForOneDecisionAboutAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.write(".mcp.json", threeServers)
		w.write("~/.claude.json", `{"mcpServers": {"b": {"command": "b", "args": ["the user's"]}}}`)
		w.approve = deciding(map[string]rpc.Decision{"a": rpc.DecideAllow, "b": rpc.DecideDeny})
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{})
		w.expectAll(w.take("approve", "initialized", "changed", "ready"),
			"0s approve a, b, c?",
			"0s initialized revision 1: no tools",
			"0s a ready 0 live", "0s b ready 0 live",
			"0s a ready 1 live", "0s b ready 1 live",
			"0s changed by reload: a/x live, b/y live",
		)
		r, _ := record(w.m.Snapshot(), "b")
		if r.Source.Level != rpc.LevelUser {
			t.Errorf("b is %s", r.Source.Path)
		}
		if n := w.dialed("c"); n != 0 {
			t.Error("what was put off was started")
		}
	})
}

func TestADecisionHoldsForLaterSessionsUntilTheEntryChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.write(".mcp.json", threeServers)
		w.approve = deciding(map[string]rpc.Decision{"a": rpc.DecideAllow, "b": rpc.DecideAllow, "c": rpc.DecideDeny})
		w.open()
		w.discoverFiles(rpc.Settings{})
		w.take()
		w.m.Close()

		w.approve = unanswering
		w.rev = 0
		w.open()
		w.discoverFiles(rpc.Settings{})
		w.expectAll(w.take("approve", "initialized"), "0s initialized revision 1: a/x live, b/y live")
		w.m.Close()

		// Neither a filter nor the order of the members is another entry; an argument is.
		w.rev = 0
		w.write(".mcp.json", `{"mcpServers": {"c": {"command": "c"}, "b": {"args": ["new"], "command": "b"}, "a": {"tools": {}, "command": "a"}}}`)
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{})
		w.expectAll(w.take("approve", "initialized"), "0s approve b?", "0s initialized revision 1: a/x live")
	})
}

func TestAQuestionIsWithdrawnWhenNothingItIsAboutIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.write(".mcp.json", `{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}}`)
		w.approve = unanswering
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{})
		w.write(".mcp.json", `{"mcpServers": {"b": {"command": "b"}}}`)
		w.reloaded(rpc.ReloadChanged)
		w.expectAll(w.take("approve"), "0s approve a, b?")
		w.write(".mcp.json", `{"mcpServers": {"c": {"command": "c"}}}`)
		w.reloaded(rpc.ReloadChanged)
		w.expectAll(w.take("approve"), "0s approve c?", "0s approve: context canceled")
	})
}

func TestWhatTheHostCannotAnswerIsAskedAgainInAFullReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.write(".mcp.json", `{"mcpServers": {"a": {"command": "a"}}}`)
		w.approve = func(context.Context, *rpc.ApproveParams) (*rpc.ApproveResult, error) {
			return nil, errors.New("no screen")
		}
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{})
		w.take()
		w.reloaded(rpc.ReloadChanged)
		w.expectAll(w.take("approve"))
		w.reloaded(rpc.ReloadFull)
		w.expectAll(w.take("approve"), "0s approve a?", "0s approve: no screen")
		if r, _ := record(w.m.Snapshot(), "a"); r.Phase != rpc.PhaseUntrusted || r.Error == nil || r.Error.Hint == "" {
			t.Errorf("a is %+v", r)
		}
		if w.dialed("a") != 0 {
			t.Error("an untrusted server was started")
		}
	})
}

func TestADecisionThatCannotBeWrittenHoldsForTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.ledger = trust.Open(filepath.Join(w.cwd, ".mcp.json", "trust.json")) // below a file
		w.write(".mcp.json", `{"mcpServers": {"a": {"command": "a"}}}`)
		w.approve = deciding(map[string]rpc.Decision{"a": rpc.DecideAllow})
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{})
		time.Sleep(time.Minute)
		w.take()
		w.reloaded(rpc.ReloadFull)
		w.expectAll(w.take("approve", "reloaded"), "1m0s reloaded revision 2: a/x live")
	})
}

func TestTrustIsListedGivenRefusedAndTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.write(".mcp.json", `{"mcpServers": {"a": {"command": "a", "env": {"K": "${TOKEN}"}}, "bad": {}}}`)
		w.write("~/.config/mcp-sidecar/mcp.json", `{"mcpServers": {"c": {"command": "c"}}}`)
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{Trust: &rpc.TrustSettings{Project: rpc.TrustAsk}})
		list, err := w.c.TrustList(t.Context(), &rpc.TrustListParams{})
		if err != nil || len(list.Servers) != 2 || list.Servers[1].Name != "bad" {
			t.Fatal(list, err)
		}
		a := list.Servers[0]
		if a.Name != "a" || a.Project != w.cwd || a.Decision != "" || strings.Join(a.Uses, " ") != "${TOKEN}" {
			t.Errorf("listed %+v", a)
		}
		phase := func() rpc.Phase {
			r, _ := record(w.m.Snapshot(), "a")
			return r.Phase
		}
		p := &rpc.TrustDecisionParams{Server: "a", Hash: a.Hash}
		for _, step := range []struct {
			decide func(context.Context, *rpc.TrustDecisionParams) (*rpc.TrustListResult, error)
			said   rpc.Decision
			phase  rpc.Phase
		}{
			{w.c.TrustAllow, rpc.DecideAllow, rpc.PhaseReady},
			{w.c.TrustRevoke, "", rpc.PhaseUntrusted},
			{w.c.TrustDeny, rpc.DecideDeny, ""},
			{w.c.TrustRevoke, "", rpc.PhaseUntrusted},
			{w.c.TrustAllow, rpc.DecideAllow, rpc.PhaseReady},
		} {
			list, err := step.decide(t.Context(), p)
			if err != nil || list.Servers[0].Decision != step.said {
				t.Fatal(list, err)
			}
			synctest.Wait()
			if phase() != step.phase {
				t.Errorf("after %q a is %q, want %q", step.said, phase(), step.phase)
			}
		}
		_, err = w.c.TrustAllow(t.Context(), &rpc.TrustDecisionParams{Server: "a", Hash: "other"})
		if !errors.Is(err, &rpc.Error{Code: rpc.CodeInvalidParams}) {
			t.Errorf("another hash: %v", err)
		}
		_, err = w.c.TrustAllow(t.Context(), &rpc.TrustDecisionParams{Server: "c", Hash: a.Hash})
		if !errors.Is(err, &rpc.Error{Code: rpc.CodeUnknownServer}) {
			t.Errorf("a server of the user's: %v", err)
		}
	})
}

func TestWhatWasRefusedStaysOutAlsoWhereProjectsAreAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.write(".mcp.json", `{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}}`)
		w.approve = deciding(map[string]rpc.Decision{"a": rpc.DecideDeny})
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{})
		w.take()
		w.noteSnapshot("configured", w.configured(rpc.Settings{Trust: &rpc.TrustSettings{Project: rpc.TrustAllow}}))
		w.expect(w.take("configured"), "0s configured revision 2: b/y live")
	})
}

func TestALedgerThatCannotBeReadTrustsNothingAndIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.write(".mcp.json", `{"mcpServers": {"a": {"command": "a"}}}`)
		if err := os.WriteFile(w.ledger.Path(), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		w.approve = unanswering
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{})
		w.expect(w.take("initialized"), "0s initialized revision 1: no tools")
		if e := w.m.Snapshot().Errors; !slices.ContainsFunc(e, func(d rpc.Diagnostic) bool {
			return d.Path == w.ledger.Path() && d.Severity == rpc.SeverityError
		}) {
			t.Errorf("errors: %+v", e)
		}
	})
}

// What kept a server waiting is not told of it when it is not kept waiting.
func TestAServerThatWasAllowedIsNotCalledUntrusted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.servers["a"].dial = always(plan{after: 10 * time.Second, tools: []string{"x"}})
		w.write(".mcp.json", `{"mcpServers": {"a": {"command": "a"}}}`)
		w.approve = deciding(map[string]rpc.Decision{"a": rpc.DecideAllow})
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{})
		time.Sleep(5 * time.Second)
		s := w.m.Snapshot()
		if r, _ := record(s, "a"); r.Phase != rpc.PhaseInitializing || r.Error != nil {
			t.Errorf("a is %s with the error %v", r.Phase, r.Error)
		}
		if len(s.Errors) != 0 {
			t.Errorf("errors: %+v", s.Errors)
		}
	})
}

// A directory may have a name that cannot be written down.
func TestADecisionThatCannotBeWrittenTakesNoOtherWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.open()
		defer w.close()
		good, bad := trustKey{"/a", "s", "1"}, trustKey{"/\xff", "s", "1"}
		unwritten, err := w.m.record(t.Context(), (*trust.Store).Record, []decision{
			{bad, rpc.DecideDeny, ""},
			{good, rpc.DecideDeny, ""},
			{trustKey{"/a", "later", "1"}, rpc.DecideLater, ""},
		})
		if err == nil || len(unwritten) != 1 || !unwritten[bad] {
			t.Errorf("unwritten: %v, %v", unwritten, err)
		}
		book, err := w.ledger.Load(t.Context())
		if d, _ := book.Decision(good.project, good.server, good.hash); d != trust.Deny || err != nil || len(book.Entries()) != 1 {
			t.Errorf("written: %v, %v", book.Entries(), err)
		}
	})
}

// A file of the project must not stop what the user has allowed by an entry that
// leads to the same.
func TestAnAllowedServerIsNoAliasOfOneThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.write(".mcp.json", `{"mcpServers": {"b": {"command": "b"}}}`)
		w.approve = deciding(map[string]rpc.Decision{"b": rpc.DecideAllow})
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{})
		time.Sleep(time.Second)
		w.take()
		w.write(".mcp-sidecar/mcp.json", `{"mcpServers": {"a": {"command": "b"}}}`)
		w.files.changed()
		time.Sleep(time.Second)
		w.expect(w.take(), "1.3s b ready 1 live") // it has an alias
		if r, _ := record(w.m.Snapshot(), "b"); r.Phase != rpc.PhaseReady || len(r.Source.Aliases) != 1 {
			t.Errorf("b is %s, with the aliases %v", r.Phase, r.Source.Aliases)
		}
	})
}

// An entry that is switched off can be switched on by mcp/connect, which is no
// way around the question.
func TestADisabledServerThatIsUntrustedIsNotConnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		const off = `{"mcpServers": {"a": {"command": "a", "enabled": false}, "b": {"command": "b"}}}`
		w.write(".mcp.json", off)
		w.approve = unanswering
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{Disabled: []string{"b"}})
		connect := func(server string) error {
			_, err := w.c.Connect(t.Context(), &rpc.ConnectParams{Server: server})
			return err
		}
		phase := func(server string) rpc.Phase {
			r, _ := record(w.m.Snapshot(), server)
			return r.Phase
		}
		for _, server := range []string{"a", "b"} {
			if err := connect(server); !errors.Is(err, &rpc.Error{Code: rpc.CodeUntrusted}) || phase(server) != rpc.PhaseDisabled {
				t.Errorf("%s: %v, %s", server, err, phase(server))
			}
		}
		list, err := w.c.TrustList(t.Context(), &rpc.TrustListParams{})
		if err != nil || len(list.Servers) != 2 {
			t.Fatalf("%+v, %v", list, err)
		}
		a := &rpc.TrustDecisionParams{Server: "a", Hash: list.Servers[0].Hash}
		if _, err := w.c.TrustAllow(t.Context(), a); err != nil || phase("a") != rpc.PhaseDisabled {
			t.Errorf("%v, %s", err, phase("a"))
		}
		if err := connect("a"); err != nil || phase("a") != rpc.PhaseReady {
			t.Errorf("%v, %s", err, phase("a"))
		}
		synctest.Wait() // the list is written after the server is ready
		if r, err := w.c.Doctor(t.Context(), &rpc.DoctorParams{Server: "a"}); err != nil || r.Servers[0].Cache.State != rpc.CacheHit {
			t.Errorf("the doctor says %+v of the cache, %v", r.Servers[0].Cache, err)
		}
		if _, err := w.c.TrustRevoke(t.Context(), a); err != nil || phase("a") != rpc.PhaseDisabled {
			t.Errorf("%v, %s", err, phase("a"))
		}
		if w.dialed("a") != 1 || w.dialed("b") != 0 {
			t.Errorf("a was started %d times, b %d times", w.dialed("a"), w.dialed("b"))
		}
	})
}

func TestWhatIsSwitchedOffAgainIsNotKeptByAnEarlierConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watchWorld(t, rpc.Settings{})
		defer w.close()
		off := strings.Replace(threeServers, `"b"}`, `"b", "enabled": false}`, 1)
		w.changes(off)
		if _, err := w.c.Connect(t.Context(), &rpc.ConnectParams{Server: "b"}); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			text string
			want rpc.Phase
		}{{off + " ", rpc.PhaseReady}, {threeServers, rpc.PhaseReady}, {off, rpc.PhaseDisabled}} {
			w.changes(step.text)
			if r, _ := record(w.m.Snapshot(), "b"); r.Phase != step.want {
				t.Errorf("b is %s, not %s", r.Phase, step.want)
			}
		}
	})
}

// An entry that cannot be used keeps its name from the user's own all the same.
func TestAnUnusableEntryOfAProjectCanBeRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.write(".mcp.json", `{"mcpServers": {"a": {"command": 7}}}`)
		w.write("~/.claude.json", `{"mcpServers": {"a": {"command": "a"}}}`)
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{Trust: &rpc.TrustSettings{Project: rpc.TrustAsk}})
		list, err := w.c.TrustList(t.Context(), &rpc.TrustListParams{})
		if err != nil || len(list.Servers) != 1 {
			t.Fatal(list, err)
		}
		if _, err = w.c.TrustDeny(t.Context(), &rpc.TrustDecisionParams{Server: "a", Hash: list.Servers[0].Hash}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if r, _ := record(w.m.Snapshot(), "a"); r.Phase != rpc.PhaseReady || r.Source.Level != rpc.LevelUser {
			t.Errorf("a is %s from %s", r.Phase, r.Source.Path)
		}
	})
}

// Two folders may have the very same entry: what is decided is about one of them,
// and then about the other.
func TestADecisionIsAboutTheFolderThatStillNeedsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		const entry = `{"mcpServers": {"a": {"command": "a"}}}`
		w.write("one/.mcp.json", entry)
		w.write("two/.mcp.json", entry)
		w.open()
		defer w.close()
		folder := func(name string) rpc.WorkspaceFolder {
			return rpc.WorkspaceFolder{Name: name, URI: "file://" + filepath.Join(w.cwd, name)}
		}
		wait, err := w.c.Initialize(t.Context(), &rpc.InitializeParams{
			ProtocolVersion: 1, Cwd: w.cwd, WorkspaceFolders: []rpc.WorkspaceFolder{folder("one"), folder("two")},
			Settings: &rpc.Settings{Trust: &rpc.TrustSettings{Project: rpc.TrustAsk}},
		})
		if err != nil {
			t.Fatal(err)
		}
		w.initialized(wait)
		list, err := w.c.TrustList(t.Context(), &rpc.TrustListParams{})
		if err != nil || len(list.Servers) != 1 {
			t.Fatal(list, err)
		}
		p := &rpc.TrustDecisionParams{Server: "a", Hash: list.Servers[0].Hash}
		for i, step := range []struct {
			decide func(context.Context, *rpc.TrustDecisionParams) (*rpc.TrustListResult, error)
			want   string
		}{
			{w.c.TrustDeny, "one deny, two "},
			{w.c.TrustDeny, "one deny, two deny"},
			{w.c.TrustRevoke, "one "}, // which has the name from the other
			{w.c.TrustAllow, "one allow"},
		} {
			list, err := step.decide(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range list.Servers {
				got = append(got, filepath.Base(s.Project)+" "+string(s.Decision))
			}
			if strings.Join(got, ", ") != step.want {
				t.Errorf("step %d: %q, want %q", i, got, step.want)
			}
		}
	})
}
