package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/disktest"
)

// A home directory on a network drive that is gone: the project's servers start
// all the same, and what was not read is said.
func TestAHomeThatDoesNotAnswerCostsWhatIsInItOnly(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	home := filepath.Join(disktest.Dead(t), "home")
	d.write("project/.mcp.json", `{"mcpServers": {`+d.server("here", "tool echo\n")+`, "lost": {"command": "npx"}}}`)
	d.env = append(d.env, "HOME="+home, "XDG_CACHE_HOME=", "XDG_STATE_HOME=", "PATH="+filepath.Join(home, "bin"))
	got := d.run(d.sidecar("list", "--trust", "allow", "--timeout", "1", "--log-level", "warn"))
	if got.code != 1 || !strings.Contains(got.out, "here  ready: 1 tool") {
		t.Fatalf("%+v", got)
	}
	for _, path := range []string{".claude.json", "bin/npx", ".local/state/mcp-sidecar/trust.json"} {
		if !strings.Contains(got.out, filepath.Join(home, path)) {
			t.Errorf("nothing about %s in: %s", path, got.out)
		}
	}
	if !strings.Contains(got.errors, "no answer from the disk") {
		t.Errorf("nothing about the cache in: %s", got.errors)
	}
}

// The directory of the login session is on a disk that is gone: runtime/share
// says so, and the session ends all the same.
func TestADoorThatCannotBeMadeKeepsNobodyFromEnding(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.env = append(d.env, "XDG_RUNTIME_DIR="+disktest.Dead(t))
	d.users(d.server("fs", "tool echo\n"))
	h, _ := d.start()
	d.must(h.say("%s", d.initialize("")))
	d.must(h.await(`"id":1`))
	d.must(h.say(`{"jsonrpc":"2.0","id":2,"method":"runtime/share"}`))
	d.must(h.await(`"id":2,"error":{"code":-32603,"message":"the session cannot be shared: no answer from the disk within 5s"`))
	d.must(h.say(`{"jsonrpc":"2.0","id":3,"method":"runtime/shutdown"}`))
	d.must(h.await(`"id":3`))
	d.must(h.say(`{"jsonrpc":"2.0","method":"runtime/exit"}`))
	d.must(h.Wait())
	d.must(d.hub.AwaitEnd(d.ctx, "fs"))
}
