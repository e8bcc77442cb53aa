package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"syscall"
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

// open starts the runtime, for one server if only names it. The function stops
// every server and the guard, and returns when nothing is left. With a limit
// other than 0 what has not ended by then is left to the guard.
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
		if limit == 0 {
			m.Close()
		} else if !m.CloseWithin(limit) {
			return // the guard acts when this process has ended
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
		base := userCacheDir()
		if base == "" {
			log.Warn("there is no cache directory: tool lists are not remembered")
			return nil
		}
		dir = filepath.Join(base, "mcp-sidecar", "tools")
	}
	return toolcache.Open(dir, log)
}

// userCacheDir is where the system keeps caches, "" if there is no such place.
func userCacheDir() string {
	home, err := os.UserHomeDir()
	known := err == nil && filepath.IsAbs(home)
	if known || filepath.IsAbs(os.Getenv("XDG_CACHE_HOME")) {
		return xdg.CacheHome
	}
	// The library then takes the root directory for the home directory.
	if home = homeDir(); home == "" {
		return ""
	}
	return filepath.Join(home, ".cache")
}
