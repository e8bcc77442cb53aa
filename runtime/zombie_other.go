//go:build unix && !linux

package runtime

// isZombie is not asked here: whoever started the host is trusted to reap it.
func isZombie(int) bool { return false }
