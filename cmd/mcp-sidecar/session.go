package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"os"
	"syscall"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/runtime"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/watch"
)

// logs is the log.
type logs struct {
	*slog.Logger
	file bool // it goes to --log-file
}

// logger makes the log the flags ask for; the function closes it. The error is
// about the flags.
func (f *flags) logger(stderr *lineWriter) (*logs, func(), error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.logLevel)); err != nil {
		return nil, nil, fmt.Errorf("--log-level is %q, not debug, info, warn or error", f.logLevel)
	}
	logTo := func(out io.Writer) *logs {
		return &logs{slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})), false}
	}
	if f.logFile == "" {
		return logTo(stderr), func() {}, nil
	}
	// O_NONBLOCK: a pipe without a reader is refused, and not waited for.
	file, err := os.OpenFile(f.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		log := logTo(stderr)
		log.Error("the log goes to standard error: --log-file cannot be written", "err", err)
		return log, func() {}, nil
	}
	out := newLineWriter(file)
	log := logTo(out)
	log.file = true
	return log, func() { out.close(flushLimit) }, nil // the file is closed with the process
}

// open starts the runtime; special has its HostGone, Share, Chosen and Idle. The function stops
// every server and the guard, and returns when nothing is left. With a limit
// other than 0 what has not ended by then is left to the guard.
func (f *flags) open(log *slog.Logger, special runtime.Options) (*runtime.Manager, func(limit time.Duration)) {
	mark := rand.Text()
	guard := &transport.Guard{Mark: runtime.NestedEnv + "=" + mark}
	opt := surroundings(log)
	opt.Reach = func(log *slog.Logger) runtime.Reach {
		return &transport.Dialer{Guard: guard, Log: log}
	}
	opt.Watch = func(changed func(), log *slog.Logger) runtime.Watch {
		return watch.Start(changed, watch.Options{Log: log})
	}
	opt.Cache, opt.Mark = f.cache(log), mark
	opt.HostGone, opt.Share, opt.Chosen, opt.Idle = special.HostGone, special.Share, special.Chosen, special.Idle
	m := runtime.New(opt)
	return m, func(limit time.Duration) {
		if limit == 0 {
			m.Close()
		} else if !m.CloseWithin(limit) {
			return // the guard acts when this process has ended
		}
		guard.Close()
	}
}

// surroundings are what the runtime may know of the world without starting
// anything.
func surroundings(log *slog.Logger) runtime.Options {
	home := homeDir()
	if home == "" {
		log.Warn("there is no home directory: files in the home directory are not read")
	}
	return runtime.Options{
		Name: "mcp-sidecar", Version: version, Log: log,
		Trust:   trustStore(log),
		Home:    home,
		Getenv:  os.LookupEnv,
		Environ: os.Environ,
		Nested:  isNested(),
	}
}

// isNested says that another sidecar has started us, or somebody that has.
func isNested() bool { return os.Getenv(runtime.NestedEnv) != "" }
