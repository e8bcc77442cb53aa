//go:build unix

package toolcache

import "syscall"

// openWithoutWaiting keeps the opening of a FIFO from waiting for a writer.
const openWithoutWaiting = syscall.O_NONBLOCK
