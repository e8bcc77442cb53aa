package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

const (
	// commandTime bounds a command whose output is a value of an entry.
	commandTime = 10 * time.Second
	// commandOutput is how much of it is read, in bytes.
	commandOutput = 1 << 20
	// commandPipe is how long its pipe may stay open once it has ended.
	commandPipe = 100 * time.Millisecond
)

// Run runs /bin/sh -c command and returns what it prints, without the line
// breaks at the end. It returns soon after ctx ends, and nothing of the
// command's process group is left. The error never holds output.
func (d *Dialer) Run(ctx context.Context, command string, env []string) (string, error) {
	if err := supported(); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, commandTime, fmt.Errorf("it took longer than %s", commandTime))
	defer cancel()
	out := &limitedBuffer{limit: commandOutput}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.SysProcAttr = ownSession()
	cmd.Env, cmd.Stdout, cmd.WaitDelay = d.Guard.marked(env), out, commandPipe
	cmd.Cancel = func() error { killGroup(cmd.Process.Pid); return nil }
	if d.Guard != nil {
		if err := d.Guard.start(); err != nil {
			return "", err
		}
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	if d.Guard != nil {
		_ = d.Guard.Add(cmd.Process.Pid) // a guard that is gone is started again with the list
	}
	err := cmd.Wait()
	killGroup(cmd.Process.Pid) // what it left in the background
	if d.Guard != nil {
		d.Guard.Remove(cmd.Process.Pid)
	}
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case out.buf.Len() == commandOutput:
		return "", fmt.Errorf("it printed %d bytes or more", commandOutput)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return "", err
	}
	return strings.TrimRight(out.buf.String(), "\r\n"), nil
}

// limitedBuffer takes only so much: then the pipe is closed, and the command
// with it.
type limitedBuffer struct {
	buf   bytes.Buffer // not embedded: its ReadFrom knows no limit
	limit int
}

// Write implements io.Writer.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	n, _ := b.buf.Write(p[:min(len(p), b.limit-b.buf.Len())]) // a buffer takes everything
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}
