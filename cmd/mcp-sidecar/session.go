package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"

	"github.com/mcp-sidecar/mcp-sidecar/runtime"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolcache"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// logger makes the log the flags ask for; the function closes it.
func (f *flags) logger(stderr io.Writer) (*slog.Logger, func(), error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.logLevel)); err != nil {
		return nil, nil, fmt.Errorf("--log-level is %q, not debug, info, warn or error", f.logLevel)
	}
	out, done := stderr, func() {}
	if f.logFile != "" {
		file, err := os.OpenFile(f.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, fmt.Errorf("--log-file: %w", err)
		}
		out, done = file, func() { _ = file.Close() }
	}
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})), done, nil
}

// open starts the runtime, for one server if only names it; the function stops every server and the guard, and
// returns when nothing is left.
func (f *flags) open(log *slog.Logger, only string, hostGone func()) (*runtime.Manager, func()) {
	guard := &transport.Guard{}
	dialer := &transport.Dialer{Guard: guard, Log: log}
	home, err := os.UserHomeDir()
	if err != nil {
		log.Warn("there is no home directory: the user's own files are not read", "err", err)
	}
	m := runtime.New(runtime.Options{
		Name: "mcp-sidecar", Version: version, Log: log,
		Dial:     dialer.Dial,
		Cache:    toolcache.Open(f.cachePath(), log),
		Home:     home,
		Getenv:   os.LookupEnv,
		Environ:  os.Environ,
		HostGone: hostGone,
		Only:     only,
		Nested:   os.Getenv(runtime.NestedEnv) != "",
	})
	return m, func() {
		m.Close()
		guard.Close()
	}
}

func (f *flags) cachePath() string {
	if f.cacheDir != "" {
		return f.cacheDir
	}
	return filepath.Join(xdg.CacheHome, "mcp-sidecar", "tools")
}
