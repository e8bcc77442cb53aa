//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/conformance/control"
)

// binaries are the programs under test. TestMain sets them before any test
// runs.
var binaries struct{ sidecar, fake string }

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "mcp-sidecar-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := 1
	if err := buildAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func buildAll(dir string) (err error) {
	if err := os.Chmod(dir, 0o755); err != nil { // one test runs as somebody else
		return err
	}
	if binaries.sidecar, err = build(dir, "."); err != nil {
		return err
	}
	binaries.fake, err = build(dir, "../../conformance/fake")
	return err
}

func build(dir, pkg string) (string, error) {
	path := filepath.Join(dir, "built-"+filepath.Base(pkg))
	out, err := exec.CommandContext(context.Background(), "go", "build", "-o", path, pkg).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	return path, nil
}

// deadline bounds one test. It is no measure of anything: only what hangs
// reaches it.
const deadline = 60 * time.Second

// desk is where a user sits in one test: a home, a project, and a hub that fake
// servers report to. The test's goroutine owns it.
type desk struct {
	t    *testing.T
	ctx  context.Context //nolint:containedctx // the desk is the test's own goroutine's
	root string
	hub  *control.Hub
	env  []string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	root, err := os.MkdirTemp("", "ms") //nolint:usetesting // t.TempDir is too long for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	d := &desk{t: t, ctx: ctx, root: root}
	d.hub, err = control.Listen(filepath.Join(root, "control"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		d.hub.Close()
		_ = os.RemoveAll(root)
	})
	for _, dir := range []string{"home", "project/.git", "cache"} {
		if err := os.MkdirAll(d.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + d.path("home"), "XDG_CACHE_HOME=" + d.path("cache"),
		"TMPDIR=" + root, control.Env + "=" + d.path("control"),
	}
	return d
}

func (d *desk) path(name string) string { return filepath.Join(d.root, filepath.FromSlash(name)) }

func (d *desk) write(name, text string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(name)), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(d.path(name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// server is an entry that starts a fake with this script.
func (d *desk) server(name, script string) string {
	d.t.Helper()
	d.write("fake/"+name, script)
	return fmt.Sprintf(`%q: {"command": %q, "args": [%q]}`, name, binaries.fake, d.path("fake/"+name))
}

// users makes servers the user's own.
func (d *desk) users(entries string) {
	d.t.Helper()
	d.write("home/.claude.json", `{"mcpServers": {`+entries+`}}`)
}

// sidecar is the program, in the project.
func (d *desk) sidecar(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(d.ctx, binaries.sidecar, args...)
	cmd.Dir, cmd.Env = d.path("project"), d.env
	return cmd
}

// outcome is what a program left.
type outcome struct {
	code        int
	out, errors string
}

// run runs a program to its end.
func (d *desk) run(cmd *exec.Cmd) outcome {
	d.t.Helper()
	var out, errs bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &errs
	}
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		d.t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}
