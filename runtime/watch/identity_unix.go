//go:build unix

package watch

import (
	"io/fs"
	"syscall"
)

func identify(info fs.FileInfo) identity {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{device: uint64(stat.Dev), file: stat.Ino, owner: uint64(stat.Uid)} //nolint:unconvert // int32 on macOS
}

// fold is a name as names are compared.
func fold(name string) string { return name }
