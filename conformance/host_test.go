//go:build unix

package conformance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// hostVariable makes the test binary a host: a process whose only purpose is
// to be killed. It holds the message the host begins with.
const hostVariable = "CONFORMANCE_HOST"

// beHost starts the sidecar given in the arguments, says one message to it and
// passes on what it answers, until it is killed.
func beHost() int {
	cmd := exec.Command(os.Args[1], "--framing", "ndjson")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 1
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 1
	}
	message := os.Getenv(hostVariable)
	os.Unsetenv(hostVariable)
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Fprintln(stdin, message)
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		fmt.Println(lines.Text())
	}
	return 0
}

// host is a running beHost. It has been answered when newHost returns.
func newHost(w *world, message string) *exec.Cmd {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.CommandContext(w.ctx, self, binaries.sidecar)
	cmd.Env = append(w.environment(), hostVariable+"="+message)
	errors, err := os.Create(w.path("host-stderr"))
	if err != nil {
		w.t.Fatal(err)
	}
	cmd.Stderr = errors
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		errors.Close()
	})
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var answer struct{ ID, Result json.RawMessage }
		if json.Unmarshal(lines.Bytes(), &answer) == nil && answer.ID != nil {
			if answer.Result == nil {
				w.t.Fatalf("initialize: %s", lines.Text())
			}
			return cmd
		}
	}
	w.t.Fatalf("the host ended before it was answered: %v", lines.Err())
	return nil
}

// session is a world with fakes and a sidecar that has been initialized with
// these settings.
func session(t *testing.T, settings string, fakes map[string]string) (*world, *sidecar) {
	t.Helper()
	w := newWorld(t, fakeFiles(fakes))
	s := w.start(headers, nil, nil)
	must(t, s.say(initialize(w, settings)))
	must(t, s.expect([]string{`{"id":1,"result":{}}`}, nil))
	return w, s
}

func initialize(w *world, settings string) string {
	return w.expand(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"runtime/initialize","params":{$INIT,"settings":%s}}`, settings))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
