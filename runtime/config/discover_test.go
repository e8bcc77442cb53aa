package config

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestL06DiscoveryFailsAsAWholeOnlyForTheWorkingDirectoryOrAPanic(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/project/.mcp.json", []byte(`{"mcpServers": {"a": {"command": "a"}}}`))
	good := []provider{{id: "good", name: "Good", places: func(s *site) []place {
		return s.inProject(projectFile{path: ".mcp.json", dialect: nativeDialect(), read: readMCPServers})
	}}}
	panics := func(p place) []provider {
		return append(slices.Clone(good), provider{id: "bad", name: "Bad", places: func(*site) []place { return []place{p} }})
	}
	file := m.path("home/project/.mcp.json")
	cases := []struct {
		name  string
		cwd   string
		table []provider
		want  string // of the error; "" for none
	}{
		{"all well", m.opts.Cwd, good, ""},
		{"missing", m.path("nowhere"), good, "no such file"},
		{"a file", file, good, "not a directory"},
		{"relative", "project", good, "absolute"},
		{"none", "", good, "absolute"},
		{"a reader panics", m.opts.Cwd, panics(place{
			path: m.path("home/project/.git"), level: User, dialect: nativeDialect(), parse: parseJSONC,
			read: func(*reading) { panic("not for a directory") },
		}), ""},
		{"a reader panics on its file", m.opts.Cwd, panics(place{
			path: file, level: User, dialect: nativeDialect(), parse: parseJSONC,
			read: func(*reading) { panic("the reader's text") },
		}), "the reader's text"},
		{"a parser panics", m.opts.Cwd, panics(place{
			path: file + "x", level: User, dialect: nativeDialect(),
			parse: func(*document, []byte) (*node, *syntaxError) { panic("the parser's text") },
		}), "the parser's text"},
		{"locating panics", m.opts.Cwd, []provider{{id: "bad", name: "Bad", places: func(*site) []place { panic("the locator's text") }}}, "the locator's text"},
	}
	m.write(t, "home/project/.mcp.jsonx", []byte(`{}`))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := m.opts
			o.Cwd = c.cwd
			r := discover(t.Context(), o, c.table, readFile)
			if c.want == "" {
				if r.Hard != nil || len(r.Entries) != 1 {
					t.Errorf("hard %v, entries %v", r.Hard, r.Entries)
				}
				return
			}
			if r.Hard == nil || !strings.Contains(r.Hard.Error(), c.want) || r.Entries != nil {
				t.Errorf("hard %v, entries %v; want an error with %q", r.Hard, r.Entries, c.want)
			}
			var panicked *PanicError
			if strings.Contains(c.want, "text") && (!errors.As(r.Hard, &panicked) || len(panicked.Stack) == 0) {
				t.Errorf("no stack in %#v", r.Hard)
			}
		})
	}
}

func TestDiscoverEndsWithItsContext(t *testing.T) {
	m := newMachine(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := Discover(ctx, m.opts); !errors.Is(r.Hard, context.Canceled) || r.Entries != nil {
		t.Errorf("hard %v, entries %v", r.Hard, r.Entries)
	}
}

func TestABrokenFileGivesWhatItGaveBeforeUntilItIsWhole(t *testing.T) {
	m := newMachine(t)
	step := func(name, text string, want ...string) {
		t.Helper()
		if text != "" {
			m.write(t, "home/project/.mcp.json", []byte(text))
		}
		r := m.discover(t)
		var got []string
		for i := range r.Entries {
			got = append(got, r.Entries[i].Name+"="+r.Entries[i].Command)
		}
		for _, d := range r.Diagnostics {
			got = append(got, d.Message)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		m.opts.Previous = &r
	}
	const eof = "the file ends in the middle of a value"
	step("never good", `{"mcpServers": {"a": {`, eof)
	step("good, with a warning", `{"mcpServers": {"a": {"command": "a", "x": 1}}}`, "a=a", `unknown key "x": it has no effect`)
	step("half written", `{"mcpServers": {"a": {"comm`, "a=a", eof)
	step("still", "", "a=a", eof)
	step("truncated", " ", "a=a", "the file is empty: expected an object")
	step("whole again", `{"mcpServers": {"b": {"command": "b"}}}`, "b=b")
	m.write(t, "home/project/.mcp.json", []byte(`{`))
	step("broken", "", "b=b", eof)
	m.opts.Previous = nil
	step("broken, nothing remembered", "", eof)
}

func TestDeniedEntriesWereNeverThere(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/project/.mcp.json", []byte(`{"mcpServers": {"a": {"command": "project"}, "b": {"command": "same"}}}`))
	m.write(t, "home/.claude.json", []byte(`{"mcpServers": {"a": {"command": "user"}, "mine": {"command": "same"}}}`))
	m.opts.Denied = func(e *Entry) bool { return e.Level == Project }
	r := m.discover(t)
	var got []string
	for i := range r.Entries {
		got = append(got, r.Entries[i].Name+"="+r.Entries[i].Command)
	}
	if want := []string{"a=user", "mine=same"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestProjectDirsEndAtTheRepositoryAndBelowHome(t *testing.T) {
	cases := []struct {
		name string
		git  string // where .git is, "" for nowhere
		file bool   // .git is a file
		from string
		want []string
	}{
		{"in the root", "home/p", false, "home/p", []string{"home/p"}},
		{"below the root", "home/p", false, "home/p/a/b", []string{"home/p/a/b", "home/p/a", "home/p"}},
		{"a worktree", "home/p", true, "home/p/a", []string{"home/p/a", "home/p"}},
		{"no repository", "", false, "home/p/a", []string{"home/p/a"}},
		{"home is the repository", "home", false, "home/p/a", []string{"home/p/a", "home/p"}},
		{"home", "home", false, "home", nil},
		{"above home", "", false, ".", nil},
		{"a repository above home", ".", false, "home/p/a", []string{"home/p/a"}},
		{"beside home", "srv/p", false, "srv/p/a", []string{"srv/p/a", "srv/p"}},
		{"beside home, which is a repository", "home", false, "srv/p/a", []string{"srv/p/a"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root := resolved(t.TempDir())
			m := &machine{root: root}
			m.mkdir(t, "home")
			m.mkdir(t, c.from)
			switch {
			case c.file:
				m.write(t, c.git+"/.git", []byte("gitdir: elsewhere"))
			case c.git != "":
				m.mkdir(t, c.git+"/.git")
			}
			var got []string
			dirs, _ := projectDirs(m.path(c.from), m.path("home"))
			for _, dir := range dirs {
				rel, err := filepath.Rel(root, dir)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, filepath.ToSlash(rel))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// Wherever a repository may begin, the result depends on whether it does.
func TestARepositoryThatBeginsOrEndsIsADependency(t *testing.T) {
	m := newMachine(t)
	m.mkdir(t, "home/a/b")
	m.opts.Cwd = m.path("home/a/b")
	var all []Dependency
	m.opts.Before = func(d []Dependency) { all = d }
	for _, git := range []string{"", "home/a/.git", "home/.git"} {
		if git != "" {
			m.mkdir(t, git)
		}
		m.discover(t)
		for _, want := range []string{"home/a/b/.git", "home/a/.git", "home/.git"} {
			if git == "home/a/.git" && want == "home/.git" {
				continue // beyond the root
			}
			if !slices.Contains(all, Dependency{Path: m.path(want)}) {
				t.Errorf("with %q: %s is none", git, want)
			}
		}
		if git != "" {
			if err := os.Remove(m.path(git)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Decisions are remembered by names: one that cannot be must not count.
func TestAServerWithoutAProperNameDoesNotCount(t *testing.T) {
	m := newMachine(t)
	longest := strings.Repeat("x", maxName)
	m.write(t, "home/project/.mcp.json", []byte(`{"mcpServers": {"": {"command": "a"}, "`+longest+`y": {"command": "b"}, "`+longest+`": {"command": "c"}}}`))
	r := m.discover(t)
	if len(r.Entries) != 1 || r.Entries[0].Name != longest {
		t.Errorf("%d servers", len(r.Entries))
	}
	if len(r.Diagnostics) != 2 || r.Diagnostics[0].Warning || r.Diagnostics[1].Warning || len(r.Diagnostics[1].Message) > 100 {
		t.Errorf("%+v", r.Diagnostics)
	}
}

func TestUserFilesAreWhereEachSystemKeepsThem(t *testing.T) {
	home := filepath.FromSlash("/h")
	appData := filepath.FromSlash("/appdata")
	cases := []struct {
		name, os string
		env      map[string]string
		want     []string
	}{
		{"linux", "linux", nil, []string{"/h/.config/mcp-sidecar/mcp.json", "/h/.config/Code/User/mcp.json", "/h/.copilot/mcp-config.json"}},
		{"linux, XDG", "linux", map[string]string{"XDG_CONFIG_HOME": "/x"}, []string{"/x/mcp-sidecar/mcp.json", "/x/VSCodium/User/mcp.json"}},
		{"relative XDG", "linux", map[string]string{"XDG_CONFIG_HOME": "x"}, []string{"/h/.config/mcp-sidecar/mcp.json"}},
		{"darwin", "darwin", nil, []string{"/h/.config/mcp-sidecar/mcp.json", "/h/Library/Application Support/Code - Insiders/User/mcp.json"}},
		{"windows", "windows", map[string]string{"APPDATA": appData}, []string{"/appdata/Code/User/mcp.json"}},
		{"VS Code's server", "linux", nil, []string{"/h/.vscode-server/data/User/mcp.json", "/h/.vscode-remote/data/User/mcp.json"}},
		{"VS Code's own variables", "linux", map[string]string{"VSCODE_APPDATA": "/v", "VSCODE_AGENT_FOLDER": "/a"}, []string{
			"/v/Code/User/mcp.json", "/a/data/User/mcp.json",
		}},
		{"VS Code, portable", "linux", map[string]string{"VSCODE_PORTABLE": "/v"}, []string{"/v/user-data/User/mcp.json"}},
		{"Zed and Devin on linux", "linux", map[string]string{"XDG_CONFIG_HOME": "/x"}, []string{"/x/zed/settings.json", "/x/devin/mcp_config.json"}},
		{"Zed in a flatpak", "linux", map[string]string{"FLATPAK_XDG_CONFIG_HOME": "/f", "XDG_CONFIG_HOME": "/x"}, []string{"/f/zed/settings.json"}},
		{"Zed on darwin", "darwin", map[string]string{"XDG_CONFIG_HOME": "/x"}, []string{"/h/.config/zed/settings.json"}},
		{"Zed and Devin on windows", "windows", map[string]string{"APPDATA": appData}, []string{"/appdata/Zed/settings.json", "/appdata/devin/mcp_config.json"}},
		{"windows, no APPDATA", "windows", nil, []string{"/h/AppData/Roaming/Code/User/mcp.json"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := &site{os: c.os, opts: Options{Cwd: home, Home: home, Getenv: func(name string) (string, bool) {
				v, ok := c.env[name]
				return v, ok
			}}}
			var got []string
			for _, p := range providers() {
				for _, at := range p.places(s) {
					got = append(got, filepath.ToSlash(at.path))
				}
			}
			for _, want := range c.want {
				if !slices.Contains(got, want) {
					t.Errorf("%s is not among %v", want, got)
				}
			}
		})
	}
}

func TestEveryPlaceLookedAtIsToldForTheWatcher(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/project/.mcp.json", []byte(`{`))
	m.opts.Include = []string{"claude"}
	var got []string
	for _, f := range m.discover(t).Files {
		got = append(got, string(f.State)+" "+strings.TrimPrefix(f.Path, m.root+"/home/"))
	}
	want := []string{
		"absent .claude.json", "broken project/.mcp.json", "absent .claude/settings.json",
		"absent project/.claude/settings.local.json", "absent project/.claude/settings.json",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatIsReadTwiceIsToldOnceWithItsOwnFix(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/.claude.json", []byte(`{"projects": 1, "servers": {"a": {"command": "a"}}}`))
	m.opts.Files = []string{m.path("home/.claude.json")}
	var fixes []string
	for _, d := range m.discover(t).Diagnostics {
		fixes = append(fixes, d.Pointer+": "+d.Fix)
	}
	slices.Sort(fixes)
	want := []string{"/projects: ", `/servers: rename the key "servers" to "mcpServers"`}
	if diff := cmp.Diff(want, fixes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
