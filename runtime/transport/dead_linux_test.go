package transport

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/disktest"
)

func TestADeadFileSystemIsWaitedForAsLongAsTheAttemptMayTake(t *testing.T) {
	t.Parallel()
	dead, alive := disktest.Dead(t), t.TempDir()
	for what, spec := range map[string]Spec{
		"in PATH":                  {Command: "npx", Dir: alive, Env: []string{"PATH=" + dead + ":/bin"}},
		"of the command":           {Command: filepath.Join(dead, "bin/npx"), Dir: alive},
		"of the working directory": {Command: "/bin/true", Dir: filepath.Join(dead, "project")},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			d := &Dialer{}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			spec.Name, spec.Kind = "s", Stdio
			_, err := d.Dial(ctx, spec, Hooks{})
			var failure *Error
			if !errors.As(err, &failure) || failure.Code != CodeTimeout || failure.Stage != StageSpawn || !failure.NotSent {
				t.Fatalf("got %#v", err)
			}
			if !strings.Contains(failure.Hint, dead) {
				t.Errorf("it does not say what does not answer: %q", failure.Hint)
			}
			if what != "of the working directory" {
				if at, err := d.Locate(ctx, spec); err == nil {
					t.Errorf("located: %+v", at)
				}
			}
		})
	}
}
