package share

import (
	"net"

	"golang.org/x/sys/unix"
)

// userOf is who connected.
func userOf(conn *net.UnixConn) (int, error) {
	return control(conn, func(fd int) (int, error) {
		peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err != nil {
			return 0, err
		}
		return int(peer.Uid), nil
	})
}
