//go:build unix

package trust

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openNow opens a file without waiting for a writer, should it be a FIFO.
func openNow(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// othersWrite are the permissions of those who are not the owner.
const othersWrite = 0o022

// checkFile says why what is in a file must not be believed.
func checkFile(info fs.FileInfo) error {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return errors.New("it belongs to another user: remove it or take it over (chown)")
	}
	if info.Mode().Perm()&othersWrite != 0 {
		return errors.New("others than you can write to it: look through it, then chmod 600")
	}
	return nil
}

// checkDirectory says why the files in a directory must not be believed. Where
// it is sticky, others cannot replace them.
func checkDirectory(info fs.FileInfo) error {
	if info.Mode().Perm()&othersWrite != 0 && info.Mode()&fs.ModeSticky == 0 {
		return errors.New("others than you can write into its directory: look through the file, then chmod 700 the directory")
	}
	return nil
}

// busy is never said here: an open file can be replaced.
func busy(error) bool { return false }
