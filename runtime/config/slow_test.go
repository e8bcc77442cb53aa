package config

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// hanging reads files but those whose path ends in suffix: these hang until
// release is closed.
func hanging(suffix string, release <-chan struct{}) opener {
	return func(path string) ([]byte, fs.FileInfo, error) {
		if strings.HasSuffix(path, suffix) {
			<-release
		}
		return readFile(path)
	}
}

func TestAFileThatIsNotReadInTimeIsOneDiagnosticAndTheRestCounts(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/.claude.json", []byte(`{"mcpServers": {"mine": {"command": "m"}}}`))
	m.write(t, "home/project/.mcp.json", []byte(`{"mcpServers": {"theirs": {"command": "t"}}}`))
	good := m.discover(t)
	for _, c := range []struct {
		name     string
		previous *Result
		want     []string
	}{
		{"never read before", nil, []string{"theirs"}},
		{"read before", &good, []string{"mine", "theirs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release) // lets the abandoned reader end
				o := m.opts
				o.Previous = c.previous
				began := time.Now()
				r := discover(t.Context(), o, providers(), hanging("/home/.claude.json", release))
				if took := time.Since(began); took != discoveryLimit {
					t.Errorf("it took %s", took)
				}
				var names []string
				for i := range r.Entries {
					names = append(names, r.Entries[i].Name)
				}
				if slices.Sort(names); r.Hard != nil || !slices.Equal(names, c.want) {
					t.Errorf("hard %v, servers %v, want %v", r.Hard, names, c.want)
				}
				if len(r.Diagnostics) != 1 || r.Diagnostics[0].Path != m.path("home/.claude.json") ||
					r.Diagnostics[0].Message != "not read within 5 s" || r.Diagnostics[0].Warning {
					t.Errorf("diagnostics %+v", r.Diagnostics)
				}
			})
		})
	}
}

func TestAProjectFileOfAnotherUserStaysForeignWhenItIsLate(t *testing.T) {
	m := newMachine(t)
	path := m.path("home/project/.mcp.json")
	before := Result{good: map[string]loaded{path: {real: path, foreign: true, text: []byte(`{"mcpServers": {"theirs": {"command": "t"}}}`)}}}
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		o := m.opts
		o.Previous = &before
		if r := discover(t.Context(), o, providers(), hanging("/.mcp.json", release)); len(r.Entries) != 0 {
			t.Error(m.render(r))
		}
	})
}

func TestDiscoverDoesNotWaitForAReadWhenItsContextEnds(t *testing.T) {
	m := newMachine(t)
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		r := discover(ctx, m.opts, providers(), hanging(".json", release))
		if took := time.Since(began); took != time.Second || !errors.Is(r.Hard, context.DeadlineExceeded) || r.Entries != nil {
			t.Errorf("after %s: hard %v, entries %v", took, r.Hard, r.Entries)
		}
	})
}

func TestAPlaceThatCannotBeFoundInTimeFailsDiscoveryInTime(t *testing.T) {
	m := newMachine(t)
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		began := time.Now()
		r := discover(t.Context(), m.opts, []provider{{id: "p", name: "P", places: func(*site) []place { <-release; return nil }}}, readFile)
		if took := time.Since(began); took != discoveryLimit || r.Hard == nil || !strings.Contains(r.Hard.Error(), "not read within 5 s") {
			t.Errorf("after %s: %v", took, r.Hard)
		}
	})
}

func TestExpandDoesNotWaitForAReadWhenItsContextEnds(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/project/.env", []byte("A=1"))
	gaveUp := errors.New("gave up")
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, gaveUp)
		defer cancel()
		began := time.Now()
		e := &Entry{Kind: "stdio", Command: "c", EnvFile: m.path("home/project/.env")}
		_, err := e.expand(ctx, Expander{}, hanging("/.env", release))
		if took := time.Since(began); took != time.Second || !errors.Is(err, gaveUp) {
			t.Errorf("after %s: %v", took, err)
		}
		if e.canRead(ctx, Expander{}, e.EnvFile, hanging("/.env", release)) {
			t.Error("it can be read")
		}
	})
}
