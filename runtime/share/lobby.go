package share

import (
	"net"
	"slices"
	"sync"
	"time"
)

// strangerLimit is how many may be about to say who they are: as many as can come
// in, who may come all at once.
const strangerLimit = guestLimit

// lobby has those who are about to say who they are. When it is full, whoever has
// been in it for longest makes room: who knows the token says so at once, and who
// does not must not keep others out by saying nothing.
type lobby struct {
	mu  sync.Mutex
	all []net.Conn // in the order of their coming, strangerLimit at most
}

// enter ends the reading of the connection that must make room, if one must.
func (l *lobby) enter(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == strangerLimit {
		_ = l.all[0].SetReadDeadline(time.Unix(1, 0))
		l.all = slices.Delete(l.all, 0, 1)
	}
	l.all = append(l.all, conn)
}

// leave says whether the connection was still in: whether it had not to make room.
func (l *lobby) leave(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.Index(l.all, conn)
	if at < 0 {
		return false
	}
	l.all = slices.Delete(l.all, at, at+1)
	return true
}
