// Command mcp-sidecar runs a user's MCP servers for an editor or an agent. It
// is the only code that knows standard input and output, signals and exit
// codes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/share"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// version is set by the linker.
var version = "0.1.0-dev"

// Exit codes beside those of a session (rpc.Outcome).
const (
	exitOK     = 0
	exitFailed = 1 // it ran, and what it ran failed
	exitUsage  = 2 // the command line cannot be used
)

func main() {
	if os.Getenv(transport.GuardEnv) != "" {
		os.Exit(transport.RunGuard(os.Stdin))
	}
	surviveBrokenPipes()
	// What we start must not get in, so it is in no environment but ours.
	endpoint := os.Getenv(share.Variable)
	_ = os.Unsetenv(share.Variable) // the name is right
	w := &world{
		endpoint: endpoint,
		in:       os.Stdin, out: os.Stdout, err: newLineWriter(os.Stderr),
		terminal: term.IsTerminal(int(os.Stdin.Fd())),
		screen:   term.IsTerminal(int(os.Stderr.Fd())),
	}
	code := run(os.Args[1:], w)
	w.err.close(flushLimit)
	os.Exit(code)
}

// world is what a command may touch.
type world struct {
	in       *os.File
	out      *os.File
	err      *lineWriter
	terminal bool   // a person types at in
	screen   bool   // a person reads err
	endpoint string // of a session that may be joined, or ""
}

// flags are those of every command.
type flags struct {
	framing    string
	cwd        string
	logFile    string
	logLevel   string
	cacheDir   string
	maxMessage int64
	json       bool
	trust      string
	timeout    int
	client     []string // providers whose servers the client starts itself
	only       []string // globs over servers: see face.Options
	except     []string
	wait       int
	version    bool
	help       bool
	given      map[string]bool // on the command line
}

// set has the flags of one command.
func (f *flags) set(name string) *pflag.FlagSet {
	s := pflag.NewFlagSet(name, pflag.ContinueOnError)
	s.SortFlags = false
	s.SetOutput(io.Discard)
	s.StringVar(&f.cwd, "cwd", "", "directory to run in (default: the current one)")
	s.StringVar(&f.logFile, "log-file", "", "write the log to this file instead of standard error")
	level := "warn"
	if name != cmdServe && name != cmdMCP {
		level = "error" // what fails is printed
	}
	s.StringVar(&f.logLevel, "log-level", level, "debug, info, warn or error")
	s.StringVar(&f.cacheDir, "cache-dir", "", "where tool lists are remembered (default: the user cache directory)")
	if name == cmdServe {
		f.addServe(s)
	}
	for _, c := range commands() {
		if c.name == name {
			for _, add := range c.flags {
				add(f, s)
			}
		}
	}
	s.BoolVar(&f.version, "version", false, "print the version")
	s.BoolVarP(&f.help, "help", "h", false, "print this")
	return s
}

func (f *flags) addServe(s *pflag.FlagSet) {
	s.StringVar(&f.framing, "framing", string(rpc.FramingAuto), "auto, headers or ndjson")
	s.Int64Var(&f.maxMessage, "max-message", rpc.DefaultMaxMessage, "largest message taken from the host, in bytes")
}

func (f *flags) addJSON(s *pflag.FlagSet) {
	s.BoolVar(&f.json, "json", false, "print JSON as the wire has it")
}

func (f *flags) addTrust(s *pflag.FlagSet) {
	s.StringVar(&f.trust, "trust", string(rpc.TrustAsk), "servers from project files: allow, deny, or ask (where there is somebody to ask, else listed and not started)")
}

func (f *flags) addClient(s *pflag.FlagSet) {
	s.StringSliceVar(&f.client, "client", nil, "leave out the servers that this client has by its own files: "+strings.Join(config.Providers(), ", "))
}

// addOffer has arrays, not lists with commas: a name may hold one.
func (f *flags) addOffer(s *pflag.FlagSet) {
	s.StringArrayVar(&f.only, "only", nil, "offer the server `name` only; * stands for any characters; may be given more than once")
	s.StringArrayVar(&f.except, "except", nil, "do not offer the server `name`, also when --only has it; otherwise as --only")
}

// maxWait is the most that --wait may be, in seconds: longer than any client waits.
const maxWait = 3600

func (f *flags) addWait(s *pflag.FlagSet) {
	s.IntVar(&f.wait, "wait", 15, "seconds that the first list of tools waits for servers that have never run; 0 for a client that takes up what is announced later")
}

func (f *flags) addTimeout(s *pflag.FlagSet) {
	s.IntVar(&f.timeout, "timeout", 0, "seconds that a server may take to connect, and to be silent during a call (default 30 and 300)")
}

// parse reads a command line. Flags may stand anywhere: the command is the first
// word that is none, which is known only when all flags of all commands are.
// The error is about the command whose name is returned.
func (f *flags) parse(args []string) (name string, words []string, err error) {
	var every flags
	union := every.set(cmdServe)
	every.addJSON(union)
	every.addTrust(union)
	every.addTimeout(union)
	every.addClient(union)
	every.addOffer(union)
	every.addWait(union)
	if err := union.Parse(args); err != nil {
		for _, word := range args { // for the right help
			if known(word) == nil {
				return word, nil, err
			}
		}
		return cmdServe, nil, err
	}
	if words = union.Args(); len(words) > 0 {
		name, words = words[0], words[1:]
	}
	if name == cmdHelp || every.help {
		f.help = true
		return helpOn(name, words)
	}
	if err := known(name); err != nil {
		return cmdServe, nil, err
	}
	own := f.set(name)
	union.Visit(func(given *pflag.Flag) {
		if own.Lookup(given.Name) == nil && err == nil {
			err = fmt.Errorf("--%s is an option of %s only", given.Name, strings.Join(commandsWith(given.Name), ", "))
		}
	})
	if err == nil {
		err = own.Parse(args)
	}
	f.given = map[string]bool{}
	own.Visit(func(given *pflag.Flag) { f.given[given.Name] = true })
	return name, words, err
}

// commandsWith are those that have a flag, as a message calls them.
func commandsWith(flag string) []string {
	var names []string
	if new(flags).set(cmdServe).Lookup(flag) != nil {
		names = append(names, "serving a host")
	}
	for _, c := range commands() {
		if new(flags).set(c.name).Lookup(flag) != nil {
			names = append(names, c.name)
		}
	}
	return names
}

// helpOn is the command that "help WORDS" or "NAME --help" is about.
func helpOn(name string, words []string) (string, []string, error) {
	if name == cmdHelp {
		name = cmdServe
		if len(words) > 0 && words[0] != cmdHelp {
			name = words[0]
		}
	}
	if err := known(name); err != nil {
		return cmdServe, nil, err
	}
	return name, nil, nil
}

// known says when there is no such command.
func known(name string) error {
	names := []string{}
	for _, c := range commands() {
		names = append(names, c.name)
	}
	if name == cmdServe || slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("unknown command %q; there are %s and help", name, strings.Join(names, ", "))
}

func run(args []string, w *world) int {
	ctx := context.Background()
	var f flags
	name, words, err := f.parse(args)
	if err != nil {
		return usage(w, name, err.Error())
	}
	switch {
	case f.help:
		return printed(ctx, w, exitOK, func(out io.Writer) { printHelp(out, name, new(flags).set(name)) })
	case f.version:
		return printed(ctx, w, exitOK, func(out io.Writer) { fmt.Fprintln(out, "mcp-sidecar", version) })
	}
	if wrong := f.check(); wrong != "" {
		return usage(w, name, wrong)
	}
	if err := f.enter(name); err != nil {
		return usage(w, name, err.Error())
	}
	return dispatch(ctx, name, words, &f, w)
}

func dispatch(ctx context.Context, name string, args []string, f *flags, w *world) int {
	log, closeLog, err := f.logger(w.err)
	if err != nil {
		return usage(w, name, err.Error())
	}
	defer closeLog()
	for _, c := range commands() {
		if c.name != name {
			continue
		}
		if wrong := c.wrong(args); wrong != "" {
			return usage(w, name, wrong)
		}
		return c.run(ctx, f, w, log.Logger, args)
	}
	if w.terminal {
		_, _ = io.WriteString(w.err, explanation)
		return exitUsage
	}
	return serve(ctx, f, w, log)
}

// enter goes to --cwd. For commands, whose project the directory is, it makes it
// absolute; a host says itself where its project is, so that it does
// not matter when our own directory is gone.
func (f *flags) enter(name string) error {
	if f.cwd != "" {
		if err := os.Chdir(f.cwd); err != nil {
			return fmt.Errorf("--cwd %s: %w", f.cwd, errors.Unwrap(err))
		}
	}
	if name == cmdServe {
		return nil
	}
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("the current directory: %w; go to one that exists, or name one with --cwd", err)
	}
	f.cwd = filepath.Clean(cwd)
	return nil
}

// check says what is wrong with the values of flags; "" if nothing is.
func (f *flags) check() string {
	if f.framing != "" {
		if _, err := rpc.ParseFraming(f.framing); err != nil {
			return "--framing: " + err.Error()
		}
	}
	switch rpc.ProjectTrust(f.trust) {
	case "", rpc.TrustAsk, rpc.TrustAllow, rpc.TrustDeny:
	default:
		return fmt.Sprintf("--trust is %q, not allow, deny or ask", f.trust)
	}
	for _, name := range f.client {
		if !slices.Contains(config.Providers(), name) {
			return fmt.Sprintf("--client is %q, not one of %s", name, strings.Join(config.Providers(), ", "))
		}
	}
	if f.maxMessage < 0 {
		return "--max-message is negative"
	}
	if f.timeout < 0 {
		return "--timeout is negative"
	}
	if f.wait < 0 || f.wait > maxWait {
		return fmt.Sprintf("--wait is %d, not a number of seconds from 0 to %d", f.wait, maxWait)
	}
	return ""
}
