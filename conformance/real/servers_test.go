package real

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// The eras' protocol versions, as a server's record has them.
const (
	stateful  = "2025-11-25"
	stateless = "2026-07-28"
)

// target is one server as a user would configure it, and what it must give.
type target struct {
	name      string
	config    func(t *testing.T, h home) rpc.ServerConfig
	transport rpc.TransportKind
	version   string   // its protocol version; "" to leave it open
	tools     []string // all of them, sorted; or, with more set, some of them
	more      bool
	call      *exchange // nil for servers whose tools need the internet or a browser
}

// exchange is a call and the result the server gives, whole.
type exchange struct {
	tool      string
	arguments map[string]any
	want      string
}

func node(t *testing.T, js string, args ...string) rpc.ServerConfig {
	t.Helper()
	return rpc.ServerConfig{Command: "node", Args: append([]string{npm(t, js)}, args...)}
}

func echo(message string) *exchange {
	return &exchange{
		tool: "echo", arguments: map[string]any{"message": message},
		want: `{"content":[{"type":"text","text":"Echo: ` + message + `"}]}`,
	}
}

var (
	everythingTools = []string{
		"echo", "get-annotated-message", "get-env", "get-resource-links", "get-resource-reference",
		"get-structured-content", "get-sum", "get-tiny-image", "gzip-file-as-resource",
		"toggle-simulated-logging", "toggle-subscriber-updates", "trigger-long-running-operation",
	}
	filesystemTools = []string{
		"create_directory", "directory_tree", "edit_file", "get_file_info", "list_allowed_directories",
		"list_directory", "list_directory_with_sizes", "move_file", "read_file", "read_media_file",
		"read_multiple_files", "read_text_file", "search_files", "write_file",
	}
	memoryTools = []string{
		"add_observations", "create_entities", "create_relations", "delete_entities", "delete_observations",
		"delete_relations", "open_nodes", "read_graph", "search_nodes",
	}
	playwrightTools = []string{"browser_click", "browser_navigate", "browser_snapshot", "browser_take_screenshot"}
	goTools         = []string{"elicit (form)", "greet", "greet (content with ResourceLink)", "greet (structured)", "log", "ping"}
)

func stdioTargets() []target {
	return []target{
		{
			name:   "everything",
			config: func(t *testing.T, _ home) rpc.ServerConfig { return node(t, everythingJS, "stdio") },
			tools:  everythingTools, more: true, version: stateful, call: echo("hé\U0001F600"),
		},
		{
			name:   "filesystem",
			config: func(t *testing.T, h home) rpc.ServerConfig { return node(t, filesystemJS, h.project()) },
			tools:  filesystemTools, version: stateful,
			call: &exchange{
				"read_text_file",
				map[string]any{"path": "greeting.txt"},
				`{"content":[{"type":"text","text":"from the file\n"}],"structuredContent":{"content":"from the file\n"}}`,
			},
		},
		{
			name: "memory",
			config: func(t *testing.T, h home) rpc.ServerConfig {
				c := node(t, memoryJS)
				c.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(h.dir, "memory.jsonl")}
				return c
			},
			tools: memoryTools, version: stateful,
			call: &exchange{
				"read_graph",
				map[string]any{},
				`{"content":[{"type":"text","text":"{\n  \"entities\": [],\n  \"relations\": []\n}"}],"structuredContent":{"entities":[],"relations":[]}}`,
			},
		},
		{
			name:   "thinking",
			config: func(t *testing.T, _ home) rpc.ServerConfig { return node(t, thinkingJS) },
			tools:  []string{"sequentialthinking"}, version: stateful,
		},
		{
			name:   "playwright",
			config: func(t *testing.T, _ home) rpc.ServerConfig { return node(t, playwrightJS) },
			tools:  playwrightTools, more: true, version: stateful,
		},
		{
			name:   "context7",
			config: func(t *testing.T, _ home) rpc.ServerConfig { return node(t, context7JS) },
			tools:  []string{"query-docs", "resolve-library-id"}, version: stateless,
		},
		{
			name:   "go-everything",
			config: func(*testing.T, home) rpc.ServerConfig { return rpc.ServerConfig{Command: goServer(goServers[0])} },
			tools:  goTools, more: true, version: stateless,
			call: &exchange{"greet", map[string]any{"name": "you"}, `{"content":[{"type":"text","text":"Hi you"}]}`},
		},
	}
}

func remoteTargets() []target {
	return []target{
		{
			name: "everything", transport: rpc.TransportHTTP,
			config: func(t *testing.T, _ home) rpc.ServerConfig {
				return rpc.ServerConfig{URL: everythingOver(t, "streamableHttp")}
			},
			tools: everythingTools, more: true, version: stateful, call: echo("over HTTP"),
		},
		{
			name: "everything-sse", transport: rpc.TransportSSE,
			config: func(t *testing.T, _ home) rpc.ServerConfig {
				return rpc.ServerConfig{Type: "sse", URL: everythingOver(t, "sse")}
			},
			tools: everythingTools, more: true, call: echo("over SSE"),
		},
		{
			name: "everything-sse-as-http", transport: rpc.TransportSSE,
			config: func(t *testing.T, _ home) rpc.ServerConfig {
				return rpc.ServerConfig{URL: everythingOver(t, "sse")}
			},
			tools: everythingTools, more: true, call: echo("found to be SSE"),
		},
		{
			name: "playwright", transport: rpc.TransportHTTP,
			config: func(t *testing.T, _ home) rpc.ServerConfig {
				_, port := freeAddress(t)
				startRemote(t, "Listening on", nil, "node", npm(t, playwrightJS), "--host", "127.0.0.1", "--port", port)
				// It answers to the name only, and forbids everything else.
				return rpc.ServerConfig{URL: "http://localhost:" + port + "/mcp"}
			},
			tools: playwrightTools, more: true, version: stateful,
		},
		{
			name: "go-everything", transport: rpc.TransportHTTP,
			config: func(t *testing.T, _ home) rpc.ServerConfig { return rpc.ServerConfig{URL: goOver(t, goServers[0])} },
			// Its HTTP handler keeps sessions, which the other era has none of.
			tools: goTools, more: true, version: stateful,
			call: &exchange{"greet", map[string]any{"name": "you"}, `{"content":[{"type":"text","text":"Hi you"}]}`},
		},
		{
			name: "go-memory", transport: rpc.TransportHTTP,
			config: func(t *testing.T, _ home) rpc.ServerConfig { return rpc.ServerConfig{URL: goOver(t, goServers[1])} },
			tools:  memoryTools, version: stateful,
		},
		{
			name: "go-conformance", transport: rpc.TransportHTTP,
			config: func(t *testing.T, _ home) rpc.ServerConfig {
				return rpc.ServerConfig{URL: goOver(t, goServers[2])}
			},
			tools: []string{"test_image_content", "test_simple_text", "test_tool_with_progress"}, more: true, version: stateless,
			call: &exchange{
				"test_simple_text",
				map[string]any{},
				`{"content":[{"type":"text","text":"This is a simple text response for testing."}]}`,
			},
		},
		{
			name: "go-conformance-with-sessions", transport: rpc.TransportHTTP,
			config: func(t *testing.T, _ home) rpc.ServerConfig {
				return rpc.ServerConfig{URL: goOver(t, goServers[2], "-stateless=false")}
			},
			tools: []string{"test_image_content", "test_simple_text", "test_tool_with_progress"}, more: true, version: stateful,
			call: &exchange{
				"test_simple_text",
				map[string]any{},
				`{"content":[{"type":"text","text":"This is a simple text response for testing."}]}`,
			},
		},
	}
}

func TestServerOverStdioListsAndCallsVerbatim(t *testing.T) {
	for _, target := range stdioTargets() {
		t.Run(target.name, func(t *testing.T) {
			t.Parallel()
			target.transport = rpc.TransportStdio
			config, tools := target.check(t)
			if target.version != stateful {
				return // it words its definitions differently in the other era
			}
			for name, want := range listDirectly(t, append([]string{config.Command}, config.Args...)) {
				if got := tools[name]; string(got) != string(want) {
					t.Errorf("definition of %s:\n got %s\nwant %s", name, got, want)
				}
			}
		})
	}
}

func TestServerOverHTTPListsAndCalls(t *testing.T) {
	for _, target := range remoteTargets() {
		t.Run(target.name, func(t *testing.T) {
			t.Parallel()
			target.check(t)
		})
	}
}

// check runs a sidecar with this one server from beginning to end, and returns
// the server's configuration and its tools.
func (target target) check(t *testing.T) (rpc.ServerConfig, map[string]json.RawMessage) {
	t.Helper()
	h := newHome(t)
	greeting := filepath.Join(h.project(), "greeting.txt")
	if err := os.WriteFile(greeting, []byte("from the file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := target.config(t, h)
	s := h.start(t)
	snapshot := s.initialize(map[string]rpc.ServerConfig{target.name: config}, nil)

	record := server(t, snapshot, target.name)
	if record.Phase != rpc.PhaseReady || record.Tools.From != rpc.ToolsFromLive || record.Transport != target.transport {
		t.Fatalf("server is %+v, want a ready one over %s; error: %+v", record, target.transport, record.Error)
	}
	if target.version != "" && record.ProtocolVersion != target.version {
		t.Errorf("protocol version %q, want %q", record.ProtocolVersion, target.version)
	}
	tools := definitions(t, snapshot.Tools, target.name)
	listed := slices.Sorted(maps.Keys(tools))
	if target.more {
		listed = slices.DeleteFunc(listed, func(name string) bool { return !slices.Contains(target.tools, name) })
	}
	if diff := cmp.Diff(target.tools, listed); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if target.call != nil {
		got := s.call(target.name, target.call.tool, target.call.arguments)
		if diff := cmp.Diff(value(t, []byte(target.call.want)), value(t, got.Result)); diff != "" {
			t.Errorf("result of %s (-want +got):\n%s", target.call.tool, diff)
		}
		if got.Details.Error != nil || got.Details.Deferred {
			t.Errorf("details %+v, want those of a live call", got.Details)
		}
	}
	s.finish()
	return config, tools
}

// value is JSON as Go values, without what a result of the stateless era has
// beyond the one before it: its resultType and its _meta.
func value(t *testing.T, data []byte) any {
	t.Helper()
	var v map[string]any
	decode(t, data, &v)
	if v["resultType"] == "complete" {
		delete(v, "resultType")
		delete(v, "_meta")
	}
	return v
}
