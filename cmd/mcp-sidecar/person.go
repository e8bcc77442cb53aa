package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// person is who sits at a terminal and answers. One question is asked at a time.
type person struct {
	in    *os.File
	out   io.Writer
	lines *bufio.Reader // of in; nil before the first answer
}

// decide asks whether a project's server may run.
func (p *person) decide(ctx context.Context, s rpc.ProjectServer) (rpc.Decision, error) {
	printLine(p.out, "")
	printProjectServer(p.out, s)
	for {
		answer, err := p.line(ctx, fmt.Sprintf("Allow %q to run? y = yes, n = no and never ask again, Enter = not now: ", plain(s.Name)))
		if err != nil {
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

// printProjectServer shows what a project's server is, as its file has it.
func printProjectServer(out io.Writer, s rpc.ProjectServer) {
	printLine(out, "%s, from %s (%s), which somebody else may have written:", s.Name, s.Path, s.ProviderName)
	if s.Command != "" {
		words := []string{shellWord(s.Command)}
		for _, arg := range s.Args {
			words = append(words, shellWord(arg))
		}
		printLine(out, "    runs      %s", strings.Join(words, " "))
	}
	if s.URL != "" {
		printLine(out, "    contacts  %s", s.URL)
	}
	if s.Cwd != "" {
		printLine(out, "    in        %s", s.Cwd)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		printLine(out, "    with      %s=%s", name, s.Env[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		printLine(out, "    with      %s: %s", name, s.Headers[name])
	}
	if len(s.Uses) > 0 {
		printLine(out, "    uses      %s", strings.Join(s.Uses, ", "))
	}
}

// shellWord is a word as one would type it.
func shellWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n\"'\\$`&|;<>()*?[]{}~#!") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// give asks for the value of an input; nil when there is none.
func (p *person) give(ctx context.Context, in *rpc.InputParams) (*string, error) {
	printLine(p.out, "")
	what := in.Description
	if what == "" {
		what = in.ID
	}
	printLine(p.out, "%s needs: %s", in.Server, what)
	for i, option := range in.Options {
		printLine(p.out, "    %d  %s", i+1, option)
	}
	prompt := "Value (Enter for none): "
	if in.Default != "" {
		prompt = fmt.Sprintf("Value (Enter for %q): ", plain(in.Default))
	}
	var answer string
	var err error
	if in.Password {
		answer, err = p.secret(ctx, prompt)
	} else {
		answer, err = p.line(ctx, prompt)
	}
	switch n, noNumber := strconv.Atoi(answer); {
	case err != nil:
		return nil, err
	case answer == "" && in.Default == "":
		return nil, nil
	case answer == "":
		return &in.Default, nil
	case noNumber == nil && n >= 1 && n <= len(in.Options):
		return &in.Options[n-1], nil
	}
	return &answer, nil
}

// line asks for a line of text.
func (p *person) line(ctx context.Context, prompt string) (string, error) {
	if p.lines == nil {
		p.lines = bufio.NewReader(p.in)
	}
	fmt.Fprint(p.out, prompt)
	return answered(ctx, func() (string, error) { return p.lines.ReadString('\n') })
}

// secret asks for a line that is not shown while it is typed.
func (p *person) secret(ctx context.Context, prompt string) (string, error) {
	fd := int(p.in.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return p.line(ctx, prompt)
	}
	fmt.Fprint(p.out, prompt)
	answer, err := answered(ctx, func() (string, error) {
		text, err := term.ReadPassword(fd)
		return string(text), err
	})
	if err != nil {
		_ = term.Restore(fd, before) // or the shell would show nothing either
	}
	fmt.Fprintln(p.out)
	return answer, err
}

// answered waits for an answer as long as ctx lasts. The goroutine ends with
// the read, or with the process.
func answered(ctx context.Context, read func() (string, error)) (string, error) {
	type outcome struct {
		text string
		err  error
	}
	ended := make(chan outcome, 1)
	go func() {
		text, err := read()
		ended <- outcome{text, err}
	}()
	select {
	case o := <-ended:
		if errors.Is(o.err, io.EOF) && o.text != "" {
			o.err = nil
		}
		return strings.TrimSpace(o.text), o.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
