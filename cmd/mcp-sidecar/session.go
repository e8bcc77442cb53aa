package main

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"

	"github.com/mcp-sidecar/mcp-sidecar/runtime"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolcache"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// logs is the log.
type logs struct {
	*slog.Logger
	file bool // it goes to --log-file
}

// logger makes the log the flags ask for; the function closes it.
func (f *flags) logger(stderr *lineWriter) (*logs, func(), error) {
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
		out = newLineWriter(file)
		done = func() { out.close(flushLimit) } // the file is closed with the process
	}
	handler := slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})
	return &logs{slog.New(handler), f.logFile != ""}, done, nil
}

// open starts the runtime, for one server if only names it. The function stops
// every server and the guard, and returns when nothing is left; with a limit
// other than 0 the servers that have not ended by then are killed.
func (f *flags) open(log *slog.Logger, only string, hostGone func()) (*runtime.Manager, func(limit time.Duration)) {
	mark := rand.Text()
	guard := &transport.Guard{Mark: runtime.NestedEnv + "=" + mark}
	home := homeDir()
	if home == "" {
		log.Warn("there is no home directory: files in the home directory are not read")
	}
	m := runtime.New(runtime.Options{
		Name: "mcp-sidecar", Version: version, Log: log,
		Reach: func(log *slog.Logger) runtime.Reach {
			return &transport.Dialer{Guard: guard, Log: log}
		},
		Cache:    f.cache(log),
		Home:     home,
		Getenv:   os.LookupEnv,
		Environ:  os.Environ,
		HostGone: hostGone,
		Only:     only,
		Mark:     mark,
		Nested:   os.Getenv(runtime.NestedEnv) != "",
	})
	return m, func(limit time.Duration) {
		if limit > 0 {
			m.CloseWithin(limit)
		} else {
			m.Close()
		}
		guard.Close()
	}
}

// homeDir is the user's home directory: what the environment says, or else the
// system. It is "" when neither knows one.
func homeDir() string {
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		return home
	}
	if me, err := user.Current(); err == nil && filepath.IsAbs(me.HomeDir) {
		return me.HomeDir
	}
	return ""
}

// cache is nil when there is nowhere to put it.
func (f *flags) cache(log *slog.Logger) *toolcache.Cache {
	dir := f.cacheDir
	if dir == "" {
		if dir = filepath.Join(xdg.CacheHome, "mcp-sidecar", "tools"); !filepath.IsAbs(dir) {
			log.Warn("there is no cache directory: tool lists are not remembered")
			return nil
		}
	}
	return toolcache.Open(dir, log)
}
