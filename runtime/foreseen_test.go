package runtime

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

func TestNoServerTellsTheSecretsOfOneThatIsNotStartedYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]*scripted{
			"a": {dial: always(plan{stderr: []string{"B_VARIABLE=value-of-b-1", "b has written-in-b-1", "API_KEY=value-of-none-1"}, tools: []string{"x"}})},
		})
		w.variables = map[string]string{"B_VARIABLE": "value-of-b-1", "API_KEY": "value-of-none-1"}
		w.open()
		defer w.close()
		w.write("mcp.json", `{"mcpServers": {
			"a": {"command": "a"},
			"b": {"command": "b", "enabled": false, "env": {"X": "${B_VARIABLE}", "TOKEN": "written-in-b-1"}}}}`)
		w.discoverFiles(rpc.Settings{})
		time.Sleep(time.Second)
		logs, err := w.c.Logs(t.Context(), &rpc.LogsParams{Server: "a"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, line := range logs.Lines {
			got = append(got, line.Text)
		}
		w.expect(got, "B_VARIABLE=[redacted]", "b has [redacted]", "API_KEY=[redacted]")
	})
}
