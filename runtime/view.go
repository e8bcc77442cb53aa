package runtime

import (
	"context"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
)

// view is the whole truth at one instant, for readers that must not wait for
// the loop. It is never changed; the next one replaces it.
type view struct {
	snap    *rpc.Snapshot
	catalog *catalog
	servers map[string]handle
	set     settings
	// searching: a discovery is under way, which may find more servers.
	searching bool
	// asking: the host's user is asked something, or will be.
	asking bool
	// superseded is closed when the next view is in place.
	superseded chan struct{}
}

// found: no discovery is under way.
func (v *view) found() bool { return !v.searching }

// handle is how a call reaches a server.
type handle struct {
	srv   *server
	entry *config.Entry
	tools *toolList // what it lists, before filters
	over  bool      // it was told to end, and another will follow
	off   bool      // the host's user switched it off
}

// record finds the record of a server in a snapshot, which is sorted by name.
func record(snap *rpc.Snapshot, server string) (rpc.Server, bool) {
	for _, r := range snap.Servers {
		if r.Name == server {
			return r, true
		}
	}
	return rpc.Server{}, false
}

func pending(r rpc.Server) bool {
	return r.Status == rpc.StatusConnecting || r.Phase == rpc.PhaseBackoff
}

// Snapshot is the current truth. It must not be changed.
func (m *Manager) Snapshot() *rpc.Snapshot { return m.view.Load().snap }

// Answered waits until the user is asked nothing any more, and what was answered
// is carried out.
func (m *Manager) Answered(ctx context.Context) error {
	_, err := m.viewWhen(ctx, func(v *view) bool { return !v.searching && !v.asking })
	return err
}
