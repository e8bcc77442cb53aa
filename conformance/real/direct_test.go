package real

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os/exec"
	"testing"
	"time"
)

// listDirectly asks a stdio server for its tools without the sidecar, as a
// client of the 2025-11-25 era that can do nothing but call tools.
func listDirectly(t *testing.T, argv []string) map[string]json.RawMessage {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer func() {
		hung.Stop()
		cmd.Process.Kill()
		cmd.Wait()
	}()

	lines := bufio.NewReader(stdout)
	answer := func(id string) json.RawMessage {
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				t.Fatalf("%v ended without an answer: %v", argv, err)
			}
			var f frame
			if json.Unmarshal(line, &f) == nil && f.Method == "" && string(f.ID) == id {
				return f.Result
			}
		}
	}
	fmt.Fprintln(stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"direct","version":"1"}}}`)
	answer("1")
	fmt.Fprintln(stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	fmt.Fprintln(stdin, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	var list struct {
		Tools []json.RawMessage `json:"tools"`
	}
	decode(t, answer("2"), &list)
	found := map[string]json.RawMessage{}
	for _, definition := range list.Tools {
		var tool struct {
			Name string `json:"name"`
		}
		decode(t, definition, &tool)
		found[tool.Name] = definition
	}
	return found
}
