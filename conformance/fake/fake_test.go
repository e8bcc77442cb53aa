package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-sidecar/mcp-sidecar/conformance/control"
)

// asFake makes the test binary behave as the command.
const asFake = "CONFORMANCE_AS_FAKE"

func TestMain(m *testing.M) {
	if os.Getenv(asFake) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// launched is one fake and the hub it reports to.
type launched struct {
	hub *control.Hub
	cmd *exec.Cmd
}

func launch(t *testing.T, script string) launched {
	t.Helper()
	dir, err := os.MkdirTemp("", "fake") //nolint:usetesting // t.TempDir is too long for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "fs")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "control")
	hub, err := control.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hub.Close)
	cmd := exec.CommandContext(t.Context(), os.Args[0], path)
	cmd.Env = append(os.Environ(), asFake+"=1", control.Env+"="+socket)
	cmd.Stderr = t.Output()
	return launched{hub, cmd}
}

func connect(t *testing.T, transport mcp.Transport, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, options)
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func toolNames(t *testing.T, session *mcp.ClientSession) string {
	t.Helper()
	var names []string
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func call(t *testing.T, session *mcp.ClientSession, tool, arguments string) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return result.Content[0].(*mcp.TextContent).Text
}

const plain = `
tool echo
tool add
tool third
page 2
on tools/call add
  progress 1 2 half
  result {"content":[{"type":"text","text":"added"}],"structuredContent":$arguments}
`

// TestTheSDKsClientUnderstandsAWellBehavedFake runs one script over every
// transport and era.
func TestTheSDKsClientUnderstandsAWellBehavedFake(t *testing.T) {
	for name, lines := range map[string]string{
		"stdio":            "",
		"stdio, stateless": "era stateless",
		"stdio, both eras": "era both",
		"http":             "serve http",
		"http, streams":    "serve http\nanswers sse",
		"http, no GET":     "serve http\nstream no",
		"http, stateless":  "serve http\nera stateless",
		"sse":              "serve sse",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := launch(t, plain+lines)
			session := connect(t, f.transport(t, lines), nil)
			if got := toolNames(t, session); got != "add echo third" {
				t.Errorf("tools: %s", got)
			}
			if got := call(t, session, "echo", `{"b":1,"a":[]}`); got != `echo {"b":1,"a":[]}` {
				t.Errorf("echo said %q", got)
			}
			if got := call(t, session, "add", `{"x":1}`); got != "added" {
				t.Errorf("add said %q", got)
			}
			if n := f.hub.Count(control.Event{Fake: "fs", Text: "got tools/call"}); n != 2 {
				t.Errorf("%d calls were reported", n)
			}
		})
	}
}

// transport starts a remote fake, or leaves that to the SDK.
func (f launched) transport(t *testing.T, lines string) mcp.Transport {
	t.Helper()
	if !strings.Contains(lines, "serve") {
		return &mcp.CommandTransport{Command: f.cmd}
	}
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.cmd.Process.Kill()
		f.cmd.Wait()
	})
	url, err := f.hub.Word(t.Context(), control.Event{Fake: "fs", Text: "url"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(lines, "serve sse") {
		return &mcp.SSEClientTransport{Endpoint: url}
	}
	return &mcp.StreamableClientTransport{Endpoint: url}
}

func TestAListChangeReachesTheClientInEveryEra(t *testing.T) {
	const script = `
tool old
spare new
on ready
  hold change
  tools new
  changed
`
	for name, lines := range map[string]string{
		"stdio":            "",
		"stdio, stateless": "era stateless",
		"http":             "serve http",
		"http, stateless":  "serve http\nera stateless",
		"sse":              "serve sse",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := launch(t, script+lines)
			changed := make(chan struct{}, 1)
			session := connect(t, f.transport(t, lines), &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
			})
			if got := toolNames(t, session); got != "old" {
				t.Errorf("tools: %s", got)
			}
			if err := f.hub.Await(t.Context(), control.Event{Fake: "fs", Text: "listening"}); err != nil {
				t.Fatal(err)
			}
			f.hub.Release("fs", "change")
			<-changed
			if got := toolNames(t, session); got != "new" {
				t.Errorf("tools after the change: %s", got)
			}
		})
	}
}

func TestAHeldCallIsAnsweredWhenReleasedAndCancellationIsReported(t *testing.T) {
	f := launch(t, "tool slow\non tools/call slow\n  hold go\n  result {\"content\":[]}\n")
	session := connect(t, f.transport(t, ""), nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "slow"})
		ended <- err
	}()
	await(t, f, "holding go")
	cancel()
	if err := <-ended; err == nil {
		t.Error("a cancelled call succeeded")
	}
	await(t, f, "got notifications/cancelled")
	f.hub.Release("fs", "go")
	go func() {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "slow"})
		ended <- err
	}()
	await(t, f, "holding go")
	f.hub.Release("fs", "go")
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func await(t *testing.T, f launched, event string) {
	t.Helper()
	if err := f.hub.Await(t.Context(), control.Event{Fake: "fs", Text: event}); err != nil {
		t.Fatal(err)
	}
}

func TestMisbehaviourOnStdoutIsAsWritten(t *testing.T) {
	f := launch(t, `
quirk bom
quirk crlf
quirk paired
quirk bytewise
on ping
  noise 2 hello
  raw "{\"no\": \"jsonrpc\"}\n\xff\n"
  result {"z":1.0,  "a":9007199254740993}
on start
  stderr started
`)
	in, err := f.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := f.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte(`{"jsonrpc":"2.0","id":7,"method":"ping"}` + "\n")); err != nil {
		t.Fatal(err)
	}
	const want = "noise 1: hello\nnoise 2: hello\n" +
		"{\"no\": \"jsonrpc\"}\n\xff\n" +
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","data":"pair"}}` + "\n" +
		"\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":7,"result":{"z":1.0,  "a":9007199254740993}}` + "\r\n"
	got := make([]byte, len(want))
	for n := 0; n < len(got); {
		m, err := out.Read(got[n:])
		if err != nil {
			t.Fatalf("after %q: %v", got[:n], err)
		}
		n += m
	}
	if string(got) != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	in.Close()
	if err := f.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestAGrandchildOutlivesItsParentUntilTheHubHangsUp(t *testing.T) {
	f := launch(t, "on start\n  grandchild\n  ignore eof\n")
	f.cmd.Stdin, f.cmd.Stderr = strings.NewReader(""), nil // a pipe for stderr would make Wait wait for the grandchild
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, f, "eof")
	if n := len(f.hub.PIDs("")); n != 2 {
		t.Errorf("%d processes, want the fake and its child", n)
	}
	if err := f.hub.Kill("fs"); err != nil {
		t.Fatal(err)
	}
	f.cmd.Wait()
	if err := f.hub.AwaitEnd(t.Context(), "fs"); err != nil {
		t.Fatal(err)
	}
	if n := len(f.hub.PIDs("fs.child")); n != 1 {
		t.Errorf("%d grandchildren, want 1", n)
	}
}

func TestAScriptsMistakeNamesItsLine(t *testing.T) {
	for script, want := range map[string]string{
		"tool a\nserve carrier-pigeon": `fs:2: "carrier-pigeon" is none of`,
		"on start\n  dance":            `fs:2: unknown step "dance"`,
		"  hold x":                     `fs:1: a step outside`,
		"teapot":                       `fs:1: unknown line`,
	} {
		_, err := parseScript("fs", script)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", script, err, want)
		}
	}
}
