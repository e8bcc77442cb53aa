//go:build linux || darwin

package transport

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
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

// leaving is a command that starts a child which ignores everything but SIGKILL,
// and itself ends, with "done", on SIGTERM. end sends that.
type leaving struct {
	child  *life
	leader int // and group
	ended  chan error
}

func startLeaving(t *testing.T, d *Dialer) *leaving {
	t.Helper()
	all := newLives(t)
	child := childSpec(t, "stubborn", all.env())
	l := &leaving{ended: make(chan error, 1)}
	go func() { // ends with the command
		out, err := d.Run(t.Context(), "trap 'echo done; exit 0' TERM; '"+child.Command+"' & wait", child.Env)
		if err == nil && out != "done" {
			err = fmt.Errorf("it printed %q", out)
		}
		l.ended <- err
	}()
	l.child = all.next()
	t.Cleanup(func() {
		if t.Failed() {
			_ = syscall.Kill(l.child.pid, syscall.SIGKILL)
		}
	})
	var err error
	if l.leader, err = syscall.Getpgid(l.child.pid); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *leaving) end(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(l.leader, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

// What a command leaves in the background holds its pipe and would go on.
func TestCommandLeavesNothingBehind(t *testing.T) {
	l := startLeaving(t, &Dialer{})
	l.end(t)
	if err := <-l.ended; err != nil {
		t.Error(err)
	}
	l.child.mustEnd(t, 2*time.Second)
}

// Else the guard could kill whoever has been given the number since.
func TestCommandKeepsItsNumberUntilTheGuardHasForgottenIt(t *testing.T) {
	guard := &Guard{}
	defer guard.Close()
	l := startLeaving(t, &Dialer{Guard: guard})
	guard.awaitListed(t, l.leader)
	guard.mu.Lock()
	l.end(t)
	l.child.mustEnd(t, 2*time.Second) // the group has been killed, and the guard is about to be told
	if ended, known := hasEnded(l.leader); !ended || !known {
		t.Errorf("the leader has ended: %v; it has its number: %v", ended, known)
	}
	guard.mu.Unlock()
	if err := <-l.ended; err != nil {
		t.Error(err)
	}
	if _, known := hasEnded(l.leader); known {
		t.Error("the leader is not reaped")
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
