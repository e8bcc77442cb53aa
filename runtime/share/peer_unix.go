//go:build unix

package share

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// sameUser refuses a connection of somebody else's. The directory keeps them out
// already, unless somebody opens it.
func sameUser(conn *net.UnixConn) error {
	user, err := userOf(conn)
	switch {
	case err != nil:
		return fmt.Errorf("it is not known whose connection this is: %w", err)
	case user != os.Geteuid():
		return errors.New("the session is another user's")
	}
	return nil
}

// control calls f with the connection's file descriptor.
func control[T any](conn *net.UnixConn, f func(fd int) (T, error)) (T, error) {
	var result T
	var failed error
	raw, err := conn.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { result, failed = f(int(fd)) }) //nolint:gosec // a file descriptor fits
	}
	return result, errors.Join(err, failed)
}
