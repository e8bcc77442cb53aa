package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden texts instead of comparing with them")

// machine is a home directory and a project, with nothing of the real ones.
type machine struct {
	root string
	env  map[string]string
	opts Options
}

// newMachine has home/project as the project, which is a repository.
func newMachine(t testing.TB) *machine {
	t.Helper()
	// Of one length everywhere, since files that hold it have golden columns.
	const rootLength = 180
	root := resolved(t.TempDir()) + string(filepath.Separator)
	root += strings.Repeat("r", rootLength-len(root))
	m := &machine{root: root, env: map[string]string{}}
	m.mkdir(t, "home/project/.git")
	m.opts = Options{
		Cwd:           filepath.Join(root, "home", "project"),
		Home:          filepath.Join(root, "home"),
		ProjectConfig: true,
		FilterExa:     true,
		Getenv: func(name string) (string, bool) {
			v, ok := m.env[name]
			return v, ok
		},
	}
	return m
}

func (m *machine) path(name string) string { return filepath.Join(m.root, filepath.FromSlash(name)) }

func (m *machine) mkdir(t testing.TB, name string) {
	t.Helper()
	if err := os.MkdirAll(m.path(name), 0o700); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) write(t testing.TB, name string, data []byte) {
	t.Helper()
	m.mkdir(t, filepath.Dir(name))
	if err := os.WriteFile(m.path(name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) discover(t testing.TB) Result {
	t.Helper()
	if goruntime.GOOS != "linux" {
		t.Skip("the texts have the paths of Linux")
	}
	return Discover(t.Context(), m.opts)
}

// render is a Result as text, one thing a line, with $ for the machine's root.
func (m *machine) render(r Result) string {
	var b strings.Builder
	if r.Hard != nil {
		fmt.Fprintf(&b, "hard: %v\n", r.Hard)
	}
	for i := range r.Entries {
		renderEntry(&b, &r.Entries[i])
	}
	for _, d := range r.Diagnostics {
		severity := "error"
		if d.Warning {
			severity = "warning"
		}
		fmt.Fprintf(&b, "%s %s:%d:%d %s [%s] %s\n", severity, d.Path, d.Line, d.Column, d.Pointer, d.Server, d.Message)
	}
	for _, key := range r.ExaKeys {
		fmt.Fprintf(&b, "exa key %s\n", key)
	}
	for _, f := range r.Files {
		if f.State != FileAbsent {
			fmt.Fprintf(&b, "file %s %s %s %s %v\n", f.Path, f.Provider, f.Level, f.State, f.Entries)
		}
	}
	pointer := strings.ReplaceAll(m.root, "/", "~1")
	return strings.NewReplacer(m.root, "$", pointer, "$").Replace(b.String())
}

func renderEntry(b *strings.Builder, e *Entry) {
	fmt.Fprintf(b, "%s: %s %s %q %s:%d:%d", e.Name, e.Level, e.Provider, e.ProviderName, e.Path, e.Line, e.Column)
	for _, alias := range e.Aliases {
		fmt.Fprintf(b, " alias=%s@%s", alias.Name, alias.Path)
	}
	if e.Disabled {
		b.WriteString(" disabled")
	}
	if e.OffIn != "" {
		b.WriteString(" in " + e.OffIn)
	}
	if e.Invalid != "" {
		fmt.Fprintf(b, " invalid=%q at %s", e.Invalid, e.InvalidPointer)
	}
	fmt.Fprintf(b, "\n  %s", e.Kind)
	show := func(name string, value any, given bool) {
		if given {
			text, _ := json.Marshal(value)
			fmt.Fprintf(b, " %s=%s", name, text)
		}
	}
	show("command", e.Command, e.Command != "")
	show("args", e.Args, e.Args != nil)
	show("env", e.Env, e.Env != nil)
	show("unset", e.UnsetEnv, e.UnsetEnv != nil)
	show("envFile", e.EnvFile, e.EnvFile != "")
	show("cwd", e.Cwd, e.Cwd != "")
	show("url", e.URL, e.URL != "")
	show("headers", e.Headers, e.Headers != nil)
	show("envHeaders", e.EnvHeaders, e.EnvHeaders != nil)
	show("tokenVariable", e.TokenVariable, e.TokenVariable != "")
	show("timeout", e.Timeout.String(), e.Timeout != 0)
	show("callTimeout", e.CallTimeout.String(), e.CallTimeout != 0)
	show("include", e.Include, e.Include != nil)
	show("exclude", e.Exclude, e.Exclude != nil)
	show("auth", e.Auth, e.Auth != nil)
	show("inputs", e.Inputs, e.Inputs != nil)
	fmt.Fprintf(b, " base=%s\n", e.base)
}

// section is one part of a case: "-- name --" and what follows.
type section struct {
	name string
	data []byte
}

func sections(data []byte) (comment []byte, parts []section) {
	for line := range bytes.Lines(data) {
		name, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("-- "))
		name, closed := bytes.CutSuffix(name, []byte(" --"))
		switch {
		case ok && closed:
			parts = append(parts, section{name: string(name)})
		case len(parts) == 0:
			comment = append(comment, line...)
		default:
			last := &parts[len(parts)-1]
			last.data = append(last.data, line...)
		}
	}
	return comment, parts
}

// Each case in testdata/discover has files (home/…, home/project/…), the
// options as JSON with $ for the root, the environment, and what Discover makes
// of them.
func TestDiscoverGivesTheGoldenText(t *testing.T) {
	cases, err := filepath.Glob("testdata/discover/*.txt")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			comment, parts := sections(data)
			m := newMachine(t)
			want := ""
			for i, p := range parts {
				switch p.name {
				case "want":
					want, parts = string(p.data), parts[:i]
				case "options", "env":
					into := map[string]any{"options": &m.opts, "env": &m.env}[p.name]
					if err := json.Unmarshal(bytes.ReplaceAll(p.data, []byte("$/"), []byte(m.root+"/")), into); err != nil {
						t.Fatalf("%s: %v", p.name, err)
					}
				default:
					m.write(t, p.name, bytes.ReplaceAll(p.data, []byte("$/"), []byte(m.root+"/")))
				}
			}
			got := m.render(m.discover(t))
			if again := m.render(m.discover(t)); again != got {
				t.Errorf("a second discovery differs:\n%s", cmp.Diff(got, again))
			}
			if *update {
				writeCase(t, file, comment, append(parts, section{"want", []byte(got)}))
				return
			}
			if got != want {
				t.Errorf("got other than the golden text (-want +got):\n%s", cmp.Diff(want, got))
			}
		})
	}
}

func writeCase(t *testing.T, file string, comment []byte, parts []section) {
	t.Helper()
	out := bytes.Clone(comment)
	for _, p := range parts {
		out = fmt.Appendf(out, "-- %s --\n%s", p.name, p.data)
	}
	if err := os.WriteFile(file, out, 0o600); err != nil {
		t.Fatal(err)
	}
}

func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got other than %s (-want +got):\n%s", file, cmp.Diff(string(want), got))
	}
}
