package transport

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	// drainTime is how long the pipes of a process are still read after it has
	// ended. What is in them arrives at once; only a process that left the group
	// and kept them open makes use of the time.
	drainTime = 250 * time.Millisecond
	// goneTime is how long killed processes may take to disappear.
	goneTime = 500 * time.Millisecond
	// groupPoll is how often a group whose leader has ended is looked at. No
	// event tells when the others end.
	groupPoll = 5 * time.Millisecond
)

// process is one server or command and its group: a session of its own, so that
// it has no terminal, and whatever it starts unless that leaves the group.
//
// Its number stays taken until the group has been dealt with: the leader, once
// ended, is left a zombie while the rest is stopped or killed and the guard is
// told to forget it, and is reaped last. So neither we nor the guard can ever
// signal a group that happens to have inherited the number.
type process struct {
	id     int
	stdin  *os.File // write end; whoever writes there closes it; nil for a command
	stdout *os.File // read ends; closed by the watcher
	stderr *os.File // nil for a command

	// readers counts those who read stdout and stderr; the watcher waits for
	// them before it closes ended.
	readers sync.WaitGroup

	stopOnce sync.Once
	stopping chan struct{} // closed by stop
	deadline time.Time     // set before stopping is closed

	exited chan struct{} // closed when the leader has ended
	// ended is closed when the leader is reaped, the group is gone and the
	// readers have returned. status is valid from then on.
	ended  chan struct{}
	status exitStatus
}

// exitStatus is how the leader ended.
type exitStatus struct {
	code     int
	signal   string // "" if it exited
	byUs     bool   // stop had been called
	unreaped bool   // it could not even be killed: the kernel holds it
}

func (s exitStatus) String() string {
	switch {
	case s.unreaped:
		return "cannot be killed"
	case s.signal != "":
		return "was killed by signal: " + s.signal
	default:
		return fmt.Sprintf("exited with status %d", s.code)
	}
}

// startProcess starts the command of spec. The caller adds to readers before
// it calls watch.
func (d *Dialer) startProcess(ctx context.Context, spec *Spec) (*process, error) {
	if err := supported(); err != nil {
		return nil, spawnError(spec, err)
	}
	if err := passable(spec); err != nil {
		return nil, err
	}
	path, env, err := d.resolve(ctx, spec)
	if err != nil {
		return nil, err
	}
	// Before the first child, so that no child is without one.
	if err := d.Guard.start(); err != nil {
		d.logger().Warn("no guard: servers would survive a kill of the sidecar", "error", err)
	}
	pipes, err := newPipes()
	if err != nil {
		return nil, spawnError(spec, err)
	}
	argv := append([]string{spec.Command}, spec.Args...)
	if env == nil {
		env = []string{}
	}
	child, err := os.StartProcess(path, argv, &os.ProcAttr{
		Dir:   spec.Dir,
		Env:   env,
		Files: []*os.File{pipes.stdinRead, pipes.stdoutWrite, pipes.stderrWrite},
		Sys:   ownSession(),
	})
	if err == nil {
		if guardErr := d.Guard.Add(child.Pid); guardErr != nil {
			d.logger().Warn("the guard does not answer", "server", spec.Name, "error", guardErr)
		}
	}
	pipes.closeChildEnds()
	if err != nil {
		pipes.closeOurEnds()
		return nil, spawnError(spec, err)
	}
	return newProcess(child, pipes), nil
}

// given are the texts that a child of spec is given, each with its name.
func given(spec *Spec) iter.Seq2[string, string] {
	return func(yield func(name, text string) bool) {
		if !yield("the command", spec.Command) {
			return
		}
		for i, arg := range spec.Args {
			if !yield(fmt.Sprintf("argument %d", i+1), arg) {
				return
			}
		}
		for _, entry := range spec.Env {
			key, _, _ := strings.Cut(entry, "=")
			if !yield("environment variable "+key, entry) {
				return
			}
		}
	}
}

// passable refuses what no process can be given: a zero byte ends a string.
func passable(spec *Spec) error {
	for name, text := range given(spec) {
		if strings.Contains(text, "\x00") {
			return &Error{
				Code: CodeSpawn, Stage: StageSpawn, NotSent: true, Lasting: true,
				Message: fmt.Sprintf("command %q cannot be started: %s has a zero byte in it", spec.Command, name),
			}
		}
	}
	return nil
}

func newProcess(child *os.Process, pipes *childPipes) *process {
	id := child.Pid
	// From here on it is waited for by its number; the handle is not needed.
	_ = child.Release()
	return &process{
		id:       id,
		stdin:    pipes.stdinWrite,
		stdout:   pipes.stdoutRead,
		stderr:   pipes.stderrRead,
		stopping: make(chan struct{}),
		exited:   make(chan struct{}),
		ended:    make(chan struct{}),
	}
}

func (d *Dialer) logger() *slog.Logger {
	if d.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return d.Log
}

// watch owns the end of the process. It returns when there is nothing left of
// it.
func (p *process) watch(guard *Guard) {
	defer close(p.ended)
	go func() { // ends with the process
		awaitExit(p.id)
		close(p.exited)
	}()
	select {
	case <-p.exited:
	case <-p.stopping:
	}
	if p.isStopping() { // also when it was quick to obey
		p.status.byUs = true
		p.askToStop()
	}
	killGroup(p.id)
	p.reap(guard)
	p.drain()
}

func (p *process) isStopping() bool {
	select {
	case <-p.stopping:
		return true
	default:
		return false
	}
}

// askToStop is the polite part of a stop. stdin is being closed; after 2/5 of
// the time, or once the leader has ended and left others behind, the group gets
// SIGTERM, and another 2/5 to obey. It returns when the group is gone or the
// time is up. The last 1/5 is for killing.
func (p *process) askToStop() {
	fifth := time.Until(p.deadline) / 5
	timer := time.NewTimer(2 * fifth)
	defer timer.Stop()
	select {
	case <-p.exited:
		if !othersAlive(p.id) {
			return
		}
	case <-timer.C:
	}
	terminateGroup(p.id)
	timer.Reset(2 * fifth)
	select {
	case <-p.exited:
	case <-timer.C:
		return
	}
	poll := time.NewTicker(groupPoll)
	defer poll.Stop()
	for othersAlive(p.id) {
		select {
		case <-poll.C:
		case <-timer.C:
			return
		}
	}
}

// reap frees the number of a group that has been killed. All its members have
// the signal by now, and nobody can join: there is nothing left to guard.
func (p *process) reap(guard *Guard) {
	limit := time.NewTimer(goneTime)
	defer limit.Stop()
	select {
	case <-p.exited:
	case <-limit.C:
		// It sleeps in the kernel. The guard keeps it listed.
		p.status.unreaped = true
		return
	}
	guard.Remove(p.id)
	p.status.code, p.status.signal = reapLeader(p.id)
	poll := time.NewTicker(groupPoll)
	defer poll.Stop()
	for groupAlive(p.id) {
		select {
		case <-poll.C:
		case <-limit.C:
			return
		}
	}
}

// drain lets the readers take what is left in the pipes, and closes those that
// somebody who has left the group keeps open.
func (p *process) drain() {
	read := make(chan struct{})
	go func() { // ends with the readers, whom the closing below ends
		p.readers.Wait()
		close(read)
	}()
	limit := time.NewTimer(drainTime)
	defer limit.Stop()
	select {
	case <-read:
	case <-limit.C:
	}
	_ = p.stdout.Close()
	_ = p.stderr.Close()
	<-read
}

// stop begins to end the process within the time given; ended is closed when
// that is done. Close its stdin after it, not before: a server that obeys at
// once would seem to have died. It may be called more than once: the first sets
// the time.
func (p *process) stop(within time.Duration) {
	p.stopOnce.Do(func() {
		p.deadline = time.Now().Add(within)
		close(p.stopping)
	})
}

// childPipes are the three pipes of a child, both ends.
type childPipes struct {
	stdinRead, stdinWrite   *os.File
	stdoutRead, stdoutWrite *os.File
	stderrRead, stderrWrite *os.File
}

func newPipes() (*childPipes, error) {
	p := &childPipes{}
	var err error
	if p.stdinRead, p.stdinWrite, err = os.Pipe(); err != nil {
		return nil, err
	}
	if p.stdoutRead, p.stdoutWrite, err = os.Pipe(); err == nil {
		p.stderrRead, p.stderrWrite, err = os.Pipe()
	}
	if err != nil {
		p.closeChildEnds()
		p.closeOurEnds()
		return nil, err
	}
	return p, nil
}

func (p *childPipes) closeChildEnds() { closeAll(p.stdinRead, p.stdoutWrite, p.stderrWrite) }
func (p *childPipes) closeOurEnds()   { closeAll(p.stdinWrite, p.stdoutRead, p.stderrRead) }

// closeAll ignores errors, as from a nil file: nothing has been written there.
func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = io.Closer(f).Close()
	}
}
