//go:build unix

package config

import (
	"io/fs"
	"os"
	"syscall"
)

// openNow opens a file without waiting for a writer, should it be a FIFO.
func openNow(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// foreign says that the file belongs to somebody else than us.
func foreign(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid()
}
