package real

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// remote is an HTTP server that a test runs itself, as a user would in another
// terminal.
type remote struct {
	cmd    *exec.Cmd
	output io.Closer     // the end of the pipe that we read what it prints from
	ended  chan struct{} // closed when nothing reads it any more
}

// startRemote runs a server and returns when it has printed a line that holds
// ready. env is added to the environment. It is stopped at the end of the test.
func startRemote(t *testing.T, ready string, env []string, argv ...string) *remote {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = write, write
	// Some servers end when their stdin does.
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close() })
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	r := &remote{cmd: cmd, ended: make(chan struct{}), output: read}
	t.Cleanup(r.stop)

	up := make(chan bool, 1)
	var said []string
	go func() { // ends at the end of the output; stop waits for it
		defer close(r.ended)
		lines, seen := bufio.NewScanner(read), false
		for lines.Scan() {
			if !seen {
				said = append(said, lines.Text())
				if strings.Contains(lines.Text(), ready) {
					seen = true
					up <- true
				}
			}
		}
		if !seen {
			up <- false
		}
	}()
	select {
	case ok := <-up:
		if !ok {
			t.Fatalf("%s ended without being ready:\n%s", argv[0], strings.Join(said, "\n"))
		}
	case <-deadline(t):
		t.Fatalf("%s did not say %q", argv[0], ready)
	}
	return r
}

// stop kills the server and waits for its end.
func (r *remote) stop() {
	r.cmd.Process.Kill()
	r.cmd.Wait()
	r.output.Close()
	<-r.ended
}

// everythingOver runs server-everything on an HTTP transport ("streamableHttp"
// or "sse") and returns its URL.
func everythingOver(t *testing.T, transport string) string {
	t.Helper()
	address, port := freeAddress(t)
	startRemote(t, "on port", []string{"PORT=" + port}, "node", npm(t, everythingJS), transport)
	if transport == "sse" {
		return "http://" + address + "/sse"
	}
	return "http://" + address + "/mcp"
}

// goOver runs one of the Go SDK's servers over HTTP and returns its URL.
func goOver(t *testing.T, path string, flags ...string) string {
	t.Helper()
	address, _ := freeAddress(t)
	startRemote(t, "listening at", nil, append([]string{goServer(path), "-http", address}, flags...)...)
	return "http://" + address + "/"
}
