//go:build unix && !linux

package config

import (
	"os"
	"testing"
)

func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() == 0 {
		t.Skip("root can read every file")
	}
	f()
}
