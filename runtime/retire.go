package runtime

import "time"

// retire ends the server when the calls that run have. The goroutine ends with
// them, with the session, or after drainTime.
func (s *server) retire() {
	if s.conn == nil {
		s.handle(msgEnd{})
		return
	}
	s.retiring = true
	s.calls.close(errTurnedAway)
	sess := s.conn.sess
	s.children.Go(func() {
		limit := time.NewTimer(drainTime)
		defer limit.Stop()
		select {
		case <-s.calls.drained():
		case <-sess.Done():
		case <-limit.C:
		}
		s.inbox.post(msgEnd{})
	})
}

// retired is what a message means to a server that retires, which has a session
// and needs no other; nil for nothing.
func (s *server) retired(m any) any {
	switch m := m.(type) {
	case msgNeed:
		s.tooLate(m)
		return nil
	case msgDenied:
		if s.conn != nil && s.conn.sess == m.sess {
			return msgEnd{}
		}
	case msgLost:
		if s.current(m.n) {
			return msgEnd{}
		}
	}
	return m
}
