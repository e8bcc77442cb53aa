package runtime

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

func TestChildrenGetTheEnvironmentTheEntryAndTheMark(t *testing.T) {
	got := childEnv(
		[]string{"PATH=/bin", "HOME=/h", "MCP_SIDECAR_ENDPOINT=secret", "MCP_SIDECAR=x", "GONE=1", "KEY=old"},
		config.Expanded{Env: map[string]string{"KEY": "new"}, UnsetEnv: []string{"GONE"}},
	)
	slices.Sort(got)
	want := []string{"HOME=/h", "KEY=new", "MCP_SIDECAR_NESTED=1", "PATH=/bin"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestCommandsRunOnceAndKeepOnlySuccess(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	c := newCommands()
	for range 3 {
		out, err := c.run(t.Context(), "echo x >>"+ran+"; printf 'value\n\n'")
		if err != nil || out != "value" {
			t.Fatalf("%q, %v", out, err)
		}
	}
	if text, _ := os.ReadFile(ran); string(text) != "x\n" {
		t.Errorf("it ran more than once: %q", text)
	}
	if _, err := c.run(t.Context(), "echo secret; exit 3"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a failure is %v", err)
	}
	if _, err := c.run(t.Context(), "exit 3"); err == nil {
		t.Error("a failure is kept as a success")
	}
}

func TestDescribeNamesServerOperationAndCauseWithoutSecrets(t *testing.T) {
	secrets := &redactor{}
	secrets.add("hunter2-hunter2")
	got := describe("fs", &transport.Error{
		Code: transport.CodeExited, Stage: transport.StageInitialize, Message: "exited with status 3 during initialize",
		Stderr: []string{"token hunter2-hunter2 refused"}, Err: errors.New("x"),
	}, secrets.clean)
	want := rpc.ServerError{
		Code: "exited", Stage: rpc.StageInitialize, Message: `server "fs": exited with status 3 during initialize`,
		Stderr: []string{"token [redacted] refused"},
	}
	if got.Code != want.Code || got.Stage != want.Stage || got.Message != want.Message || !slices.Equal(got.Stderr, want.Stderr) {
		t.Errorf("%+v", got)
	}
}

func TestHostsHearWhatIsLoggedWithoutSecrets(t *testing.T) {
	secrets := &redactor{}
	secrets.add("hunter2-hunter2")
	var heard []rpc.LogParams
	log := slog.New(&hostLog{
		next: slog.DiscardHandler, clean: secrets.clean,
		tell: func(p rpc.LogParams) { heard = append(heard, p) },
	})
	log.DebugContext(context.Background(), "not for hosts")
	log.Warn("it failed", serverKey, "fs", "err", errors.New("with hunter2-hunter2"))
	want := []rpc.LogParams{{Level: rpc.LogWarning, Message: "it failed; err: with [redacted]", Server: "fs"}}
	if !slices.Equal(heard, want) {
		t.Errorf("%+v", heard)
	}
}
