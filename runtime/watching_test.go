package runtime

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/watch"
)

// watchWorld runs servers a, b and c from the project's file.
func watchWorld(t *testing.T, s rpc.Settings) *world {
	t.Helper()
	w := trustWorld(t)
	w.write(".mcp.json", threeServers)
	w.open()
	w.discoverFiles(s)
	w.take()
	w.files.passes()
	return w
}

// changes writes the project's file as an editor does, and waits until that has
// had its effect.
func (w *world) changes(text string) {
	w.write(".mcp.json", text)
	w.files.changed()
	time.Sleep(time.Second)
}

func TestAChangeOfAFileRestartsWhatChangedAndNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watchWorld(t, rpc.Settings{})
		defer w.close()
		w.changes(`{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b", "args": ["new"]}}}`)
		w.expect(w.take("removed", "changed", "a ", "b ready"),
			"300ms c removed", "300ms b ready 1 live", "300ms changed by reload: a/x live, b/y live")
		if a, b := w.dialed("a"), w.dialed("b"); a != 1 || b != 2 {
			t.Errorf("a was started %d times, b %d times", a, b)
		}
	})
}

func TestAChangeOfTheWordingRestartsNothing(t *testing.T) {
	texts := []string{
		"// a comment\n" + threeServers,
		`{"other": 1, "mcpServers": {"c": {"command": "c"}, "b": {"type": "stdio", "args": [], "command": "b"}, "a": {"command": "a", "description": "x"}}}`,
		`{"mcpServers": {"a": {"command": "a", "timeout": 5}, "b": {"command": "b", "tools": {"include": ["*"]}}, "c": {"command": "c", "callTimeout": 5}}}`,
	}
	for i, text := range texts {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := watchWorld(t, rpc.Settings{})
				defer w.close()
				w.changes(text)
				w.expect(w.take("changed", "starting", "removed"))
				for _, name := range []string{"a", "b", "c"} {
					if n := w.dialed(name); n != 1 {
						t.Errorf("%s was started %d times", name, n)
					}
				}
			})
		})
	}
}

func TestABurstOfChangesIsReadWhenItIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watchWorld(t, rpc.Settings{})
		defer w.close()
		for range 50 {
			w.files.changed()
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Minute)
		if n := w.files.passes(); n != 1 {
			t.Errorf("the files were read %d times", n)
		}
	})
}

func TestChangesThatNeverCeaseAreReadAllTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watchWorld(t, rpc.Settings{})
		defer w.close()
		for range 100 {
			w.files.changed()
			time.Sleep(100 * time.Millisecond)
		}
		if n := w.files.passes(); n < 4 || n > 5 {
			t.Errorf("in 10 s the files were read %d times", n)
		}
	})
}

func TestABrokenFileKeepsWhatRunsAndIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watchWorld(t, rpc.Settings{})
		defer w.close()
		w.changes(threeServers[:len(threeServers)/2])
		if e := w.m.Snapshot().Errors; len(e) != 1 || e[0].Path != filepath.Join(w.cwd, ".mcp.json") || e[0].Line != 1 {
			t.Errorf("errors: %+v", e)
		}
		w.changes(threeServers)
		if e := w.m.Snapshot().Errors; len(e) != 0 {
			t.Errorf("errors: %+v", e)
		}
		w.expect(w.take("changed", "starting", "removed", "ready"))
	})
}

func TestWatchFalseWatchesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watchWorld(t, rpc.Settings{Discovery: &rpc.DiscoverySettings{Watch: new(false)}})
		defer w.close()
		if w.files.tell != nil {
			t.Fatal("something watches")
		}
		configure := func(on bool) { w.configured(rpc.Settings{Discovery: &rpc.DiscoverySettings{Watch: new(on)}}) }
		configure(true)
		if !slices.ContainsFunc(w.files.paths, func(p watch.Path) bool { return p.Path == filepath.Join(w.cwd, ".mcp.json") }) {
			t.Errorf("watched: %v", w.files.paths)
		}
		w.files.changed()
		configure(false)
		w.files.passes()
		time.Sleep(time.Minute)
		if n := w.files.passes(); n != 0 || len(w.files.paths) != 0 {
			t.Errorf("the files were read %d times; watched: %v", n, w.files.paths)
		}
	})
}

// Without the working directory a discovery does not know on what it depends.
func TestADiscoveryThatFailsLeavesTheWatchAsItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watchWorld(t, rpc.Settings{})
		defer w.close()
		before := w.files.paths
		away := filepath.Join(w.home, "away")
		if err := os.Rename(w.cwd, away); err != nil {
			t.Fatal(err)
		}
		w.files.changed()
		time.Sleep(time.Minute)
		if e := w.m.Snapshot().Errors; len(e) != 1 || !slices.Equal(w.files.paths, before) {
			t.Errorf("errors %+v, watched %v", e, w.files.paths)
		}
		if err := os.Rename(away, w.cwd); err != nil {
			t.Fatal(err)
		}
		w.files.changed()
		time.Sleep(time.Minute)
		if e := w.m.Snapshot().Errors; len(e) != 0 {
			t.Errorf("errors %+v", e)
		}
	})
}

// A host that waits for initialize is not kept waiting by changes.
func TestAChangeDuringAnInitializeIsPartOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.servers["a"].dial = always(plan{after: 10 * time.Second, tools: []string{"x"}})
		w.write(".mcp.json", `{"mcpServers": {"a": {"command": "a"}}}`)
		w.open()
		defer w.close()
		go func() {
			time.Sleep(time.Second)
			w.changes(`{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}}`)
		}()
		w.discoverFiles(rpc.Settings{})
		w.expect(w.take("initialized", "changed"), "10s initialized revision 1: a/x live, b/y live")
	})
}

// running calls a tool that takes long, and has something else happen after a
// second. It gives the call's result, when it came, and what was noted then.
func (w *world) running(server, tool string, meanwhile func()) string {
	done := make(chan string)
	go func() {
		r, err := w.c.Call(w.t.Context(), &rpc.CallParams{Server: server, Tool: tool})
		if err != nil {
			done <- err.Error()
			return
		}
		done <- fmt.Sprintf("%v %s", time.Since(w.start), r.Result)
	}()
	time.Sleep(time.Second)
	meanwhile()
	return <-done
}

func TestACallIsNotCutShortByAChange(t *testing.T) {
	for _, c := range []struct {
		server, want string
		dials        int
	}{{"a", "20s answered", 1}, {"b", "20s answered", 2}} {
		synctest.Test(t, func(t *testing.T) {
			w := trustWorld(t)
			w.servers[c.server].dial = always(plan{tools: []string{"x"}, call: answerAfter(20 * time.Second)})
			w.write(".mcp.json", threeServers)
			w.open()
			defer w.close()
			w.discoverFiles(rpc.Settings{})
			got := w.running(c.server, "x", func() {
				w.changes(strings.Replace(threeServers, `"b"}`, `"b", "args": ["new"]}`, 1))
				// One that comes meanwhile waits for the server as it is now.
				go func() { w.note("%s", w.running("b", w.toolOf("b"), func() {})) }()
			})
			if !strings.Contains(got, "answered") || !strings.HasPrefix(got, "20s") {
				t.Errorf("%s: %s", c.server, got)
			}
			time.Sleep(time.Minute)
			if n := w.dialed(c.server); n != c.dials {
				t.Errorf("%s was started %d times", c.server, n)
			}
			if w.arguments("b") != "new" {
				t.Errorf("b runs with %q", w.arguments("b"))
			}
		})
	}
}

func (w *world) toolOf(server string) string {
	s := w.servers[server]
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dial(1).tools[0]
}

func TestAServerThatChangedWaitsForItsCallsOnlySoLong(t *testing.T) {
	hangs := func(w *world) {
		w.servers["b"].dial = always(plan{tools: []string{"y"}, call: unanswered})
	}
	change := func(w *world) { w.changes(strings.Replace(threeServers, `"b"}`, `"b", "args": ["new"]}`, 1)) }
	again := func(w *world) { w.changes(strings.Replace(threeServers, `"b"}`, `"b", "args": ["newer"]}`, 1)) }
	cases := []struct {
		name      string
		meanwhile func(*world)
		want      string
	}{
		{"for its time", change, "31.3s"},
		{"until it is to be disconnected", func(w *world) {
			change(w)
			if _, err := w.c.Disconnect(w.t.Context(), &rpc.DisconnectParams{Server: "b"}); err != nil {
				w.t.Error(err)
			}
		}, "2s"},
		{"until it is to be disconnected, having changed twice", func(w *world) {
			change(w)
			w.changes(strings.Replace(threeServers, `"b"}`, `"b", "args": ["newer"]}`, 1))
			if _, err := w.c.Disconnect(w.t.Context(), &rpc.DisconnectParams{Server: "b"}); err != nil {
				w.t.Error(err)
			}
		}, "3s"},
		{"until a full reload", func(w *world) { change(w); w.reloaded(rpc.ReloadFull) }, "2s"},
		{"until it is to be restarted", func(w *world) {
			change(w)
			if _, err := w.c.Connect(w.t.Context(), &rpc.ConnectParams{Server: "b", Restart: true}); err != nil {
				w.t.Error(err)
			}
		}, "2s"},
		{"until its session ends", func(w *world) { change(w); w.servers["b"].session().die() }, "2s"},
		{"until it is switched off", func(w *world) {
			change(w)
			w.changes(strings.Replace(threeServers, `"b"}`, `"b", "enabled": false}`, 1))
		}, "2.3s"},
		{"until it is gone", func(w *world) {
			change(w)
			w.changes(`{"mcpServers": {}}`)
		}, "2.3s"},
		{"until the end", func(w *world) { change(w); w.m.Close() }, "2s"},
		{"for its time, however often it changes", func(w *world) { change(w); again(w) }, "31.3s"},
		{"until it is to be disconnected, having changed again", func(w *world) {
			change(w)
			again(w)
			if _, err := w.c.Disconnect(w.t.Context(), &rpc.DisconnectParams{Server: "b"}); err != nil {
				w.t.Error(err)
			}
		}, "3s"},
		{"until the end, having changed again", func(w *world) { change(w); again(w); w.m.Close() }, "3s"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := trustWorld(t)
				hangs(w)
				w.write(".mcp.json", threeServers)
				w.open()
				defer w.close()
				w.discoverFiles(rpc.Settings{})
				got := w.running("b", "y", func() { c.meanwhile(w) })
				if !strings.HasPrefix(got, c.want+" ") || !strings.Contains(got, "isError") {
					t.Errorf("the call ended: %s; want at %s", got, c.want)
				}
			})
		})
	}
}

// What has left its file and comes back waits for what is left of it.
func TestAServerThatComesBackDoesNotRunTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.servers["b"].dial = always(plan{tools: []string{"y"}, lingers: 5 * time.Second})
		w.write(".mcp.json", threeServers)
		w.open()
		defer w.close() // says if two sessions were open at once
		w.discoverFiles(rpc.Settings{})
		w.changes(`{"mcpServers": {}}`)
		w.changes(threeServers)
		time.Sleep(time.Minute)
		if n := w.dialed("b"); n != 2 {
			t.Errorf("b was started %d times", n)
		}
	})
}

func TestAConfigureDoesNotWaitForCallsThatAServerHasToEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := trustWorld(t)
		w.servers["b"].dial = always(plan{tools: []string{"y"}, call: unanswered})
		w.write(".mcp.json", threeServers)
		w.open()
		defer w.close()
		w.discoverFiles(rpc.Settings{})
		w.take()
		w.running("b", "y", func() {
			w.changes(strings.Replace(threeServers, `"b"}`, `"b", "args": ["new"]}`, 1))
			w.configured(rpc.Settings{Disabled: []string{"c/z"}})
			w.note("configured")
		})
		w.expect(w.take("configured", "b ready 1 live"), "2.25s configured", "31.3s b ready 1 live")
	})
}

// concluding is a host that counts the rounds whose answers it is told of.
type concluding struct {
	*world
	rounds int
}

func (c *concluding) Publish(u rpc.Update) {
	if u.Concludes {
		c.rounds++
	}
}

// A configure that has just been announced is no answer to a changed file: what
// is told meanwhile is not to wait for it.
func TestAChangeOfAFileConcludesNothingThatIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watchWorld(t, rpc.Settings{})
		defer w.close()
		host := &concluding{world: w}
		w.m.Join(host)
		w.changes(`{"mcpServers": {"a": {"command": "a"}}}`)
		w.expect(w.take("changed"), "300ms changed by reload: a/x live")
		if host.rounds != 0 {
			t.Error("the change was told as an answer")
		}
		w.configured(rpc.Settings{Disabled: []string{"a"}})
		if host.rounds != 1 {
			t.Errorf("%d answers to one configure", host.rounds)
		}
	})
}
