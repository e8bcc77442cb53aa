//go:build linux || darwin

package transport

import (
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestNothingSurvivesAKillOfTheSidecar(t *testing.T) {
	t.Parallel()
	afterKill(t, "family", "")
}

// afterKill kills a host whose server is a father with a child, and waits for
// the end of both.
func afterKill(t *testing.T, server, mark string) {
	t.Helper()
	all := newLives(t)
	spec := childSpec(t, "host", all.env(), serverEnv+"="+server, markEnv+"="+mark)
	host := exec.CommandContext(t.Context(), spec.Command)
	host.Env = spec.Env
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	family := all.named("host", "father", "child")
	if _, err := out.Read(make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	family["father"].mustEnd(t, 2*time.Second)
	family["child"].mustEnd(t, 2*time.Second)
	_ = host.Wait()
}

// startStubborn starts a process that ignores everything but SIGKILL, as a
// group of its own, and reaps it when it ends.
func startStubborn(t *testing.T, all *lives, env ...string) *life {
	t.Helper()
	spec := childSpec(t, "stubborn", append(env, all.env())...)
	cmd := exec.CommandContext(t.Context(), spec.Command)
	cmd.Env, cmd.SysProcAttr = spec.Env, ownSession()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	reaped := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(reaped)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-reaped
	})
	return all.next()
}

func (o *life) mustLive(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(o.pid, 0); err != nil {
		t.Errorf("process %d should live: %v", o.pid, err)
	}
}

// awaitListed waits until a group is under guard; any goroutine may.
func (g *Guard) awaitListed(t *testing.T, pgid int) {
	t.Helper()
	limit := time.After(10 * time.Second)
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		g.mu.Lock()
		_, listed := g.groups[pgid]
		g.mu.Unlock()
		if listed {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Errorf("group %d is not under guard", pgid)
			return
		}
	}
}

func TestClosingTheGuardKillsWhatIsListedAndNothingElse(t *testing.T) {
	t.Parallel()
	all := newLives(t)
	listed, removed, never := startStubborn(t, all), startStubborn(t, all), startStubborn(t, all)
	var g Guard
	for _, o := range []*life{listed, removed} {
		if err := g.Add(o.pid); err != nil {
			t.Fatal(err)
		}
	}
	g.Remove(removed.pid)
	g.Close()
	listed.mustEnd(t, 2*time.Second)
	removed.mustLive(t)
	never.mustLive(t)
}

func TestAGuardThatDiesIsReplacedWithTheSameList(t *testing.T) {
	t.Parallel()
	all := newLives(t)
	listed := startStubborn(t, all)
	var g Guard
	if err := g.Add(listed.pid); err != nil {
		t.Fatal(err)
	}
	g.mu.Lock()
	first := g.child
	g.mu.Unlock()
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	limit := time.After(10 * time.Second)
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		g.mu.Lock()
		now := g.child
		g.mu.Unlock()
		if now != nil && now != first {
			break
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("no second guard")
		}
	}
	listed.mustLive(t)
	g.Close()
	listed.mustEnd(t, 2*time.Second)
}

func TestAGuardThatHangsIsKilledNotObeyed(t *testing.T) {
	t.Parallel()
	all := newLives(t)
	listed := startStubborn(t, all)
	var g Guard
	if err := g.Add(listed.pid); err != nil {
		t.Fatal(err)
	}
	g.mu.Lock()
	first := g.child
	g.mu.Unlock()
	if err := first.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// Numbers nobody has, until the pipe is full and the guard given up.
	failed := false
	for range 20_000 {
		if g.Add(1<<30) != nil {
			failed = true
			break
		}
	}
	if !failed {
		t.Error("a guard that does not read was never noticed")
	}
	listed.mustLive(t)
	g.Close()
}

func TestRunGuardRefusesNumbersThatMeanMoreThanAGroup(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"+0", "+1", "-1", "+-5", "+", "5", "+x", ""} {
		if pgid, _, err := parseGuardLine(line); err == nil {
			t.Errorf("%q was taken as %d", line, pgid)
		}
	}
	defer heedSignals()
	if code := RunGuard(strings.NewReader("+1073741824\n-1073741824\n")); code != 0 {
		t.Errorf("RunGuard = %d", code)
	}
}

// heedSignals undoes what RunGuard did to this process: children would inherit it,
// and a shell cannot trap what was ignored when it began.
func heedSignals() {
	none := make(chan os.Signal, 1)
	signal.Notify(none, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP) // Reset does not undo Ignore
	signal.Stop(none)
}
