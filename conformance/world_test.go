//go:build unix

package conformance

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/mcp-sidecar/mcp-sidecar/conformance/control"
	"github.com/mcp-sidecar/mcp-sidecar/conformance/transcript"
)

// deadline bounds one test. It is no measure of anything: only what hangs
// reaches it.
const deadline = 60 * time.Second

// markVariable is in the environment of every process of a test.
const markVariable = "CONFORMANCE_MARK"

// world is what surrounds the sidecar in one test: directories, an
// environment, fake servers and the hub they report to. The test's goroutine
// owns it.
type world struct {
	t *testing.T
	// ctx ends with the test, at the latest at its deadline.
	ctx  context.Context //nolint:containedctx // the world is the test's own goroutine's
	root string
	hub  *control.Hub
	// scripts are the names of the fakes.
	scripts []string
	// remotes are the fakes that the test itself runs, by name.
	remotes map[string]*remote
	// saved outlives each run of the sidecar.
	saved transcript.Saved
}

type remote struct {
	cmd *exec.Cmd
	url string
}

func newWorld(t *testing.T, files []txtar.File) *world {
	t.Helper()
	return newWorldFor(t, deadline, files)
}

// newWorldFor is newWorld for a test that starts more processes than others.
func newWorldFor(t *testing.T, limit time.Duration, files []txtar.File) *world {
	t.Helper()
	if err := lookAtSources(); err != nil {
		t.Fatal(err)
	}
	root, err := os.MkdirTemp("", "cf") //nolint:usetesting // t.TempDir is too long for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	w := &world{t: t, ctx: ctx, root: root, remotes: map[string]*remote{}, saved: transcript.Saved{}}
	t.Cleanup(func() {
		cancel()
		w.end()
	})
	if w.hub, err = control.Listen(w.path("control")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"home", "project", "cache", "state", "run", "tmp", "fake"} {
		if err := os.MkdirAll(w.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.addFakes(files)
	for _, file := range files {
		if base, _, _ := strings.Cut(file.Name, "/"); w.isPlace(base) {
			w.write(w.path(file.Name), []byte(w.expand(string(file.Data))))
		}
	}
	return w
}

// isPlace says whether a section of that first name is a file to be written at
// the beginning.
func (w *world) isPlace(base string) bool {
	switch base {
	case "home", "project", "cache", "state":
		return true
	}
	return false
}

func (w *world) path(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

func (w *world) write(path string, data []byte) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// addFakes writes the scripts and starts those that are remote.
func (w *world) addFakes(files []txtar.File) {
	w.t.Helper()
	for _, file := range files {
		name, ok := strings.CutPrefix(file.Name, "fake/")
		if !ok {
			continue
		}
		w.scripts = append(w.scripts, name)
		w.write(w.script(name), file.Data)
		if strings.Contains("\n"+string(file.Data), "\nserve ") {
			w.launch(name)
		}
	}
}

func (w *world) script(name string) string { return w.path("fake/" + name) }

// launch starts a remote fake, at its old address if it had one.
func (w *world) launch(name string) {
	w.t.Helper()
	args := []string{w.script(name)}
	if old := w.remotes[name]; old != nil {
		if err := w.hub.AwaitEnd(w.ctx, name); err != nil {
			w.t.Fatal(err)
		}
		old.cmd.Wait()
		at, err := url.Parse(old.url)
		if err != nil {
			w.t.Fatal(err)
		}
		args = append(args, at.Host)
	}
	cmd := exec.CommandContext(w.ctx, binaries.fake, args...)
	cmd.Env = w.environment()
	cmd.Stderr = w.t.Output()
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	address, err := w.hub.Word(w.ctx, control.Event{Fake: name, Text: "url"})
	if err != nil {
		w.t.Fatal(err)
	}
	w.remotes[name] = &remote{cmd, address}
}

// end leaves nothing behind.
func (w *world) end() {
	if w.t.Failed() {
		w.t.Logf("what the fakes reported:\n%s", lastLines(w.hub.Trace(), 40))
	}
	for _, r := range w.remotes {
		r.cmd.Process.Kill()
		r.cmd.Wait()
	}
	for _, name := range w.scripts { // a passing test has none left
		w.hub.Kill(name)
		w.hub.Kill(name + ".child")
	}
	w.hub.Close()
	os.RemoveAll(w.root)
}

// environment is what the sidecar is started with.
func (w *world) environment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + w.path("home"),
		"XDG_CONFIG_HOME=" + w.path("home/.config"),
		"XDG_CACHE_HOME=" + w.path("cache"),
		"GORACE=atexit_sleep_ms=0", // else every program with the detector takes a second to end
		"XDG_STATE_HOME=" + w.path("state"),
		"XDG_RUNTIME_DIR=" + w.path("run"),
		"TMPDIR=" + w.path("tmp"),
		"LANG=C.UTF-8",
		control.Env + "=" + w.path("control"),
		markVariable + "=" + w.root,
	}
}

// expand replaces the placeholders of the README.
func (w *world) expand(text string) string {
	placeholder := regexp.MustCompile(`\$(HOME|PROJECT|CACHE|STATE|FAKE|INIT)\b|\$(SCRIPT|STDIO|URL)\(([\w-]+)\)`)
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		parts := placeholder.FindStringSubmatch(found)
		name := parts[3]
		switch parts[1] + parts[2] {
		case "FAKE":
			return binaries.fake
		case "INIT":
			return fmt.Sprintf(`"protocolVersion":1,"client":{"name":"conformance","version":"1"},"cwd":%q`, w.path("project"))
		case "SCRIPT":
			return w.script(name)
		case "STDIO":
			return fmt.Sprintf(`"command":%q,"args":[%q]`, binaries.fake, w.script(name))
		case "URL":
			if r := w.remotes[name]; r != nil {
				return r.url
			}
			w.t.Fatalf("%s: no fake of that name serves HTTP", found)
		}
		return w.path(strings.ToLower(parts[1]))
	})
}

// ended waits until no process of the test is left but its remote fakes.
func (w *world) ended() error {
	spared := map[int]bool{}
	for _, name := range w.scripts {
		if w.remotes[name] != nil {
			for _, pid := range w.hub.PIDs(name) {
				spared[pid] = true
			}
			continue
		}
		for _, fake := range []string{name, name + ".child"} {
			if err := w.hub.AwaitEnd(w.ctx, fake); err != nil {
				return err
			}
		}
	}
	return awaitUnmarked(w.ctx, markVariable+"="+w.root, spared)
}

func lastLines(lines []string, n int) string {
	return "\t" + strings.Join(lines[max(0, len(lines)-n):], "\n\t")
}
