package trust

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/disktest"
)

func TestADeadDiskTrustsNothingAndSaysSo(t *testing.T) {
	t.Parallel()
	s := Open(filepath.Join(disktest.Dead(t), "trust.json"))
	if b, err := s.Load(t.Context()); len(b.Entries()) != 0 || err == nil || !strings.Contains(err.Error(), "no answer from the file system within 5s") {
		t.Error(b, err)
	}
}
