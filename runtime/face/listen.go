package face

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// listeners are the requests by which a client of the stateless era listens for
// changes (MCP 2026-07-28: subscriptions/listen). The SDK has room for one on a
// connection, and forgets all when one ends; and it says nothing of what has changed
// between a list and the first of them.
type listeners struct {
	conn *conn

	mu     sync.Mutex                 // guards what follows
	ids    map[string]json.RawMessage // of those that there are
	missed bool                       // there was a change, and nobody listened
}

func newListeners(c *conn) *listeners {
	return &listeners{conn: c, ids: map[string]json.RawMessage{}}
}

// asksForTools says whether a request listens for what the face has to say.
func asksForTools(p *mcp.SubscriptionsListenParams) bool {
	return p != nil && p.Notifications != nil && p.Notifications.ToolsListChanged
}

// listen is such a request. It ends with ctx: when the client cancels it, or is gone.
func (l *listeners) listen(ctx context.Context, r mcp.Request) (mcp.Result, error) {
	id := listenID(r)
	about := map[string]any{
		"_meta":         map[string]any{mcp.MetaKeySubscriptionID: id},
		"notifications": mcp.NotificationSubscriptions{ToolsListChanged: true},
	}
	if err := l.say("notifications/subscriptions/acknowledged", about); err != nil {
		return nil, internal(err)
	}
	if l.add(id) {
		l.tell()
	}
	<-ctx.Done()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.ids, string(id))
	return &mcp.SubscriptionsListenResult{Meta: mcp.Meta{mcp.MetaKeySubscriptionID: id}}, nil
}

// add is true if there was a change before.
func (l *listeners) add(id json.RawMessage) (missed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ids[string(id)] = id
	return l.missed
}

// tell tells those that listen of a change, or else the next one.
func (l *listeners) tell() {
	l.mu.Lock()
	ids := slices.Collect(maps.Values(l.ids))
	l.missed = len(ids) == 0
	l.mu.Unlock()
	for _, id := range ids {
		about := map[string]any{"_meta": map[string]any{mcp.MetaKeySubscriptionID: id}}
		_ = l.say("notifications/tools/list_changed", about) // a client that is gone is noticed elsewhere
	}
}

func (l *listeners) say(method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return l.conn.Write(context.Background(), &jsonrpc.Request{Method: method, Params: raw})
}

// idHeader is where the id of a request is on its way through the SDK, which does not
// tell it.
const idHeader = "Request-Id"

// identified has a request that listens carry its id.
func identified(r *jsonrpc.Request) {
	if id, err := json.Marshal(r.ID.Raw()); err == nil && r.Method == methodListen {
		r.Extra = &mcp.RequestExtra{Header: http.Header{idHeader: {string(id)}}}
	}
}

func listenID(r mcp.Request) json.RawMessage {
	if extra := r.GetExtra(); extra != nil {
		return json.RawMessage(extra.Header.Get(idHeader))
	}
	return json.RawMessage("null")
}
