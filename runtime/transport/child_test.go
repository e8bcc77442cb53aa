//go:build linux || darwin

package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The test binary is also every server of these tests, and their guard.
const (
	scriptEnv = "TRANSPORT_TEST_SCRIPT" // which server to be
	lifeEnv   = "TRANSPORT_TEST_LIFE"   // address of a connection to hold open while alive
	markEnv   = "TRANSPORT_TEST_MARK"   // the mark of the guard of a host
	serverEnv = "TRANSPORT_TEST_SERVER" // the script of the server of a host
)

func TestMain(m *testing.M) {
	if os.Getenv(GuardEnv) != "" {
		os.Exit(RunGuard(os.Stdin))
	}
	if name := os.Getenv(scriptEnv); name != "" {
		p := &peer{in: bufio.NewReaderSize(os.Stdin, 1<<20)}
		p.run(name)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// childSpec is a server that runs the named script.
func childSpec(t testing.TB, script string, env ...string) Spec {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Spec{
		Name: script, Kind: Stdio, Command: self, Shutdown: 2 * time.Second,
		Env: append([]string{scriptEnv + "=" + script, "GORACE=atexit_sleep_ms=0", "PATH=" + os.Getenv("PATH")}, env...),
	}
}

// dialChild connects a script as a server of the older era.
func dialChild(t testing.TB, script string, hooks Hooks, env ...string) Session {
	t.Helper()
	spec := childSpec(t, script, env...)
	spec.Era = EraStateful
	return dialSpec(t, spec, hooks)
}

func dialSpec(t testing.TB, spec Spec, hooks Hooks) Session {
	t.Helper()
	s, err := (&Dialer{}).Dial(t.Context(), spec, hooks)
	if err != nil {
		t.Fatalf("Dial: %v", err)
	}
	t.Cleanup(s.Close)
	return s
}

// lives accepts the connections by which scripts show that they are alive.
type lives struct {
	t        testing.TB
	listener net.Listener
}

func newLives(t testing.TB) *lives {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return &lives{t, listener}
}

func (l *lives) env() string { return lifeEnv + "=" + l.listener.Addr().String() }

// life is one process; its connection ends with it.
type life struct {
	conn net.Conn
	name string
	pid  int
}

// next waits for the next process to show itself.
func (l *lives) next() *life {
	l.t.Helper()
	conn, err := l.listener.Accept()
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { conn.Close() })
	one := &life{conn: conn}
	if _, err := fmt.Fscanf(conn, "%s %d\n", &one.name, &one.pid); err != nil {
		l.t.Fatal(err)
	}
	return one
}

// named waits for processes to show themselves, as many as names.
func (l *lives) named(names ...string) map[string]*life {
	l.t.Helper()
	found := map[string]*life{}
	for range names {
		one := l.next()
		found[one.name] = one
	}
	for _, name := range names {
		if found[name] == nil {
			l.t.Fatalf("%s has not started", name)
		}
	}
	return found
}

// mustEnd waits until the process is gone.
func (o *life) mustEnd(t testing.TB, within time.Duration) {
	t.Helper()
	_ = o.conn.SetReadDeadline(time.Now().Add(within))
	if _, err := o.conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("%s (process %d) is still alive: %v", o.name, o.pid, err)
	}
}

// peer is a server on stdin and stdout.
type peer struct {
	in *bufio.Reader
}

// incoming is a message from the client.
type incoming struct {
	raw    []byte
	ID     json.RawMessage
	Method string
	Params struct {
		Name      string
		Arguments json.RawMessage
		Cursor    *string
		Meta      map[string]json.RawMessage `json:"_meta"`
		Reason    string
		RequestID json.RawMessage
	}
}

// next is false when stdin has ended.
func (p *peer) next() (incoming, bool) {
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		return incoming{}, false
	}
	m := incoming{raw: bytes.TrimSpace(line)}
	if err := json.Unmarshal(line, &m); err != nil {
		fmt.Fprintf(os.Stderr, "bad line: %q: %v\n", line, err)
		os.Exit(9)
	}
	return m, true
}

// until returns the next message of a method.
func (p *peer) until(method string) incoming {
	for {
		m, ok := p.next()
		if !ok {
			os.Exit(0)
		}
		if m.Method == method {
			return m
		}
	}
}

func (p *peer) write(format string, args ...any) { fmt.Fprintf(os.Stdout, format, args...) }

func (p *peer) result(m incoming, format string, args ...any) {
	p.write(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, fmt.Sprintf(format, args...))
}

func (p *peer) fail(m incoming, code int, message string) {
	p.write(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`+"\n", m.ID, code, message)
}

func (p *peer) progress(m incoming, n int) {
	p.write(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":3.50,"message":"step %d"}}`+"\n",
		m.Params.Meta["progressToken"], n, n)
}

func (p *peer) greet(m incoming) {
	p.result(m, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"version":"1","name":"child","x":9007199254740993},"instructions":"be kind"}`)
}

// showLife holds a connection open until the process ends.
func showLife(name string) {
	conn, err := net.Dial("tcp", os.Getenv(lifeEnv))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(8)
	}
	fmt.Fprintf(conn, "%s %d\n", name, os.Getpid())
	// Kept from being collected, and so from being closed, by the goroutine.
	go func() { _, _ = conn.Read(make([]byte, 1)) }()
}

// spawn starts another script as a child of this one.
func spawn(script string, attr *syscall.SysProcAttr, stdout io.Writer) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), os.Args[0])
	cmd.Env = append(os.Environ(), scriptEnv+"="+script)
	cmd.SysProcAttr = attr
	cmd.Stdout = stdout
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(7)
	}
	return cmd
}

func ignoreSignals() { signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP) }

// run is the script of a name.
func (p *peer) run(name string) {
	switch name {
	case "tools":
		p.serve(p.tool)
	case "sdk":
		p.sdk()
	case "subscribes":
		p.subscribes()
	case "silent-family":
		showLife("father")
		spawn("stubborn", nil, nil)
		ignoreSignals()
		select {}
	case "dies":
		fmt.Fprint(os.Stderr, "reading config\nno such file: conf.toml\n")
		p.next()
		os.Exit(3)
	case "dies-of-probe":
		p.diesOfProbe()
	case "deaf":
		p.greet(p.until("initialize"))
		p.until("notifications/initialized")
		fmt.Fprintln(os.Stderr, "deaf")
		select {}
	case "family":
		showLife("father")
		spawn("stubborn", nil, nil)
		ignoreSignals()
		p.greet(p.until("initialize"))
		select {}
	case "leaves-child":
		showLife("father")
		spawn("stubborn", nil, nil)
		p.greet(p.until("initialize"))
		p.until("tools/call")
		os.Exit(4)
	case "lets-child-finish":
		p.letsChildFinish()
	case "finishes":
		term := make(chan os.Signal, 1)
		signal.Notify(term, syscall.SIGTERM)
		showLife("child")
		<-term
		_ = os.WriteFile(os.Getenv("WROTE"), []byte("saved"), 0o600)
	case "stubborn":
		ignoreSignals()
		showLife("child")
		select {}
	case "escapes":
		showLife("father")
		spawn("stubborn", &syscall.SysProcAttr{Setsid: true}, os.Stdout)
		p.serve(p.tool)
	case "host":
		p.host()
	default:
		p.runMessy(name)
	}
}

// serve is a well-behaved server of the older era.
func (p *peer) serve(call func(incoming)) {
	for {
		m, ok := p.next()
		switch {
		case !ok:
			return
		case m.Method == "initialize":
			p.greet(m)
		case m.Method == "tools/list":
			p.result(m, `{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`)
		case m.Method == "tools/call":
			call(m)
		case m.ID != nil && m.Method != "":
			p.fail(m, -32601, "unknown method")
		}
	}
}

func (p *peer) tool(m incoming) {
	switch m.Params.Name {
	case "echo":
		p.result(m, `{"content":[],"arguments":%s}`, m.Params.Arguments)
	case "raw":
		p.result(m, `{"line":%q}`, m.raw)
	case "steps":
		for i := range 3 {
			p.progress(m, i)
		}
		p.result(m, `{"content":[]}`)
		p.progress(m, 99)
	case "never":
		fmt.Fprintln(os.Stderr, "asked")
	case "refuse":
		p.fail(m, -32042, "not today")
	case "odd":
		p.write(`{"id":"%s","error":null,"jsonrpc":"2.0","result":{"z":1.0,"a":12345678901234567890}}`+"\n", m.ID)
	case "die":
		fmt.Fprintln(os.Stderr, "out of luck")
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "changes":
		p.write(changedLine)
		p.write(changedLine)
		p.result(m, `{"content":[]}`)
	case "cancelled":
		fmt.Fprintln(os.Stderr, "asked")
		c := p.until("notifications/cancelled")
		fmt.Fprintf(os.Stderr, "cancelled %s: %s\n", c.Params.RequestID, c.Params.Reason)
		p.result(m, `{"content":["too late"]}`)
	}
}

func (p *peer) sdk() {
	server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "2"}, &mcp.ServerOptions{Instructions: "hello"})
	schema := json.RawMessage(`{"type":"object"}`)
	server.AddTool(&mcp.Tool{Name: "echo", InputSchema: schema}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(req.Params.Arguments)}}}, nil
	})
	server.AddTool(&mcp.Tool{Name: "grow", InputSchema: schema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		server.AddTool(&mcp.Tool{Name: "new", InputSchema: schema}, nil)
		return &mcp.CallToolResult{}, nil
	})
	_ = server.Run(context.Background(), &mcp.StdioTransport{})
}

// subscribes is a server of the stateless era that ends its first subscription.
func (p *peer) subscribes() {
	p.result(p.until("server/discover"), `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}`)
	first := p.until("subscriptions/listen")
	p.acknowledge()
	p.result(first, `{}`)
	p.until("subscriptions/listen")
	p.acknowledge()
	p.write(changedLine)
	p.serve(p.tool)
}

func (p *peer) acknowledge() {
	p.write(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true}}}` + "\n")
}

const changedLine = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"

func (p *peer) diesOfProbe() {
	showLife("server")
	m, ok := p.next()
	if !ok || m.Method != "initialize" {
		os.Exit(1)
	}
	p.greet(m)
	p.serve(p.tool)
}

// letsChildFinish ends as soon as its input does and leaves a child that needs
// to be asked.
func (p *peer) letsChildFinish() {
	spawn("finishes", nil, nil)
	p.greet(p.until("initialize"))
	for ok := true; ok; {
		_, ok = p.next()
	}
}

// host is a sidecar in small: it connects a server and waits to be killed.
func (p *peer) host() {
	showLife("host")
	d := &Dialer{Guard: &Guard{Mark: os.Getenv(markEnv)}}
	spec := Spec{
		Name: "server", Kind: Stdio, Command: os.Args[0], Era: EraStateful,
		Env: []string{scriptEnv + "=" + os.Getenv(serverEnv), "GORACE=atexit_sleep_ms=0", lifeEnv + "=" + os.Getenv(lifeEnv)},
	}
	if _, err := d.Dial(context.Background(), spec, Hooks{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(6)
	}
	p.write("ready\n")
	select {}
}

// lines collects what a hook reports.
type lines chan string

func newLines() lines { return make(lines, 1000) }

func (l lines) add(text string) { l <- text }

// wait returns the first line that contains text.
func (l lines) wait(t testing.TB, text string) string {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		select {
		case line := <-l:
			if strings.Contains(line, text) {
				return line
			}
		case <-limit:
			t.Fatalf("no line with %q", text)
		}
	}
}
