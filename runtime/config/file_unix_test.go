//go:build unix

package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWhatIsNoRegularFileIsRefusedAtOnce(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/.claude.json", []byte(`{"mcpServers": {"a": {"command": "a"}}}`))
	if err := syscall.Mkfifo(m.path("home/project/.mcp.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", m.path("home/project/mcp.json")); err != nil {
		t.Fatal(err)
	}
	r := m.discover(t)
	if len(r.Entries) != 1 || len(r.Diagnostics) != 2 {
		t.Fatal(m.render(r))
	}
	for _, d := range r.Diagnostics {
		if d.Message != "cannot be read: not a regular file" {
			t.Error(d.Message)
		}
	}
}

func TestAProjectFileOfAnotherUserIsSkipped(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	const other = 12345
	m := newMachine(t)
	m.write(t, "home/project/.mcp.json", []byte(`{"mcpServers": {"theirs": {"command": "t"}}}`))
	m.write(t, "home/project/mcp.json", []byte(`broken`))
	m.write(t, "home/.claude.json", []byte(`{"mcpServers": {"mine": {"command": "m"}}}`))
	for _, name := range []string{"home/project/.mcp.json", "home/project/mcp.json", "home/.claude.json"} {
		if err := os.Chown(m.path(name), other, other); err != nil {
			t.Fatal(err)
		}
	}
	got := m.render(m.discover(t))
	if !strings.Contains(got, "mine: user") || strings.Contains(got, "theirs") ||
		strings.Count(got, "belongs to another user: not read") != 2 || strings.Count(got, " skipped ") != 2 {
		t.Error(got)
	}
}

// A file that breaks gives what it held before, but not what another user had
// written: neither when the file system says no more whose it is, nor when a file
// of one's own has taken its place.
func TestABrokenProjectFileGivesNothingThatAnotherUserHadWritten(t *testing.T) {
	m := newMachine(t)
	path := m.path("home/project/.mcp.json")
	m.write(t, "home/project/.mcp.json", []byte(`{"mcpServers": `))
	for name, read := range map[string]opener{
		"not to be reached": func(string) ([]byte, fs.FileInfo, error) { return nil, nil, fs.ErrPermission },
		"replaced":          readFile,
	} {
		for _, foreign := range []bool{true, false} {
			before := Result{good: map[string]loaded{path: {real: path, foreign: foreign, text: []byte(`{"mcpServers": {"s": {"command": "c"}}}`)}}}
			o := m.opts
			o.Previous = &before
			r := discover(t.Context(), o, providers(), func(file string) ([]byte, fs.FileInfo, error) {
				if file != path {
					return nil, nil, fs.ErrNotExist
				}
				return read(file)
			})
			if foreign == (len(r.Entries) == 1) || len(r.Diagnostics) != 1 {
				t.Errorf("%s, foreign %v: %s", name, foreign, m.render(r))
			}
		}
	}
}

func TestAnUnreadableFileIsOneDiagnostic(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/project/.mcp.json", []byte(`{"mcpServers": {"a": {"command": "a"}}}`))
	path := m.path("home/project/.mcp.json")
	for dir := filepath.Dir(path); dir != resolved(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for mode, want := range map[os.FileMode]FileState{0o644: FileRead, 0: FileBroken} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		var f loaded
		asNobody(t, func() { f = loadFile(place{path: path, parse: parseJSONC}, nil, readFile) })
		if f.state != want {
			t.Errorf("mode %o: %s, want %s", mode, f.state, want)
		}
		if want == FileBroken && (f.problem == nil || f.problem.Message != "cannot be read: permission denied") {
			t.Errorf("mode %o: %+v", mode, f.problem)
		}
	}
}
