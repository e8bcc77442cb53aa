package toolcache

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/disktest"
)

func TestADeadDiskIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	c, log := open(filepath.Join(disktest.Dead(t), "cache"))
	begun := time.Now()
	for range 100 {
		if _, ok := c.Load(sharedKey(), month, noon()); ok {
			t.Error("a hit")
		}
		if c.Save(sharedKey(), list()) == nil {
			t.Error("saved")
		}
		c.Drop(sharedKey())
		c.Sweep(month, noon())
	}
	if took := time.Since(begun); took > 10*diskLimit { // of 400 times
		t.Errorf("it was waited for more than once: %v", took)
	}
	log.expect(t, 1, "no answer from the disk within 2s")
}
