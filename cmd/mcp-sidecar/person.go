package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/term"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime"
)

// person is who sits at a terminal and answers. One question is asked at a time.
type person struct {
	in    *os.File
	out   io.Writer
	lines *bufio.Reader // of in; nil before the first answer
	// unread is the read of a question that was withdrawn: it takes what is typed
	// next, whatever that is about. nil for none.
	unread <-chan typed
}

// typed is a line, or why there is none.
type typed struct {
	text string
	err  error
}

// decide asks whether a project's server may run.
func (p *person) decide(ctx context.Context, s rpc.ProjectServer) (rpc.Decision, error) {
	printLine(p.out, "")
	printProjectServer(p.out, s)
	for {
		answer, err := p.line(ctx, fmt.Sprintf("Allow %q to run? y = yes, n = no and never ask again, Enter = not now: ", s.Name))
		if err != nil {
			p.settled(ctx)
			return "", err
		}
		switch strings.ToLower(answer) {
		case "y", "yes":
			return rpc.DecideAllow, nil
		case "n", "no":
			return rpc.DecideDeny, nil
		case "":
			return rpc.DecideLater, nil
		}
	}
}

// settled says why a question stands there without an answer.
func (p *person) settled(ctx context.Context) {
	if errors.Is(context.Cause(ctx), runtime.ErrWithdrawn) {
		printLine(p.out, "")
		printLine(p.out, "(settled: it was decided elsewhere, or the file has changed)")
	}
}

// printProjectServer shows what a project's server is, as its file has it: all of it,
// also what a screen would not show.
func printProjectServer(out io.Writer, s rpc.ProjectServer) {
	printLine(out, "%s, from %s (%s), which somebody else may have written:", runtime.Visible(s.Name), runtime.Visible(s.Path), s.ProviderName)
	if s.Command == "" && s.URL == "" {
		printLine(out, "    cannot be used: see mcp-sidecar doctor")
	}
	if s.Command != "" {
		words := []string{runtime.ShellWord(s.Command)}
		for _, arg := range s.Args {
			words = append(words, runtime.ShellWord(arg))
		}
		printLine(out, "    runs      %s", strings.Join(words, " "))
	}
	if s.URL != "" {
		printLine(out, "    contacts  %s", runtime.Visible(s.URL))
	}
	if s.Cwd != "" {
		printLine(out, "    in        %s", runtime.Visible(s.Cwd))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		printLine(out, "    with      %s=%s", runtime.Visible(name), runtime.Visible(s.Env[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		printLine(out, "    with      %s: %s", runtime.Visible(name), runtime.Visible(s.Headers[name]))
	}
	if len(s.Uses) > 0 {
		printLine(out, "    uses      %s", runtime.Visible(strings.Join(s.Uses, ", ")))
	}
}

// give asks for the value of an input.
func (p *person) give(ctx context.Context, in *rpc.InputParams) (*rpc.InputResult, error) {
	printLine(p.out, "")
	what := in.Description
	if what == "" {
		what = in.ID
	}
	printLine(p.out, "%s needs: %s", in.Server, what)
	for i, option := range in.Options {
		printLine(p.out, "    %d  %s", i+1, option)
	}
	prompt := "Value (Enter: none, and it is not started): "
	if in.Default != "" {
		prompt = fmt.Sprintf("Value (Enter: %q): ", plain(in.Default))
	}
	ask := p.line
	if in.Password {
		ask = p.secret
	}
	for {
		answer, err := ask(ctx, prompt)
		if err != nil {
			p.settled(ctx)
			return nil, err
		}
		if value, ok := chosen(answer, in); ok {
			return &rpc.InputResult{Value: value}, nil
		}
	}
}

// chosen is the value that an answer means: nil for none. It is false for what is
// not among the options.
func chosen(answer string, in *rpc.InputParams) (value *string, ok bool) {
	n, err := strconv.Atoi(answer)
	switch {
	case answer == "" && in.Default == "":
		return nil, true
	case answer == "":
		return &in.Default, true
	case slices.Contains(in.Options, answer) || len(in.Options) == 0:
		return &answer, true
	case err == nil && n >= 1 && n <= len(in.Options):
		return &in.Options[n-1], true
	}
	return nil, false
}

// line asks for a line of text.
func (p *person) line(ctx context.Context, prompt string) (string, error) {
	if p.lines == nil {
		p.lines = bufio.NewReader(p.in)
	}
	fmt.Fprint(p.out, prompt)
	return p.read(ctx, func() (string, error) { return p.lines.ReadString('\n') })
}

// secret asks for a line that is not shown while it is typed.
func (p *person) secret(ctx context.Context, prompt string) (string, error) {
	if p.unread != nil { // it would take the secret, and show it
		if _, err := p.line(ctx, "Press Enter: "); err != nil {
			return "", err
		}
	}
	// Before the prompt is there, so that nobody is too quick.
	fd := int(p.in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return p.line(ctx, prompt)
	}
	defer func() { _ = term.Restore(fd, before) }() // or the shell would show nothing either
	keys := &keyboard{in: p.in}
	screen := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{keys, p.out}, "")
	answer, err := p.read(ctx, func() (string, error) { return screen.ReadPassword(prompt) })
	if keys.interrupted.Load() && interruptSelf() {
		<-ctx.Done() // what an interruption ends ends soon
		return "", context.Cause(ctx)
	}
	return answer, err
}

// keyboard is a terminal that makes no signal of Ctrl-C.
type keyboard struct {
	in          io.Reader
	interrupted atomic.Bool
}

// Read implements io.Reader.
func (k *keyboard) Read(b []byte) (int, error) {
	n, err := k.in.Read(b)
	if bytes.IndexByte(b[:n], 0x03) >= 0 {
		k.interrupted.Store(true)
	}
	return n, err
}

// interruptSelf does what Ctrl-C does. It is false where no signals can be sent:
// the question then has no answer.
func interruptSelf() bool {
	me, err := os.FindProcess(os.Getpid())
	return err == nil && me.Signal(os.Interrupt) == nil
}

// read waits for an answer as long as ctx lasts. The goroutine ends with the
// read, or with the process.
func (p *person) read(ctx context.Context, line func() (string, error)) (string, error) {
	if p.unread == nil {
		ended := make(chan typed, 1)
		p.unread = ended
		go func() {
			text, err := line()
			ended <- typed{text, err}
		}()
	}
	select {
	case t := <-p.unread:
		p.unread = nil
		if errors.Is(t.err, io.EOF) && t.text != "" {
			t.err = nil
		}
		return strings.TrimSpace(t.text), t.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
