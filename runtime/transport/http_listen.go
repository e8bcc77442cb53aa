package transport

import (
	"errors"
	"net/http"
	"time"
)

// lostAfter is how many attempts in a row to open the server's own stream again
// may reach nobody before the connection counts as lost.
const lostAfter = 4

// listen keeps the server's own stream open for as long as the link lives (MCP
// 2025-11-25, basic/transports, listening for messages). The stream is optional
// and proxies close idle ones, so that its end means nothing; but a server that
// had one and then is not there, or knows the session no more, is lost. It ends
// with the link's ctx, or when the server offers no stream, or none any more.
func (l *httpLink) listen() {
	defer l.listening.Store(false)
	var (
		at        streamPosition
		opened    bool // once
		unreached int  // attempts in a row
	)
	// idle counts streams and attempts in a row that brought nothing.
	for idle := 0; ; idle++ {
		resp, failure := l.openStream(l.ctx, at.lastID)
		delay := at.delay(idle)
		if failure != nil {
			if !opened || !l.mayRecover(failure, &at, &unreached) {
				return
			}
			delay = max(delay, min(askedDelay(failure), maxDelay))
		} else {
			// Without ids, what was sent while nobody listened is lost.
			if opened && at.lastID == "" {
				l.inbound.changed()
			}
			opened, unreached = true, 0
			l.listening.Store(true)
			began := time.Now()
			if l.hear(resp, &at) || time.Since(began) > maxDelay {
				idle = 0
			}
			delay = at.delay(idle)
		}
		if !pause(l.ctx, delay) {
			return
		}
	}
}

// mayRecover decides whether a stream that could be opened before is tried
// again after a failure. Where it means that the server is lost, it ends the
// link, and where the stream is given up, it says so.
func (l *httpLink) mayRecover(failure *Error, at *streamPosition, unreached *int) bool {
	var status *HTTPError
	switch {
	case l.ctx.Err() != nil:
		return false
	case isSessionLost(failure):
		l.fail(failure)
		return false
	case !errors.As(failure, &status):
		if *unreached++; *unreached < lostAfter {
			return true
		}
		l.fail(failure)
		return false
	}
	*unreached = 0
	switch {
	case status.Status >= 500 || status.Status == http.StatusTooManyRequests:
		return true
	case at.lastID != "": // perhaps it is only that event which the server has no more
		at.lastID = ""
		return true
	}
	l.log.Warn("the server tells no list changes any more", "error", failure)
	l.inbound.changed() // since the stream broke, perhaps
	return false
}

// askedDelay is the Retry-After of a failure, or 0.
func askedDelay(failure *Error) time.Duration {
	var status *HTTPError
	if errors.As(failure, &status) {
		return status.RetryAfter
	}
	return 0
}

// hear reads one stream to its end, and reports whether there was a message.
func (l *httpLink) hear(resp *http.Response, at *streamPosition) (heard bool) {
	defer func() { _ = resp.Body.Close() }()
	events := newSSEReader(resp.Body, maxMessage)
	for {
		event, err := events.next()
		if err != nil {
			return heard
		}
		at.note(&event)
		l.takeEvent(&event)
		heard = heard || event.isMessage()
	}
}
