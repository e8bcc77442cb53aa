//go:build darwin || freebsd

package share

import (
	"net"

	"golang.org/x/sys/unix"
)

// userOf is who connected.
func userOf(conn *net.UnixConn) (int, error) {
	return control(conn, func(fd int) (int, error) {
		peer, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		if err != nil {
			return 0, err
		}
		return int(peer.Uid), nil
	})
}
