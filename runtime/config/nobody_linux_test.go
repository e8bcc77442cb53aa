package config

import (
	"os"
	goruntime "runtime"
	"syscall"
	"testing"
)

// asNobody runs f without what lets root read every file. The user is that of
// a thread, which ends with the goroutine that it is locked to.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	const nobody = 65534
	done := make(chan struct{})
	go func() {
		defer close(done)
		goruntime.LockOSThread()
		syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0)
		f()
	}()
	<-done
}
