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

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
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
	os.Exit(run(os.Args[1:], &world{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		terminal: term.IsTerminal(int(os.Stdin.Fd())),
		screen:   term.IsTerminal(int(os.Stderr.Fd())),
	}))
}

// world is what a command may touch.
type world struct {
	in       *os.File
	out, err *os.File
	terminal bool // a person types at in
	screen   bool // a person reads err
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
	version    bool
	help       bool
}

func (f *flags) set(name string) *pflag.FlagSet {
	s := pflag.NewFlagSet(name, pflag.ContinueOnError)
	s.SortFlags = false
	s.SetOutput(io.Discard)
	s.StringVar(&f.cwd, "cwd", "", "directory to run in (default: the current one)")
	s.StringVar(&f.logFile, "log-file", "", "write the log to this file instead of standard error")
	level := "warn"
	if name != cmdServe {
		level = "error" // what fails is printed
	}
	s.StringVar(&f.logLevel, "log-level", level, "debug, info, warn or error")
	s.StringVar(&f.cacheDir, "cache-dir", "", "where tool lists are remembered (default: the user cache directory)")
	switch name {
	case cmdServe:
		s.StringVar(&f.framing, "framing", string(rpc.FramingAuto), "auto, headers or ndjson")
		s.Int64Var(&f.maxMessage, "max-message", rpc.DefaultMaxMessage, "largest message taken from the host, in bytes")
	case cmdList, cmdCall:
		s.BoolVar(&f.json, "json", false, "print JSON as the wire has it")
		s.StringVar(&f.trust, "trust", string(rpc.TrustAsk), "servers from project files: allow, deny, or ask (listed, not started)")
		s.IntVar(&f.timeout, "timeout", 0, "seconds to wait for a server or an answer (default: what the settings say)")
	}
	s.BoolVar(&f.version, "version", false, "print the version")
	s.BoolVarP(&f.help, "help", "h", false, "print this")
	return s
}

// The commands; serve has no word on the command line.
const (
	cmdServe = ""
	cmdList  = "list"
	cmdCall  = "call"
)

func run(args []string, w *world) int {
	name := cmdServe
	if len(args) > 0 && (args[0] == cmdList || args[0] == cmdCall || args[0] == "help") {
		name, args = args[0], args[1:]
	}
	if name == "help" {
		name = cmdServe
		if len(args) > 0 {
			name = args[0]
		}
		args = []string{"--help"}
	}
	var f flags
	set := f.set(name)
	if err := set.Parse(args); err != nil {
		return usage(w, name, err.Error())
	}
	switch {
	case f.help:
		printHelp(w.out, name, set)
		return exitOK
	case f.version:
		fmt.Fprintln(w.out, "mcp-sidecar", version)
		return exitOK
	}
	if wrong := f.check(); wrong != "" {
		return usage(w, name, wrong)
	}
	if err := f.enter(); err != nil {
		return usage(w, name, err.Error())
	}
	return dispatch(name, set.Args(), &f, w)
}

func dispatch(name string, args []string, f *flags, w *world) int {
	log, closeLog, err := f.logger(w.err)
	if err != nil {
		return usage(w, name, err.Error())
	}
	defer closeLog()
	ctx := context.Background()
	switch {
	case name == cmdList && len(args) == 0:
		return list(ctx, f, w, log)
	case name == cmdList:
		return usage(w, name, "list takes no arguments")
	case name == cmdCall && (len(args) == 2 || len(args) == 3):
		return call(ctx, f, w, log, args)
	case name == cmdCall:
		return usage(w, name, "call takes SERVER TOOL and optionally the arguments as a JSON object")
	case len(args) > 0:
		return usage(w, name, fmt.Sprintf("unknown command %q; there are list and call", args[0]))
	case w.terminal:
		_, _ = io.WriteString(w.err, explanation)
		return exitUsage
	}
	return serve(ctx, f, w, log)
}

// enter goes to --cwd and makes it absolute.
func (f *flags) enter() error {
	if f.cwd != "" {
		if err := os.Chdir(f.cwd); err != nil {
			return fmt.Errorf("--cwd %s: %w", f.cwd, errors.Unwrap(err))
		}
	}
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("the current directory: %w", err)
	}
	f.cwd = filepath.Clean(cwd)
	return nil
}

// check says what is wrong with the values of flags; "" if nothing is.
func (f *flags) check() string {
	switch f.framing {
	case "", string(rpc.FramingAuto), string(rpc.FramingHeaders), string(rpc.FramingNDJSON):
	default:
		return fmt.Sprintf("--framing is %q, not auto, headers or ndjson", f.framing)
	}
	switch rpc.ProjectTrust(f.trust) {
	case "", rpc.TrustAsk, rpc.TrustAllow, rpc.TrustDeny:
	default:
		return fmt.Sprintf("--trust is %q, not allow, deny or ask", f.trust)
	}
	if f.maxMessage < 0 {
		return "--max-message is negative"
	}
	if f.timeout < 0 {
		return "--timeout is negative"
	}
	return ""
}
