package rpc

import "time"

// Every limit of the wire. What a limit protects is said here; how it is kept
// is said where it is used.
const (
	// DefaultMaxMessage bounds one incoming body, in bytes.
	DefaultMaxMessage = 64 << 20
	// shownHead is how much of a body that is too large is looked at for its id, in
	// bytes.
	shownHead = 1 << 10
	// maxHeaderBlock bounds the headers of one frame, in bytes.
	maxHeaderBlock = 8 << 10
	// maxRequests bounds the requests of one host that are being worked on. It
	// is above what the runtime queues, so that the runtime's own, fairer limit
	// is the one that is normally met.
	maxRequests = 8192
	// maxOrdered bounds the ordered ones, which are taken up beside those: a
	// host has a handful at a time.
	maxOrdered = 256
	// maxUnsentLogs and maxUnsentLogBytes bound the runtime/log notifications
	// that wait for a slow host.
	maxUnsentLogs     = 256
	maxUnsentLogBytes = 1 << 20
	// maxLogged bounds a piece of the host's input in our own log, in bytes.
	maxLogged = 200
	// A host that took no byte for stallTime while more than stallBytes wait
	// for it is treated as gone.
	stallBytes = 64 << 20
	stallTime  = 30 * time.Second
	// writeChunk is how much is handed to the operating system at once: progress
	// within a large frame counts as progress.
	writeChunk = 64 << 10
	// keepBuffer is the largest write buffer that is kept for the next frame.
	keepBuffer = 1 << 20
	// drainLimit bounds the wait for requests in flight after the end of input.
	drainLimit = 60 * time.Second
	// lookAgain is how often it is looked meanwhile whether the host still reads.
	lookAgain = time.Second
	// flushLimit is how long the host may take nothing when the session ends
	// with frames queued; after SIGTERM, how long that may last in all.
	flushLimit = time.Second
)
