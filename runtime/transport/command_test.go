package transport

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestCommandGivesWhatItPrints(t *testing.T) {
	d := &Dialer{}
	out, err := d.Run(t.Context(), `printf 'a\nb\n\n'; echo noise >&2`, os.Environ())
	if err != nil || out != "a\nb" {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := d.Run(t.Context(), "echo secret; exit 3", os.Environ()); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a failure is %v", err)
	}
	if out, err := d.Run(t.Context(), "yes", os.Environ()); err == nil {
		t.Errorf("%d bytes of endless output", len(out))
	} else if !strings.Contains(err.Error(), "printed") {
		t.Errorf("endless output ends with %v", err)
	}
}

// What a command leaves in the background holds its pipe and would go on.
func TestCommandLeavesNothingBehind(t *testing.T) {
	d := &Dialer{}
	out, err := d.Run(t.Context(), "sleep 300 & echo $!", os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(out)
	if err != nil {
		t.Fatal(err)
	}
	if othersAlive(pid) || groupAlive(pid) {
		t.Errorf("process %d goes on", pid)
	}
}

func TestCommandEndsWithItsContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
	begun := time.Now()
	if _, err := (&Dialer{}).Run(ctx, "sleep 300", os.Environ()); !errors.Is(err, cause) {
		t.Errorf("it ended with %v", err)
	}
	if time.Since(begun) > 20*time.Second {
		t.Error("it was waited for")
	}
}
