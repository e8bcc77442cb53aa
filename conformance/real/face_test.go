package real

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// known is a client as it is tested.
type known struct {
	name    string
	version string // which it negotiates
	connect func(*testing.T, *desk) client
	faces   int // how many it starts: some look first what is spoken, with one of its own
}

func scripted(argv ...string) func(*testing.T, *desk) client {
	return func(t *testing.T, d *desk) client { return newSteered(t, d, argv...) }
}

func knownClients() []known {
	return []known{
		{"go", stateful, func(t *testing.T, d *desk) client { return newGoClient(t, d, stateful) }, 1},
		{"go-stateless", stateless, func(t *testing.T, d *desk) client { return newGoClient(t, d, stateless) }, 1},
		{"typescript-v1", stateful, scripted("sdk-v1.mjs"), 1},
		{"typescript-v2-legacy", stateful, scripted("sdk-v2.mjs", "legacy"), 1},
		{"typescript-v2-auto", stateless, scripted("sdk-v2.mjs", "auto"), 2},
		{"typescript-v2-pinned", stateless, scripted("sdk-v2.mjs", stateless), 2},
	}
}

// Names of tools, as the face has them.
const (
	echoTool       = "everything_echo"
	longTool       = "everythi_trigger-long-running-o_39dfed1f" // a name has at most 40 characters
	structuredTool = "everything_get-structured-content"
	tardyTool      = "everything_simulate-research-query" // the server adds it once it knows its client
	memoryTool     = "memory_read_graph"
	lateTool       = "late_list_allowed_directories"
)

// none are the arguments of a call without any.
var none = map[string]any{}

func TestClientsHaveEveryToolColdAndWarm(t *testing.T) {
	for _, k := range knownClients() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			cold := k.connect(t, d)
			if got := cold.version(); got != k.version {
				t.Errorf("the client speaks %s, want %s", got, k.version)
			}
			first := cold.list(t)
			if k.version == stateless { // it listens, and so its list waits only a little
				first = listWith(t, cold, first, echoTool, memoryTool)
			}
			if !has(first, echoTool, memoryTool) || has(first, lateTool) {
				t.Errorf("cold: %q is listed, want the tools of everything and memory, and those of late later", names(first))
			}
			d.late.release(t)
			all := listWith(t, cold, first, echoTool, tardyTool, memoryTool, lateTool)
			sameDefinitions(t, all)
			callLate(t, d, cold.call(lateTool, none))
			callTools(t, cold)
			cold.close(t)
			d.finished(t, k.faces, notAtFirst)

			warm := k.connect(t, d)
			if listed := warm.list(t); !has(listed, echoTool, memoryTool, lateTool) {
				t.Errorf("warm: %q is listed, want what was listed before", names(listed))
			}
			call := warm.call(lateTool, none)
			d.late.awaitHeld(t)
			d.late.release(t)
			callLate(t, d, call)
			warm.close(t)
			d.finished(t, k.faces)
			if got := d.late.starts(); got != 2 {
				t.Errorf("the late server was started %d times, want once for each client", got)
			}
		})
	}
}

// listWith lists again after each change until the tools are there.
func listWith(t *testing.T, c client, listed map[string]json.RawMessage, tools ...string) map[string]json.RawMessage {
	t.Helper()
	for !has(listed, tools...) {
		within(t, c.changes(), "a change of "+strings.Join(names(listed), " "))
		listed = c.list(t)
	}
	return listed
}

func has(listed map[string]json.RawMessage, tools ...string) bool {
	return !slices.ContainsFunc(tools, func(name string) bool { return listed[name] == nil })
}

func names(listed map[string]json.RawMessage) []string {
	return slices.Sorted(maps.Keys(listed))
}

// sameDefinitions compares what a client makes of the definitions with what the
// servers give.
func sameDefinitions(t *testing.T, listed map[string]json.RawMessage) {
	t.Helper()
	for server, js := range map[string]string{"everything": everythingJS, "memory": memoryJS} {
		for name, definition := range listDirectly(t, []string{"node", npm(t, js)}) {
			name = server + "_" + name
			if name == "everything_trigger-long-running-operation" {
				name = longTool
			}
			if listed[name] == nil {
				t.Errorf("%s is not listed", name)
				continue
			}
			var want, got map[string]any
			decode(t, definition, &want)
			decode(t, listed[name], &got)
			want["name"] = name
			// Of the tasks of 2025-11-25, which some clients do not know (any more).
			delete(want, "execution")
			delete(got, "execution")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("definition of %s (-want +got):\n%s", name, diff)
			}
		}
	}
}

func callLate(t *testing.T, d *desk, call *ongoing) {
	t.Helper()
	if got := call.answer(t); !strings.Contains(string(got), d.project()) {
		t.Errorf("the late server answers %s, want its directory, %s", got, d.project())
	}
}

// callTools calls the quick servers in all the ways there are.
func callTools(t *testing.T, c client) {
	t.Helper()
	want := `{"content":[{"type":"text","text":"Echo: h` + "\u00e9\U0001F600" + `"}]}`
	if diff := cmp.Diff(value(t, []byte(want)), value(t, c.call(echoTool, map[string]any{"message": "h\u00e9\U0001F600"}).answer(t))); diff != "" {
		t.Errorf("result of echo (-want +got):\n%s", diff)
	}

	var answer struct{ StructuredContent map[string]any }
	decode(t, c.call(structuredTool, map[string]any{"location": "Chicago"}).answer(t), &answer)
	if answer.StructuredContent["humidity"] == nil {
		t.Errorf("structured content %v, want the weather", answer.StructuredContent)
	}

	// A client may merge the last of it with the result, and lose it.
	long := c.call(longTool, map[string]any{"duration": 0.2, "steps": 8})
	if progress := long.wait(t); len(progress) == 0 || !slices.IsSorted(progress) || !strings.Contains(string(long.result), "completed") {
		t.Errorf("progress %v, result %s, error %v; want progress that rises, and a result", progress, long.result, long.err)
	}

	endless := c.call(longTool, map[string]any{"duration": 600, "steps": 6000})
	within(t, endless.begun, "progress of the long call")
	endless.cancel()
	if endless.wait(t); endless.err == nil {
		t.Errorf("a cancelled call has the result %s", endless.result)
	}

	if got := c.call(memoryTool, none).answer(t); !strings.Contains(string(got), "entities") {
		t.Errorf("the memory is %s", got)
	}

	nobody := c.call("everything_eccho", none)
	if nobody.wait(t); nobody.code != -32602 || !strings.Contains(nobody.err.Error(), echoTool) {
		t.Errorf("a tool that does not exist: %v (code %d), result %s; want -32602 and the one that is meant", nobody.err, nobody.code, nobody.result)
	}
}
