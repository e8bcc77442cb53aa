//go:build unix

package conformance

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Canaries are planted in every place where a secret can be, servers tell all
// they know, and everything the sidecar says and writes is searched for them.
//
// Not searched are the definitions of tools and the results of calls, in the
// cache as well as on the wire: they are the server's own bytes, and the host
// gets them as they are. The default of an input is not planted: the user is to
// see it. trust/approve, the answers to trust/… and the command trust list show
// the entries of a project's files as they are written, since the user decides
// about them: canaries that are written out there may be in these, and nowhere
// else.
func TestNoSecretLeavesTheSidecar(t *testing.T) {
	t.Parallel()
	c := newCage(t)
	c.session()
	for _, words := range [][]string{
		{"list"},
		{"list", "--json"},
		{"call", "native-env", "fail"},
		{"call", "native-env", "fail", "--json"},
		{"call", "claude", "die"},
		{"doctor"},
		{"doctor", "--json"},
		{"config"},
		{"config", "--json"},
		{"trust", "list"},
		{"trust", "list", "--json"},
	} {
		c.command(words...)
	}
	must(t, c.w.ended())
	c.lookAtFiles()
	c.judge()
}

// cage is the world of this test. The test's goroutine owns it.
type cage struct {
	*aviary
	echo    *echo
	planted map[string]bool // paths of files
	said    []utterance
}

// utterance is something the sidecar said or wrote.
type utterance struct {
	where string
	text  string
	// shows: it shows the entries of the project as they are written.
	shows bool
}

func (c *cage) hear(where, text string) {
	c.said = append(c.said, utterance{where, text, strings.HasPrefix(where, "trust")})
}

func newCage(t *testing.T) *cage {
	t.Helper()
	var files, fakes []txtar.File
	paths, err := filepath.Glob("canaries/*.txtar")
	must(t, err)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		must(t, err)
		for _, file := range archive.Files {
			if strings.HasPrefix(file.Name, "fake/") {
				fakes = append(fakes, file)
			} else {
				files = append(files, file)
			}
		}
	}
	c := &cage{aviary: newAviary(newWorldFor(t, 4*deadline, fakes)), echo: newEcho(), planted: map[string]bool{}}
	t.Cleanup(c.echo.Close)
	var more []string
	for _, file := range files {
		c.project = strings.HasPrefix(file.Name, "project/")
		c.write(file.Name, string(file.Data))
		if strings.HasPrefix(file.Name, "home/goose/") {
			more = append(more, c.w.path(file.Name))
		}
	}
	c.project = false
	c.environment["GOOSE_ADDITIONAL_CONFIG_FILES"] = strings.Join(more, ":")
	c.environment["OPENCODE_CONFIG_CONTENT"] = c.fill(`{"mcp": {"opencode-inline": {"type": "local", "command": ["$FAKE", "$SCRIPT(leaks)"],
		"environment": {"LEAK_TOKEN": "%{opencode-inline}", "LEAK_PASSWORD": "%{weak:opencode-inline-weak}"}}}}`)
	c.environment["UNREFERRED_API_KEY"] = c.fill("%{inert unreferred}")
	c.environment["FAKE_RECORD"] = c.w.path("fake/record")
	must(t, filepath.WalkDir(c.w.path("home"), func(path string, _ fs.DirEntry, err error) error {
		c.planted[path] = true
		return err
	}))
	return c
}

// fill makes the text of a file of one with placeholders.
func (c *cage) fill(text string) string {
	address := strings.TrimPrefix(c.echo.URL, "http://")
	text = strings.NewReplacer("$ECHOHOST", address, "$ECHO", c.echo.URL).Replace(text)
	return c.w.expand(c.plant(text))
}

func (c *cage) write(name, text string) {
	path := c.w.path(name)
	c.w.write(path, []byte(c.fill(text)))
	c.planted[path] = true
}

func (c *cage) variables() []string {
	var all []string
	for name, value := range c.environment {
		all = append(all, name+"="+value)
	}
	return all
}

// command runs the sidecar once in another way.
func (c *cage) command(words ...string) {
	c.w.t.Helper()
	cmd := exec.CommandContext(c.w.ctx, binaries.sidecar, append(words, "--log-level", "debug")...)
	cmd.Env = append(c.w.environment(), c.variables()...)
	cmd.Dir = c.w.path("project")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 || cmd.ProcessState.ExitCode() > 1 {
		c.w.t.Fatalf("%s: %v\n%s", words, err, stderr.String())
	}
	name := strings.Join(words[:min(2, len(words))], " ")
	c.hear(name+": stdout", stdout.String())
	c.hear(name+": stderr", stderr.String())
}

// lookAtFiles hears every file that is there and was not planted, and its name.
func (c *cage) lookAtFiles() {
	for _, dir := range []string{"home", "project", "cache", "state", "run", "tmp"} {
		must(c.w.t, filepath.WalkDir(c.w.path(dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || c.planted[path] || !entry.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			c.hear("file "+strings.TrimPrefix(path, c.w.root), path+"\n"+string(data))
			return err
		}))
	}
}

// judge searches all that was heard, and makes sure that there was something to
// be found.
func (c *cage) judge() {
	t := c.w.t
	where, excerpts := map[string][]string{}, map[string]string{} // by place
	for _, u := range c.said {
		for place, excerpt := range c.found(u.text) {
			if u.shows && c.canaries[place].project {
				continue
			}
			if !slices.Contains(where[place], u.where) {
				where[place] = append(where[place], u.where)
			}
			excerpts[place] = excerpt
		}
	}
	for _, place := range slices.Sorted(maps.Keys(where)) {
		t.Errorf("the canary of %s is in: %s\n\t…%s…", place, strings.Join(where[place], " · "), excerpts[place])
	}
	c.proveHidden()
	c.proveGiven()
}

// proveHidden makes sure that secrets were told wherever the sidecar passes on
// what it is told: something stands in their place there.
func (c *cage) proveHidden() {
	for _, where := range []string{
		"runtime/log", "mcp/status", "mcp/wait", "mcp/servers", "mcp/logs", "mcp/doctor", "mcp/connect", "mcp/reload",
		"tools/snapshot", "tools/call", "$/progress", "config/diagnostics", "file /state/sidecar.log", "file /cache/",
		"list: stdout", "list: stderr", "list --json: stdout", "call native-env: stdout", "call claude: stderr",
		"doctor: stdout", "doctor --json: stdout", "config: stdout", "config --json: stdout",
	} {
		if !slices.ContainsFunc(c.said, func(u utterance) bool {
			return strings.HasPrefix(u.where, where) && strings.Contains(u.text, "[redacted]")
		}) {
			c.w.t.Errorf("nothing was hidden in %s: it proves nothing", where)
		}
	}
	for _, where := range []string{"trust/approve", "trust/list", "trust list: stdout", "file /state/mcp-sidecar/trust.json"} {
		if !slices.ContainsFunc(c.said, func(u utterance) bool { return strings.HasPrefix(u.where, where) && u.text != "" }) {
			c.w.t.Errorf("%s was not heard", where)
		}
	}
}

// proveGiven makes sure that servers got the canaries, and could tell them.
func (c *cage) proveGiven() {
	t := c.w.t
	record, err := os.ReadFile(c.w.path("fake/record"))
	must(t, err)
	var own []string // not what every process has of the environment
	for line := range strings.Lines(string(record)) {
		if !strings.HasPrefix(line, "CANARY_") && !strings.HasPrefix(line, "OPENCODE_") {
			own = append(own, line)
		}
	}
	told := c.found(strings.Join(own, "") + c.echo.told())
	for place, bird := range c.canaries {
		if _, ok := told[place]; !ok && !bird.silent {
			t.Errorf("no server got the canary of %s: its place proves nothing", place)
		}
	}
}
