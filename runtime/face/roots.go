package face

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// hasRoots says whether a client can be asked where its project is (MCP:
// client/roots).
func hasRoots(p *mcp.InitializeParams) bool {
	return p != nil && p.Capabilities != nil && p.Capabilities.RootsV2 != nil //nolint:staticcheck // deprecated for those who write clients: here are those that have them
}

// move says that the client's roots may have changed.
func (f *face) move() {
	select {
	case f.moved <- struct{}{}:
	default: // it is known
	}
}

// followRoots keeps the session's folders those of the client. It ends with ctx.
func (f *face) followRoots(ctx context.Context) {
	var last []rpc.WorkspaceFolder
	for {
		select {
		case <-f.moved:
		case <-ctx.Done():
			return
		}
		last = f.locate(ctx, last)
	}
}

// locate asks for the roots, and tells the session, unless they are the last ones.
func (f *face) locate(ctx context.Context, last []rpc.WorkspaceFolder) []rpc.WorkspaceFolder {
	defer f.gate.located(nil)
	session := f.onlySession()
	if f.opt.Guest || session == nil || !hasRoots(session.InitializeParams()) || f.opening.await(ctx, f.opening.awake) != nil {
		return last
	}
	listed, err := session.ListRoots(ctx, nil) //nolint:staticcheck // as in hasRoots
	if err != nil {
		if ctx.Err() == nil {
			f.log.Warn("the client does not say where its project is", "err", err)
		}
		return last
	}
	folders := foldersOf(listed.Roots)
	if len(folders) == 0 || slices.Equal(folders, last) {
		return last
	}
	var now rpc.SnapshotResult
	err = f.client.AskThen(ctx, rpc.MethodConfigure, &rpc.ConfigureParams{WorkspaceFolders: folders}, &now, func() {
		f.retool(now.Snapshot.Tools)
		f.gate.located(f.offeredServers(now.Snapshot.Servers))
	})
	if err != nil {
		f.log.Warn("the client's roots cannot be used", "err", err)
		return last
	}
	return folders
}

// onlySession is the client's, nil if there is none.
func (f *face) onlySession() *mcp.ServerSession {
	for s := range f.server.Sessions() {
		return s
	}
	return nil
}

// foldersOf are the roots that are directories.
func foldersOf(roots []*mcp.Root) []rpc.WorkspaceFolder { //nolint:staticcheck // as in hasRoots
	var folders []rpc.WorkspaceFolder
	for _, r := range roots {
		if r == nil { // a client may send null
			continue
		}
		u, err := url.Parse(r.URI)
		if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || !path.IsAbs(u.Path) {
			continue
		}
		name := r.Name
		if name == "" {
			name = path.Base(strings.TrimSuffix(u.Path, "/"))
		}
		folders = append(folders, rpc.WorkspaceFolder{URI: r.URI, Name: name})
	}
	return folders
}
