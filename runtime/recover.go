package runtime

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// recovered, deferred, turns a panic into a line in the log: nothing that a
// server sends may end a sidecar that nobody started by hand.
func recovered(log *slog.Logger, where string) {
	if r := recover(); r != nil {
		logBug(log, where, r)
	}
}

// guarded runs f and turns a panic into its error.
func guarded(log *slog.Logger, where string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			logBug(log, where, r)
			err = fmt.Errorf("a bug in mcp-sidecar: %v", r)
		}
	}()
	return f()
}

// logBug is called while the panic unwinds, so that the stack is its own.
func logBug(log *slog.Logger, where string, cause any) {
	log.Error("this is a bug in mcp-sidecar; please report it", "in", where, "panic", cause, "stack", string(debug.Stack()))
}
