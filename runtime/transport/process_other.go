//go:build !linux && !darwin

package transport

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// errNoProcesses: groups, and so the promise that nothing outlives us, need job
// objects there.
var errNoProcesses = errors.New("child processes are not supported on this system yet")

func supported() error                         { return errNoProcesses }
func ownSession() *syscall.SysProcAttr         { return nil }
func executable(_ string, _ fs.FileInfo) bool  { return true }
func killGroup(int)                            {}
func terminateGroup(int)                       {}
func groupAlive(int) bool                      { return false }
func othersAlive(int) bool                     { return false }
func awaitExit(int)                            {}
func hasEnded(int) (ended, known bool)         { return false, false }
func reapLeader(int) (code int, signal string) { return -1, "" }
func ownExecutable() (string, error)           { return os.Executable() }

func spawnError(spec *Spec, err error) *Error {
	return &Error{
		Code: CodeSpawn, Stage: StageSpawn, NotSent: true, Lasting: true, Err: err,
		Message: fmt.Sprintf("command %q cannot be started: %v", spec.Command, err),
	}
}
