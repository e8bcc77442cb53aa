//go:build unix

package conformance

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// binaryVariable names a sidecar to test instead of building this tree's.
const binaryVariable = "CONFORMANCE_BINARY"

// binaries are the programs under test. TestMain sets them before any test
// runs.
var binaries struct{ sidecar, fake string }

func TestMain(m *testing.M) {
	if os.Getenv(hostVariable) != "" {
		os.Exit(beHost())
	}
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := 1
	if err := buildAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

func buildAll(dir string) error {
	var err error
	if binaries.fake, err = build(dir, "fake", "./fake"); err != nil {
		return err
	}
	if binaries.sidecar = os.Getenv(binaryVariable); binaries.sidecar != "" {
		return nil
	}
	binaries.sidecar, err = build(dir, "mcp-sidecar", "../cmd/mcp-sidecar")
	return err
}

// lookAtSources has Go's cache of test results know what the programs under test
// are built from, once. The cache sees what the test looks at itself, and not what the
// `go build` above reads; and it sees that only while tests run, which TestMain
// is too early for. To walk a directory is to look at every file in it.
var lookAtSources = sync.OnceValue(func() error {
	for _, root := range []string{"../go.mod", "../go.sum", "../cmd", "../rpc", "../runtime", "control", "fake"} {
		err := filepath.WalkDir(root, func(_ string, _ fs.DirEntry, err error) error { return err })
		if err != nil {
			return err
		}
	}
	return nil
})

func build(dir, name, pkg string) (string, error) {
	path := filepath.Join(dir, name)
	args := []string{"build", "-o", path}
	if raceEnabled {
		args = append(args, "-race")
	}
	out, err := exec.Command("go", append(args, pkg)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	return path, nil
}
