package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

const (
	// commandTime bounds a command whose output is a value of an entry.
	commandTime = 10 * time.Second
	// commandOutput is how much of it is read, in bytes.
	commandOutput = 1 << 20
)

// Run runs /bin/sh -c command and returns what it prints, without the line
// breaks at the end. It returns soon after ctx ends, and nothing of the
// command's process group is left. The error never holds output.
func (d *Dialer) Run(ctx context.Context, command string, env []string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, commandTime, fmt.Errorf("it took longer than %s", commandTime))
	defer cancel()
	out, status, err := d.output(ctx, []string{"/bin/sh", "-c", command}, "", env, func(out []byte) bool {
		return len(out) >= commandOutput
	})
	switch {
	case err != nil:
		return "", err
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case len(out) >= commandOutput:
		return "", fmt.Errorf("it printed %d bytes or more", commandOutput)
	case status.code != 0:
		return "", errors.New(status.String())
	}
	return strings.TrimRight(string(out), "\r\n"), nil
}

// output runs a program, with nothing to read, in a group under guard, and
// returns what it prints. It ends with the program, or ends it when ctx ends or
// what is printed is enough; nothing of the group is left then.
func (d *Dialer) output(ctx context.Context, argv []string, dir string, env []string, enough func([]byte) bool) ([]byte, exitStatus, error) {
	if ctx.Err() != nil {
		return nil, exitStatus{}, context.Cause(ctx)
	}
	p, err := d.startCommand(argv, dir, env)
	if err != nil {
		return nil, exitStatus{}, err
	}
	var out []byte // the reader's, until watch has returned
	p.readers.Go(func() {
		var full bool
		if out, full = readUntil(p.stdout, enough); full {
			p.stop(0)
		}
	})
	defer context.AfterFunc(ctx, func() { p.stop(0) })()
	p.watch(d.Guard)
	return out, p.status, nil
}

// startCommand starts a program of which only stdout is of interest.
func (d *Dialer) startCommand(argv []string, dir string, env []string) (*process, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	if err := d.Guard.start(); err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer write.Close()
	child, err := os.StartProcess(argv[0], argv, &os.ProcAttr{
		Dir:   dir,
		Env:   d.Guard.marked(env),
		Files: []*os.File{null, write, null},
		Sys:   ownSession(),
	})
	if err != nil {
		_ = read.Close()
		return nil, err
	}
	_ = d.Guard.Add(child.Pid) // a guard that is gone is started again with the list
	return newProcess(child, &childPipes{stdoutRead: read}), nil
}

// readUntil reads to the end, or until there is enough.
func readUntil(r io.Reader, enough func([]byte) bool) (out []byte, full bool) {
	buf := make([]byte, 4096)
	for {
		n, err := r.Read(buf)
		out = append(out, buf[:n]...)
		switch {
		case enough(out):
			return out, true
		case err != nil:
			return out, false
		}
	}
}
