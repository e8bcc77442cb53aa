package runtime

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

func TestDoctorTellsWhatTheViewTellsAndStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &scripted{dial: always(plan{after: time.Second, tools: []string{"x"}})}
		b := &scripted{dial: always(plan{err: errRefused})}
		w := newWorld(t, map[string]*scripted{"a": a, "b": b})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Reconnect: rpc.ReconnectManual})
		synctest.Wait() // the list is written after the server is ready
		for range 2 {
			r, err := w.c.Doctor(t.Context(), &rpc.DoctorParams{})
			if err != nil {
				t.Fatal(err)
			}
			view := w.m.Snapshot()
			var servers []rpc.Server
			for _, s := range r.Servers {
				servers = append(servers, s.Server)
			}
			if diff := cmp.Diff(view.Servers, servers) + cmp.Diff(view.Errors, r.Errors); diff != "" {
				t.Errorf("the view and the report differ: %s", diff)
			}
			if r.Healthy || len(r.Findings) != 1 || r.Findings[0].Server != "b" || r.Cwd != w.cwd || len(r.Files) == 0 {
				t.Errorf("%+v", r)
			}
			s := r.Servers[0]
			if string(s.Written) != `{"command":"a"}` || s.Search.Found != "/bin/a" || s.Cache.State != rpc.CacheHit || s.Cache.Tools != 1 {
				t.Errorf("%+v, written %s", s, s.Written)
			}
			if tm := s.Server.Timings; tm.ConnectMs != 1000 || tm.SpawnMs != 0 || tm.InitializeMs != 1000 {
				t.Errorf("timings %+v", tm)
			}
		}
		if a.dials != 1 || b.dials != 1 {
			t.Errorf("%d and %d attempts", a.dials, b.dials)
		}
		only, err := w.c.Doctor(t.Context(), &rpc.DoctorParams{Server: "a"})
		if err != nil || !only.Healthy || len(only.Servers) != 1 || len(only.Files) != 0 || len(only.Errors) != 0 {
			t.Errorf("%+v, %v", only, err)
		}
		if _, err := w.c.Doctor(t.Context(), &rpc.DoctorParams{Server: "c"}); !errors.Is(err, &rpc.Error{Code: rpc.CodeUnknownServer}) {
			t.Errorf("%v", err)
		}
	})
}

func TestWhatDoesNotAnswerTheDoctorDelaysNothingOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{
			"dead1": {dial: always(plan{err: errRefused})}, "dead2": {dial: always(plan{err: errRefused})},
			"z": {dial: always(plan{tools: []string{"x"}})},
		})
		w.open()
		defer w.close()
		w.initialize(rpc.Settings{Reconnect: rpc.ReconnectManual})
		begun := time.Now()
		r, err := w.c.Doctor(t.Context(), &rpc.DoctorParams{})
		if took := time.Since(begun); err != nil || took != examineLimit {
			t.Fatalf("%v, in %v", err, took)
		}
		for _, s := range r.Servers {
			if dead := s.Server.Name != "z"; dead != (s.Search == nil) {
				t.Errorf("%s: %+v", s.Server.Name, s.Search)
			}
		}
		begun = time.Now()
		if r, err = w.c.Doctor(t.Context(), &rpc.DoctorParams{Server: "z"}); err != nil || r.Servers[0].Search == nil || time.Since(begun) != 0 {
			t.Errorf("%+v, %v, in %v", r, err, time.Since(begun))
		}
	})
}

func TestDoctorWaitsForADiscovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{tools: []string{"x"}})}})
		w.open()
		defer w.close()
		if _, err := w.c.Doctor(t.Context(), &rpc.DoctorParams{}); !errors.Is(err, &rpc.Error{Code: rpc.CodeNotInitialized}) {
			t.Errorf("before initialize: %v", err)
		}
		w.initialize(rpc.Settings{})
		if _, err := w.c.Configure(t.Context(), &rpc.ConfigureParams{Settings: &rpc.Settings{Servers: map[string]json.RawMessage{
			"off": json.RawMessage(`{"command":"off","enabled":false}`),
		}}}); err != nil {
			t.Fatal(err)
		}
		r, err := w.c.Doctor(t.Context(), &rpc.DoctorParams{})
		if err != nil || len(r.Servers) != 1 || r.Servers[0].Server.Name != "off" {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// A project's server runs in its project, also when the session does not.
func TestDoctorLooksForACommandWhereItWouldRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{"a": {dial: always(plan{tools: []string{"x"}})}})
		project := t.TempDir()
		if err := os.WriteFile(filepath.Join(project, ".mcp.json"), []byte(`{"mcpServers": {"a": {"command": "a", "env": {"PATH": "tools"}}}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		w.open()
		defer w.close()
		wait, err := w.c.Initialize(t.Context(), &rpc.InitializeParams{
			ProtocolVersion: 1, Cwd: w.cwd, WorkspaceFolders: []rpc.WorkspaceFolder{{URI: "file://" + project}},
			Settings: &rpc.Settings{Trust: &rpc.TrustSettings{Project: rpc.TrustAllow}},
		})
		if err != nil {
			t.Fatal(err)
		}
		w.initialized(wait)
		r, err := w.c.Doctor(t.Context(), &rpc.DoctorParams{})
		if err != nil || len(r.Servers) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		s := w.servers["a"]
		if want := filepath.Join(project, "tools", "a"); r.Servers[0].Search.Found != want || s.spec.Dir != project {
			t.Errorf("found %s, want %s; it runs in %s", r.Servers[0].Search.Found, want, s.spec.Dir)
		}
	})
}

func TestWhatBecomesOfEveryDefinitionIsSaid(t *testing.T) {
	found := &config.Result{
		Entries: []config.Entry{
			{Name: "a", Provider: "p", Path: "/1", Line: 1, Column: 2},
			{Name: "b", Provider: "p", Path: "/1", Aliases: []config.Alias{{Name: "c", Path: "/2", Line: 3}}},
			{Name: "m", Provider: "q", Path: "/1", Parts: []string{"/2"}},
			{Name: "n", Provider: "q", Path: "/1"},
			{Name: "h", Provider: "host"},
		},
		Files: []config.File{
			{Path: "/1", Provider: "p", State: config.FileRead, Entries: []string{"a", "b", "a"}},
			{Path: "/2", Provider: "q", State: config.FileRead, Entries: []string{"a", "c", "m", "n", "exa", "h"}},
			{Path: "/3", State: config.FileBroken, Why: "broken"},
		},
		LeftOut: []config.File{{Path: "/4", State: config.FileSkipped, Why: "left out"}},
		Lost: []config.Lost{
			{Name: "a", Origin: config.Origin{Provider: "p", Path: "/1", Line: 9}, To: config.Origin{Path: "/1"}},
			{Name: "a", Origin: config.Origin{Provider: "q", Path: "/2"}, To: config.Origin{Path: "/1"}},
			{Name: "h", Origin: config.Origin{Provider: "q", Path: "/2"}},
		},
	}
	var got []string
	for _, f := range filesOf(found) {
		var line strings.Builder
		line.WriteString(f.Path + " " + string(f.State) + " " + f.Why)
		for _, d := range f.Servers {
			line.WriteString(";" + strings.Join([]string{d.Name, string(d.State), d.By}, " "))
		}
		got = append(got, line.String())
	}
	want := []string{
		"/1 read ;a counts ;b counts ;a shadowed /1",
		"/2 read ;a shadowed /1;c alias b;m merged ;n left-out ;exa left-out ;h shadowed settings.servers",
		"/3 broken broken", "/4 skipped left out",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if f := filesOf(found)[0]; f.Servers[0].Line != 1 || f.Servers[2].Line != 9 {
		t.Errorf("places: %+v", f.Servers)
	}
}

func TestEveryKindOfFailureHasALikelyFix(t *testing.T) {
	plainEntry, signed := &config.Entry{Command: "server"}, &config.Entry{Headers: map[string]string{"authorization": "x"}}
	for _, c := range []struct {
		entry *config.Entry
		code  transport.Code
		stage rpc.Stage
		hint  string
		want  string
	}{
		{&config.Entry{Command: "npxx"}, transport.CodeNotFound, rpc.StageSpawn, "install npxx", `did you mean "npx"? Else install npxx`},
		{&config.Entry{Command: "ndoe"}, transport.CodeNotFound, rpc.StageSpawn, "install it", `did you mean "node"?`},
		{&config.Entry{Command: "pyhton"}, transport.CodeNotFound, rpc.StageSpawn, "install it", `did you mean "python"?`},
		{plainEntry, transport.CodeNotFound, rpc.StageSpawn, "install server", "install server"},
		{&config.Entry{Command: "npx"}, transport.CodeNotFound, rpc.StageSpawn, "install Node.js", "install Node.js"},
		{plainEntry, transport.CodeSpawn, rpc.StageSpawn, "", "execute"},
		{plainEntry, transport.CodeSpawn, rpc.StageSpawn, "chmod +x", "chmod +x"},
		{plainEntry, transport.CodeExited, rpc.StageInitialize, "", "in a terminal"},
		{plainEntry, transport.CodeTimeout, rpc.StageInitialize, "", "more time"},
		{plainEntry, transport.CodeRefused, rpc.StageConnect, "", "port"},
		{plainEntry, transport.CodeHTTP, rpc.StageConnect, "", "check the URL"},
		{plainEntry, transport.CodeProtocol, rpc.StageInitialize, "", "MCP server"},
		{plainEntry, transport.CodeAuth, rpc.StageConnect, "a hint", "give it a token"},
		{signed, transport.CodeAuth, rpc.StageConnect, "", "renew"},
		{plainEntry, transport.CodeClosed, rpc.StageTransport, "", "connect it again"},
		{plainEntry, transport.CodeTooLarge, rpc.StageList, "", "list less"},
		{plainEntry, "config", rpc.StageConfig, "", "correct the entry"},
		{plainEntry, "internal", rpc.StageTransport, "", "log"},
	} {
		got := fixOf(c.entry, &rpc.ServerError{Code: string(c.code), Stage: c.stage, Hint: c.hint})
		if !strings.Contains(got, c.want) {
			t.Errorf("%s, %q: %q, want %q", c.code, c.hint, got, c.want)
		}
	}
}

func TestAServerHasOneFindingForOneCause(t *testing.T) {
	failed := &rpc.ServerError{Code: "exited", Message: "it ended", Stderr: []string{"first", "last"}}
	source := rpc.Source{Path: "/f", Line: 3, Column: 4}
	for _, c := range []struct {
		name      string
		x         examined
		variables []rpc.Variable
		want      []string
	}{
		{"fine", examined{rec: rpc.Server{Phase: rpc.PhaseReady}}, nil, nil},
		{"disabled", examined{rec: rpc.Server{Phase: rpc.PhaseDisabled}}, nil, nil},
		{"invalid", examined{rec: rpc.Server{Phase: rpc.PhaseInvalid, Error: failed}}, nil, nil},
		{"untrusted", examined{rec: rpc.Server{Phase: rpc.PhaseUntrusted, Error: untrusted(&config.Entry{Name: "s"})}}, nil, []string{
			`warning: server "s" is not trusted: it is from a file of the project / trust allow s`,
		}},
		{"failed", examined{rec: rpc.Server{Phase: rpc.PhaseFailed, Error: failed}}, nil, []string{
			`error: it ended; its last line on stderr: "last"`,
		}},
		{
			"unset",
			examined{rec: rpc.Server{Name: "s", Phase: rpc.PhaseReady}, warnings: []string{"A is not set", "B is not set"}},
			[]rpc.Variable{{Name: "A"}, {Name: "B"}, {Name: "C", Set: true}},
			[]string{`warning: server "s": A is not set; B is not set / set A, B in`},
		},
		{
			"failed and unset",
			examined{rec: rpc.Server{Phase: rpc.PhaseFailed, Error: &rpc.ServerError{Message: "no URL; A is not set"}}, warnings: []string{"A is not set", "B"}},
			[]rpc.Variable{{Name: "A"}},
			[]string{`error: no URL; A is not set; B / set A in`},
		},
		{"filtered", examined{rec: rpc.Server{Name: "s", Phase: rpc.PhaseReady}, filtered: "none is left"}, nil, []string{
			`warning: server "s": none is left / the filter`,
		}},
		{"odd", examined{rec: rpc.Server{Name: "s", Phase: rpc.PhaseReady}, issues: []string{"x", "y", "z"}}, nil, []string{
			`warning: server "s": its list of tools is odd: x (and 2 more)`,
		}},
	} {
		c.x.entry, c.x.rec.Source = &config.Entry{}, source
		found := c.x.findings(c.variables)
		ok := len(found) == len(c.want)
		for i := 0; ok && i < len(found); i++ {
			message, fix, _ := strings.Cut(c.want[i], " / ")
			f := found[i]
			ok = message == string(f.Severity)+": "+f.Message && strings.Contains(f.Fix, fix) && f.Fix != "" && f.Path == "/f" && f.Line == 3 && f.Column == 4
		}
		if !ok {
			t.Errorf("%s: %+v, want %q", c.name, found, c.want)
		}
	}
}

func TestFindingsAreErrorsFirstThenByPlace(t *testing.T) {
	ex := &examination{
		cwd:     "/cwd",
		unknown: []rpc.Diagnostic{{Path: "settings", Severity: rpc.SeverityWarning, Error: "unknown key"}},
		found: config.Result{
			Hard: errors.New("cwd /cwd: gone"),
			Diagnostics: []config.Diagnostic{
				{Path: "/b", Line: 2, Warning: true, Message: "odd"},
				{Path: "/b", Line: 1, Warning: true, Message: "odd", Fix: "fix"},
				{Path: "/b", Server: "s", Message: "wrong"},
				{Path: "/a", Message: "broken"},
				{Path: "mcp:h", Server: "h", Message: "wrong"},
			},
			Lost: []config.Lost{
				{Name: "l", Origin: config.Origin{Path: "/a"}, To: config.Origin{Path: "/b", Line: 1, Column: 2}},
				{Name: "l", Origin: config.Origin{Path: "/c"}, Same: true},
			},
		},
	}
	var got []string
	for _, f := range ex.findings(nil) {
		if f.Fix == "" {
			t.Errorf("no fix: %+v", f)
		}
		got = append(got, string(f.Severity)+" "+f.Path+" "+f.Server+" "+f.Message)
	}
	want := []string{
		"error  h wrong", "error /a  broken", "error /b s wrong", "error /cwd  cwd /cwd: gone",
		`warning /a l server "l" of this file does not count: /b:1:2 has another one of that name, and comes first`,
		"warning /b  odd", "warning /b  odd", "warning settings  unknown key",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", cmp.Diff(want, got))
	}
}
