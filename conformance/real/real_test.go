// Package real runs the sidecar's own binary against MCP servers that other
// people wrote: those of npm, and the Go SDK's examples. And it runs mcp-sidecar
// mcp, with such servers behind it, for MCP clients that other people wrote: those
// of the SDKs in Go and TypeScript, and the MCP Inspector.
//
// The npm servers are installed from the lockfile beside this file, the clients
// from the one in clients (make real does it). Where they are missing the tests
// are skipped, unless MCP_SIDECAR_REAL=required is set: then their absence is a
// failure.
package real

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// programs says where TestMain put what it built. It is written before the
// tests run and only read by them.
var programs struct {
	dir     string // holds mcp-sidecar and the Go servers
	missing bool   // the npm servers are not installed
	err     error  // why there are no programs
}

// goServers are built from the Go SDK's version in go.mod, by the last element
// of their path.
var goServers = []string{
	"github.com/modelcontextprotocol/go-sdk/examples/server/everything",
	"github.com/modelcontextprotocol/go-sdk/examples/server/memory",
	"github.com/modelcontextprotocol/go-sdk/conformance/everything-server",
}

func TestMain(m *testing.M) {
	if _, err := os.Stat(filepath.Join("node_modules", ".package-lock.json")); err != nil {
		programs.missing = true
		m.Run()
		return
	}
	programs.dir, programs.err = os.MkdirTemp("", "mcp-sidecar-real")
	if programs.err == nil {
		defer os.RemoveAll(programs.dir)
		programs.err = build(programs.dir)
	}
	m.Run()
}

// build puts the sidecar, with the race detector when the tests have it, and
// the Go servers into dir.
func build(dir string) error {
	sidecar := []string{"build", "-o", dir + string(filepath.Separator)}
	if raceEnabled {
		sidecar = append(sidecar, "-race")
	}
	servers := append([]string{"build", "-o", dir + string(filepath.Separator)}, goServers...)
	for _, args := range [][]string{append(sidecar, "github.com/mcp-sidecar/mcp-sidecar/cmd/mcp-sidecar"), servers} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// needPrograms skips the test where the servers are not installed and need not
// be.
func needPrograms(t *testing.T) {
	t.Helper()
	// Go's cache of test results sees what the test looks at itself, while tests
	// run: not what the child that builds the sidecar reads.
	for _, root := range []string{"../../go.mod", "../../go.sum", "../../cmd", "../../rpc", "../../runtime"} {
		if err := filepath.WalkDir(root, func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case programs.err != nil:
		t.Fatal(programs.err)
	case programs.missing:
		missing(t, "servers")
	}
}

// missing ends the test: npm packages are not installed.
func missing(t *testing.T, what string) {
	t.Helper()
	text := "the npm " + what + " are not installed; `make real` installs and tests them"
	if os.Getenv("MCP_SIDECAR_REAL") == "required" {
		t.Fatal(text)
	}
	t.Skip(text)
}

// npm is the absolute path of a file in node_modules.
func npm(t *testing.T, path string) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("node_modules", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// The entry points of the npm servers.
const (
	everythingJS = "@modelcontextprotocol/server-everything/dist/index.js"
	filesystemJS = "@modelcontextprotocol/server-filesystem/dist/index.js"
	memoryJS     = "@modelcontextprotocol/server-memory/dist/index.js"
	thinkingJS   = "@modelcontextprotocol/server-sequential-thinking/dist/index.js"
	playwrightJS = "@playwright/mcp/cli.js"
	context7JS   = "@upstash/context7-mcp/dist/index.js"
)

func goServer(path string) string {
	return filepath.Join(programs.dir, filepath.Base(path))
}

// freeAddress is a loopback address nobody listens on.
func freeAddress(t *testing.T) (address, port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return l.Addr().String(), port
}
