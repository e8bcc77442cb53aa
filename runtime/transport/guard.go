package transport

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// GuardEnv is the environment variable that makes the binary the guard. Its value
// is the guard's mark, or unmarked. main looks at it before anything else, and if
// it is set does nothing but
//
//	os.Exit(transport.RunGuard(os.Stdin))
const GuardEnv = "MCP_SIDECAR_GUARD"

const (
	// unmarked stands for no mark. It has no "=", as every mark has.
	unmarked = "1"
	// guardOrder is the line that precedes the end of the pipe when it is meant:
	// then every server has been stopped, and there is nothing to look for.
	guardOrder = "."
	// guardAnswers bounds a write to a guard that has stopped reading.
	guardAnswers = time.Second
	// guardPause lies between the end of a guard and the start of the next, so
	// that one that cannot live is not started without end.
	guardPause = time.Second
)

// Guard makes sure that no server outlives the sidecar, even one that is killed
// without warning: a second process that holds the read end of a pipe, knows
// the process group of every server, and kills them all when the pipe ends.
//
// It can never kill a stranger that has been given the number of a group: a
// number is taken off the list before the group's leader is reaped (process.watch),
// so while we live every listed number is held by a process of ours, alive or a
// zombie. When we die, the pipe ends in that same moment and the guard acts
// within milliseconds, long before the system has gone through all numbers.
//
// A list has a hole: we may be killed between the start of a server and Add, and
// a server's descendant may leave the group. Hence the mark: when we did not end
// by Close, on Linux the guard also kills every process of this user that has it
// in its environment (sweep). macOS shows no environments, and there the hole
// remains. After Close there is no sweep: what has left its group then, such as
// a browser that was opened for a login, was meant to stay.
//
// The zero value is ready, and nil guards nothing. The process is started with
// the first server, and again with the same list if it dies.
type Guard struct {
	// Mark is an environment entry, "KEY=value", that only this session's children
	// have: the Dialer gives it to all it starts. "" means that there is no sweep.
	// It does not change after the first use.
	Mark string

	mu     sync.Mutex
	groups map[int]struct{} // guarded by mu
	child  *os.Process      // guarded by mu; nil while no guard runs
	pipe   *os.File         // guarded by mu; write end, nil while no guard runs
	used   bool             // guarded by mu; a guard is wanted
	closed chan struct{}    // guarded by mu; made with the first start, closed by Close
	kept   sync.WaitGroup   // the goroutine that waits for the guard and restarts it
}

// start makes sure that a guard runs or is about to be started again.
func (g *Guard) start() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.used {
		return nil
	}
	child, err := g.spawn()
	if err != nil {
		return err
	}
	g.used = true
	g.closed = make(chan struct{})
	closed := g.closed
	g.kept.Go(func() { g.keep(child, closed) })
	return nil
}

// Add puts a process group under guard.
func (g *Guard) Add(pgid int) error {
	if err := g.start(); g == nil || err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.groups == nil {
		g.groups = map[int]struct{}{}
	}
	g.groups[pgid] = struct{}{}
	return g.tell('+', pgid)
}

// Remove takes it off again. The number must still be taken: see process.watch.
func (g *Guard) Remove(pgid int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.groups, pgid)
	// The next guard gets the new list; this one is killed if it cannot be told.
	_ = g.tell('-', pgid)
}

// Close ends the guard, which kills what is still listed, and waits for it. It is
// for when every server has been stopped; else leave it to act when the sidecar
// ends.
func (g *Guard) Close() { g.end(true) }

// end drops the guard and waits for it. One that is not told that the end is in
// order looks for the mark as well.
func (g *Guard) end(inOrder bool) {
	if g == nil {
		return
	}
	g.mu.Lock()
	if g.used {
		g.used = false
		close(g.closed)
		if g.pipe != nil && inOrder {
			_ = g.write(guardOrder) // one that does not read it does the other
		}
		g.drop()
	}
	g.mu.Unlock()
	g.kept.Wait()
}

// tell sends one line. Without a guard there is nobody to tell: the next one is
// given the list. The caller holds mu.
func (g *Guard) tell(sign byte, pgid int) error {
	if g.pipe == nil {
		return nil
	}
	err := g.write(string(sign) + strconv.Itoa(pgid))
	if err != nil {
		// It has died or does not read, and its list is wrong now. It must not
		// see the end of the pipe. keep starts the next one.
		_ = g.child.Kill()
	}
	return err
}

// write sends one line to the guard that runs. The caller holds mu.
func (g *Guard) write(line string) error {
	_ = g.pipe.SetWriteDeadline(time.Now().Add(guardAnswers))
	_, err := io.WriteString(g.pipe, line+"\n")
	return err
}

// marked is env with the mark; env stays as it is.
func (g *Guard) marked(env []string) []string {
	if g == nil || g.Mark == "" {
		return env
	}
	key, value, _ := strings.Cut(g.Mark, "=")
	return setenv(env, key, value)
}

// drop ends the pipe and with it the guard. The caller holds mu.
func (g *Guard) drop() {
	if g.pipe != nil {
		_ = g.pipe.Close()
		g.pipe, g.child = nil, nil
	}
}

// spawn starts a guard and gives it the list. The caller holds mu.
func (g *Guard) spawn() (*os.Process, error) {
	program, err := ownExecutable()
	if err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	mark := g.Mark
	if mark == "" {
		mark = unmarked
	}
	child, err := os.StartProcess(program, []string{"mcp-sidecar-guard"}, &os.ProcAttr{
		Dir:   "/",
		Env:   []string{GuardEnv + "=" + mark},
		Files: []*os.File{read, null, null},
		Sys:   ownSession(),
	})
	if err != nil {
		_ = write.Close()
		return nil, err
	}
	g.pipe, g.child = write, child
	for pgid := range g.groups {
		if err := g.tell('+', pgid); err != nil {
			break // it has died already; keep will notice
		}
	}
	return child, nil
}

// keep waits for the guard and starts the next when it dies. It ends with
// Close.
func (g *Guard) keep(child *os.Process, closed <-chan struct{}) {
	for {
		if child != nil {
			// How it ended makes no difference.
			_, _ = child.Wait()
			child = nil
		}
		g.mu.Lock()
		g.drop()
		g.mu.Unlock()
		pause := time.NewTimer(guardPause)
		select {
		case <-closed:
			pause.Stop()
			return
		case <-pause.C:
		}
		g.mu.Lock()
		if g.used {
			// If it cannot be started now, the next round may do better.
			child, _ = g.spawn()
		}
		g.mu.Unlock()
	}
}

// RunGuard is the guard: it reads "+<pgid>" and "-<pgid>" lines until in ends,
// then kills every group still listed and, unless the end was announced,
// everything that bears the mark in GuardEnv, and returns the exit code. Signals
// that a terminal or a session manager sends to everybody do not end it: its pipe
// does.
func RunGuard(in io.Reader) int {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	groups := map[int]struct{}{}
	ordered := false
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if lines.Text() == guardOrder {
			ordered = true
			continue
		}
		pgid, add, err := parseGuardLine(lines.Text())
		switch {
		case err != nil:
			return 2
		case add:
			groups[pgid] = struct{}{}
		default:
			delete(groups, pgid)
		}
	}
	for pgid := range groups {
		killGroup(pgid)
	}
	if mark := os.Getenv(GuardEnv); !ordered && strings.Contains(mark, "=") {
		sweep(mark)
	}
	return 0
}

// parseGuardLine refuses 0 and 1: killing them would mean our own group, and
// everything.
func parseGuardLine(line string) (pgid int, add bool, err error) {
	if len(line) < 2 || (line[0] != '+' && line[0] != '-') {
		return 0, false, errors.New("no sign")
	}
	pgid, err = strconv.Atoi(line[1:])
	if err != nil || pgid < 2 {
		return 0, false, errors.New("no process group")
	}
	return pgid, line[0] == '+', nil
}
