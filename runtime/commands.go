package runtime

import (
	"context"
	"sync"
)

// commands runs the commands that entries ask for (!cmd), each once: a success
// holds for the life of the sidecar, a failure is tried again by the next
// attempt. Different commands run side by side.
type commands struct {
	run func(ctx context.Context, command string) (string, error)

	mu    sync.Mutex
	known map[string]*command // guarded by mu
}

// command is one run, under way or successful.
type command struct {
	done chan struct{} // closed when the others are set
	out  string
	err  error
	// cut: the run was ended by its caller, or by a bug, which says nothing about
	// the command.
	cut bool
}

func newCommands(run func(context.Context, string) (string, error)) *commands {
	return &commands{run: run, known: map[string]*command{}}
}

// output gives what a command prints. Who comes while it runs waits for it, or
// for the end of ctx; when whoever ran it has given up, the next one runs it.
func (c *commands) output(ctx context.Context, text string) (string, error) {
	for ctx.Err() == nil {
		x, mine := c.enter(text)
		if mine {
			return c.lead(ctx, text, x)
		}
		select {
		case <-x.done:
			if !x.cut {
				return x.out, x.err
			}
		case <-ctx.Done():
		}
	}
	return "", context.Cause(ctx)
}

// enter gives the run to wait for, or a new one that is the caller's to lead.
func (c *commands) enter(text string) (x *command, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x, ok := c.known[text]; ok {
		return x, false
	}
	x = &command{done: make(chan struct{})}
	c.known[text] = x
	return x, true
}

// lead runs a command for everybody.
func (c *commands) lead(ctx context.Context, text string, x *command) (string, error) {
	x.cut = true
	defer func() { // also when run panics
		if x.cut || x.err != nil {
			c.mu.Lock()
			delete(c.known, text)
			c.mu.Unlock()
		}
		close(x.done)
	}()
	x.out, x.err = c.run(ctx, text)
	x.cut = x.err != nil && ctx.Err() != nil
	return x.out, x.err
}
