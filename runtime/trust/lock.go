package trust

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofrs/flock"
)

const (
	// lockLimit bounds the wait for other processes, which hold the lock for
	// the milliseconds of one write each.
	lockLimit = 5 * time.Second
	// retryDelay is the pause between two attempts.
	retryDelay = 5 * time.Millisecond
)

// lock takes the lock that the file at path stands for. It belongs to an open
// file, so the kernel releases it with a process that dies, and two goroutines
// of one process exclude each other as well. The file itself stays: were it
// removed, two processes could each hold one of its name.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	held := fmt.Errorf("%s: another mcp-sidecar has held this lock for %v: try again", path, lockLimit)
	ctx, cancel := context.WithTimeoutCause(ctx, lockLimit, held)
	defer cancel()
	l := flock.New(path)
	ok, err := l.TryLockContext(ctx, retryDelay)
	switch {
	case ctx.Err() != nil && !ok:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w", path, err)
	case !ok:
		return nil, errors.New("no lock")
	}
	return func() { _ = l.Unlock() }, nil // closing it would release it, too
}
