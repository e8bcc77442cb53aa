package face

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolname"
)

// call runs a tool.
func (f *face) call(ctx context.Context, p *mcp.CallToolParamsRaw, session *mcp.ServerSession, stateless bool) (mcp.Result, error) {
	tool, err := f.find(ctx, p.Name)
	if err != nil {
		return nil, err
	}
	params := &rpc.CallParams{Server: tool.Server, Tool: tool.Tool}
	if string(p.Arguments) != "null" { // there are clients that have none in this way
		params.Arguments = p.Arguments
	}
	if token := p.GetProgressToken(); token != nil {
		ours, end := f.progress.relay(func(v *rpc.ProgressValue) {
			_ = session.NotifyProgress(ctx, progressOf(token, v)) // a client that is gone is noticed elsewhere
		})
		defer end()
		params.ProgressToken = ours
	}
	var answer rpc.CallResult
	err = f.client.Ask(ctx, rpc.MethodCall, params, &answer)
	result := answer.Result
	if err != nil {
		if result, err = f.failure(ctx, err); err != nil {
			return nil, err
		}
	}
	if stateless {
		result = complete(result)
	}
	return &parcel{by: f.conn.parcels, raw: result}, nil
}

// find is the tool of a name. One that is not known may be another server's that is
// still starting: a client remembers names from before.
func (f *face) find(ctx context.Context, name string) (toolname.Target, error) {
	if err := f.opening.await(ctx, f.opening.awake); err != nil {
		return toolname.Target{}, err
	}
	if tool, ok := f.tools.find(name); ok {
		return tool, nil
	}
	if err := f.gate.passCall(ctx); err != nil {
		return toolname.Target{}, err
	}
	if tool, ok := f.tools.find(name); ok {
		return tool, nil
	}
	return toolname.Target{}, f.unknown(ctx, name)
}

// failure is what is made of a call that the session refuses. A tool that does not
// exist, and arguments that are none, are mistakes of the protocol; the rest is told
// to the model, as the result (MCP: server/tools, Error Handling).
func (f *face) failure(ctx context.Context, err error) (json.RawMessage, error) {
	var refused *rpc.Error
	switch {
	case errors.Is(err, rpc.ErrClosed):
		return nil, internal(ErrSessionEnded)
	case ctx.Err() != nil || !errors.As(err, &refused):
		return nil, internal(err)
	}
	switch refused.Code {
	case rpc.CodeUnknownTool, rpc.CodeUnknownServer, rpc.CodeInvalidParams:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: f.inFaceNames(refused.Message)}
	case rpc.CodeUntrusted, rpc.CodeAuthNeeded, rpc.CodeOverloaded:
		return json.Marshal(map[string]any{
			"content": []any{map[string]string{"type": "text", "text": "MCP error: " + refused.Message}},
			"isError": true,
		})
	}
	return nil, internal(refused)
}

// internal is an error that is no mistake of the client's.
func internal(err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}

// unknown is the error for a name that no tool has or had.
func (f *face) unknown(ctx context.Context, name string) error {
	message := fmt.Sprintf("unknown tool %q", name) + f.absence(ctx, name)
	if near := f.nearest(ctx, name); len(near) > 0 {
		message += "; did you mean " + f.inFaceNames(strings.Join(near, ", ")) + "?"
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

// nearest are tools of which a name may be meant, as the session calls them.
func (f *face) nearest(ctx context.Context, name string) []string {
	limit := suggestions
	if f.opt.isChosen() {
		limit = searchLimit // most may be others'
	}
	var found rpc.SearchResult
	if f.client.Ask(ctx, rpc.MethodSearch, &rpc.SearchParams{Query: name, Limit: limit}, &found) != nil {
		return nil
	}
	var near []string
	for _, hit := range found.Tools {
		if len(near) < suggestions && f.opt.offers(hit.Server) {
			near = append(near, hit.Name)
		}
	}
	return near
}

// absence says what a name that no tool has may have to do with a server that has no
// tools now; "" for nothing.
func (f *face) absence(ctx context.Context, name string) string {
	var all rpc.ServersResult
	if err := f.client.Ask(ctx, rpc.MethodServers, &rpc.ServersParams{}, &all); err != nil {
		return ""
	}
	var server rpc.Server // with the longest name that begins the tool's
	longest := ""
	for _, s := range f.offeredServers(all.Servers) {
		if prefix := form().Begins(toolname.ServerPart(s.Name)); len(prefix) > len(longest) && strings.HasPrefix(name, prefix) {
			server, longest = s, prefix
		}
	}
	switch {
	case longest == "" || server.Tools.Count > 0:
		return ""
	case server.Error != nil:
		return ": " + server.Error.Message
	}
	return fmt.Sprintf(": server %q is %s", server.Name, server.Phase)
}

// inFaceNames is a message of the session with the names of tools as the client knows
// them.
func (f *face) inFaceNames(message string) string {
	set := f.tools.current()
	return regexp.MustCompile(`[A-Za-z0-9_-]+`).ReplaceAllStringFunc(message, func(word string) string {
		if t, ok := set.tools[word]; ok {
			return set.names[targetOf(t)]
		}
		return word
	})
}

// progress leads what the session says of calls to those that wait for it.
type progress struct {
	mu      sync.Mutex // guards what follows
	last    int
	waiting map[string]func(*rpc.ProgressValue) // by token
}

// relay gives a call a token of the session's. What comes for it is told until end.
func (p *progress) relay(tell func(*rpc.ProgressValue)) (token json.RawMessage, end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	key := strconv.Itoa(p.last)
	p.waiting[key] = tell
	return json.RawMessage(key), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.waiting, key)
	}
}

// heard is progress that the session tells. It is passed on before anything else is
// heard, the result included.
func (p *progress) heard(v *rpc.ProgressParams) {
	p.mu.Lock()
	tell := p.waiting[string(v.Token)]
	p.mu.Unlock()
	if tell != nil {
		tell(&v.Value)
	}
}

func progressOf(token any, v *rpc.ProgressValue) *mcp.ProgressNotificationParams {
	n := &mcp.ProgressNotificationParams{ProgressToken: token, Message: v.Message}
	_ = json.Unmarshal(v.Progress, &n.Progress) // a number, as is the next; a server's mistake is 0
	if v.Total != nil {
		_ = json.Unmarshal(v.Total, &n.Total)
	}
	return n
}
