package watch

import (
	"io/fs"
	"strings"
	"syscall"
)

// identify takes the time at which a file was made: its number would have to be
// asked for with the file open.
func identify(info fs.FileInfo) identity {
	data, ok := info.Sys().(*syscall.Win32FileAttributeData)
	if !ok {
		return identity{}
	}
	return identity{file: uint64(data.CreationTime.Nanoseconds())}
}

// fold is a name as names are compared: in any case.
func fold(name string) string { return strings.ToLower(name) }
