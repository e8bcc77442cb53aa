//go:build !unix

package toolcache

// openWithoutWaiting is nothing where FIFOs do not lie in directories.
const openWithoutWaiting = 0
