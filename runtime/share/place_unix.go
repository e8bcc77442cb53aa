//go:build unix

package share

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
)

const (
	socketSuffix = ".sock"
	lockSuffix   = ".lock"
	nameLength   = 10
	// pathLimit is the longest path of a socket that every system takes: one byte of
	// the 104 of macOS ends it.
	pathLimit = 103
)

// listen opens a socket in the first place that will do. release gives up the
// lock; the listener removes its socket when it is closed.
func listen(places []string) (listener *net.UnixListener, release func(), err error) {
	var all []error
	for _, dir := range places {
		if listener, release, err = listenIn(dir); err == nil {
			return listener, release, nil
		}
		all = append(all, fmt.Errorf("%s: %w", dir, err))
	}
	return nil, nil, fmt.Errorf("there is no place for a socket: %w", errors.Join(all...))
}

func listenIn(dir string) (*net.UnixListener, func(), error) {
	if n := len(dir) + 1 + nameLength + len(socketSuffix); n > pathLimit {
		return nil, nil, fmt.Errorf("the path of the socket would have %d bytes, more than the %d that there is room for", n, pathLimit)
	}
	if err := private(dir); err != nil {
		return nil, nil, err
	}
	sweep(dir)
	base, release, err := claim(dir)
	if err != nil {
		return nil, nil, err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: base + socketSuffix, Net: "unix"})
	if err != nil {
		release()
		return nil, nil, err
	}
	return listener, release, nil
}

// private makes the directory, or sees whether it is one that nobody else can
// enter or put something in our way in.
func private(dir string) error {
	if err := kept(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	switch {
	case !info.IsDir():
		return errors.New("it is not a directory: move it away")
	case owner(info) != os.Geteuid():
		return errors.New("it belongs to another user")
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("others can enter it (mode %04o): chmod 700 it", info.Mode().Perm())
	}
	return nil
}

// kept says why somebody else could put another directory in the place of one in
// dir.
func kept(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if by := owner(info); by != os.Geteuid() && by != 0 {
		return fmt.Errorf("%s belongs to another user", dir)
	}
	if info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("others can replace what is in %s (mode %04o)", dir, info.Mode().Perm())
	}
	return nil
}

// owner is the user whom a file belongs to, -1 if that is not known.
func owner(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

// claim takes a name in the directory, with its lock.
func claim(dir string) (base string, release func(), err error) {
	for range 10 { // a sweep that comes in between costs one
		base = filepath.Join(dir, strings.ToLower(rand.Text()[:nameLength]))
		lock := flock.New(base + lockSuffix)
		held, err := lock.TryLock()
		if err != nil {
			return "", nil, err
		}
		if held && there(base+lockSuffix) {
			return base, func() { discard(lock) }, nil
		}
		_ = lock.Close() // it was being swept
	}
	return "", nil, errors.New("other processes keep removing the lock")
}

// sweep removes what processes that are dead have left in the directory. It makes
// no file: a lock that it made after another sweep had removed it would look to
// its process, which is about to claim it, as if it were still its own.
func sweep(dir string) {
	all, _ := os.ReadDir(dir) // claim says what is wrong with it
	for _, entry := range all {
		base, ok := strings.CutSuffix(filepath.Join(dir, entry.Name()), lockSuffix)
		if !ok {
			continue
		}
		// What is no file of ours must not hold us up.
		lock := flock.New(base+lockSuffix, flock.SetFlag(os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK))
		if held, err := lock.TryLock(); err != nil || !held {
			continue // its process lives
		}
		_ = os.Remove(base + socketSuffix) // or it never had one
		discard(lock)
	}
}

// discard removes the file of a lock that is held, and then gives it up.
func discard(lock *flock.Flock) {
	_ = os.Remove(lock.Path()) // what stays is swept later
	_ = lock.Close()
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// gone says whether an error of connecting or reading means that nobody listens, or
// that who listened has hung up.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) ||
		errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
}
