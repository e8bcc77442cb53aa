package main

import (
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	goruntime "runtime"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolcache"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/trust"
)

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
		base := cacheDirs().of(goruntime.GOOS)
		if base == "" {
			log.Warn("there is no cache directory: tool lists are not remembered")
			return nil
		}
		dir = filepath.Join(base, "mcp-sidecar", "tools")
	}
	return toolcache.Open(dir, log)
}

// trustStore is where decisions about project servers are remembered, nil when
// there is nowhere to put them.
func trustStore(log *slog.Logger) *trust.Store {
	dir := stateDirs().of(goruntime.GOOS)
	if dir == "" {
		log.Warn("there is no directory for state: decisions about project servers are not remembered")
		return nil
	}
	return trust.Open(filepath.Join(dir, "mcp-sidecar", "trust.json"))
}

// userDirs say where systems keep the user's files of one kind. It takes no look
// at the disk to know: a home directory that does not answer must not keep us from
// starting.
type userDirs struct {
	variable string // has the directory, on every system
	// Else it is under the home directory or, on Windows, under the one for
	// what belongs to this machine.
	darwin, windows, others string
}

func cacheDirs() userDirs {
	return userDirs{variable: "XDG_CACHE_HOME", darwin: "Library/Caches", windows: "cache", others: ".cache"}
}

func stateDirs() userDirs {
	return userDirs{variable: "XDG_STATE_HOME", darwin: "Library/Application Support", others: ".local/state"}
}

// of is the directory on a system, "" if there is no home directory.
func (u userDirs) of(goos string) string {
	if dir := os.Getenv(u.variable); filepath.IsAbs(dir) {
		return dir
	}
	home := homeDir()
	switch {
	case home == "":
		return ""
	case goos == "darwin":
		return filepath.Join(home, u.darwin)
	case goos != "windows":
		return filepath.Join(home, u.others)
	}
	local := os.Getenv("LOCALAPPDATA")
	if !filepath.IsAbs(local) {
		local = filepath.Join(home, "AppData", "Local")
	}
	return filepath.Join(local, u.windows)
}
