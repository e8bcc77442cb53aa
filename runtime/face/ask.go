package face

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// person is who sits at the client, and is asked by elicitation (MCP:
// client/elicitation), if the client can do that unasked: in the stateful eras.
type person struct {
	opt     Options
	once    sync.Once
	known   chan struct{}      // closed when it is known who the client is
	session *mcp.ServerSession // valid then; nil if nobody can be asked

	mu     sync.Mutex     // guards hinted
	hinted map[entry]bool // project servers of which the log says how to allow them
}

// entry is a project's server as it is now. What is decided is about that.
type entry struct{ project, name, hash string }

func newPerson(opt Options) *person {
	return &person{opt: opt, known: make(chan struct{}), hinted: map[entry]bool{}}
}

// introduced says how to ask; nil if that cannot be done. Only the first time counts.
func (p *person) introduced(session *mcp.ServerSession) {
	p.once.Do(func() {
		if canAsk(session) {
			p.session = session
		}
		close(p.known)
	})
}

func canAsk(session *mcp.ServerSession) bool {
	if session == nil {
		return false
	}
	hello := session.InitializeParams()
	if hello == nil || hello.Capabilities == nil || hello.Capabilities.Elicitation == nil {
		return false
	}
	e := hello.Capabilities.Elicitation
	return e.Form != nil || e.URL == nil // a client that says neither means forms
}

// errNobody is for a question that nobody can be asked.
var errNobody = errors.New("the client has nobody to ask: it does not declare elicitation by forms")

// errTurnedDown is for a question that was turned down.
var errTurnedDown = errors.New("the question was turned down")

// ask shows a form, and gives what was filled in.
func (p *person) ask(ctx context.Context, message string, form map[string]property) (map[string]any, error) {
	select {
	case <-p.known:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if p.session == nil {
		return nil, errNobody
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": form})
	if err != nil {
		return nil, err
	}
	answer, err := p.session.Elicit(ctx, &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: json.RawMessage(schema)})
	switch {
	case err != nil:
		return nil, err
	case answer.Action != "accept":
		return nil, errTurnedDown
	}
	return answer.Content, nil
}

// property is one line of a form (MCP: PrimitiveSchemaDefinition).
type property struct {
	Type        string   `json:"type"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Default     string   `json:"default,omitempty"`
}

// approve asks whether the project's servers may run. To turn the question down is
// to put it off: only what is chosen is remembered.
func (p *person) approve(ctx context.Context, q *rpc.ApproveParams) (*rpc.ApproveResult, error) {
	var about []string
	form := map[string]property{}
	offered := offered(&p.opt, q.Servers, func(s rpc.ProjectServer) string { return s.Name })
	if len(offered) == 0 {
		return &rpc.ApproveResult{Decisions: map[string]rpc.Decision{}}, nil
	}
	for _, s := range offered {
		about = append(about, strings.TrimSpace(p.opt.Describe(s)))
		form[s.Name] = property{
			Type: "string", Title: p.opt.Visible(s.Name), Enum: []string{string(rpc.DecideAllow), string(rpc.DecideDeny), string(rpc.DecideLater)},
			Default:     string(rpc.DecideLater),
			Description: "allow: start it, now and in future. deny: leave it out. later: not now.",
		}
	}
	question := "May it be started?"
	if len(offered) > 1 {
		question = "May they be started?"
	}
	chosen, err := p.ask(ctx, strings.Join(append(about, question), "\n\n"), form)
	result := &rpc.ApproveResult{Decisions: map[string]rpc.Decision{}}
	switch {
	case errors.Is(err, errNobody), errors.Is(err, errTurnedDown): // that is an answer: later
	case ctx.Err() != nil:
		return nil, context.Cause(ctx) // it is withdrawn
	case err != nil:
		p.opt.Log.Info("it is not decided whether the project's servers may run", "why", err)
	}
	for _, s := range offered {
		d, _ := chosen[s.Name].(string)
		if d == "" || d == string(rpc.DecideLater) { // programs without a person decline by themselves
			p.hint(s)
			continue
		}
		result.Decisions[s.Name] = rpc.Decision(d)
	}
	return result, nil
}

// hint says once how a project's server is allowed.
func (p *person) hint(s rpc.ProjectServer) {
	e := entry{s.Project, s.Name, s.Hash}
	p.mu.Lock()
	known := p.hinted[e]
	p.hinted[e] = true
	p.mu.Unlock()
	if !known {
		p.opt.Log.Warn("a server of the project is not started until you allow it", "server", s.Name, "file", s.Path, "allow", p.opt.Remedy(s))
	}
}

// input asks for the value of an input. A secret is not asked for: MCP forbids it in
// a form.
func (p *person) input(ctx context.Context, q *rpc.InputParams) (*rpc.InputResult, error) {
	if !p.opt.offers(q.Server) {
		return &rpc.InputResult{}, nil
	}
	if q.Password {
		p.opt.Log.Warn("a server is not started: it needs a secret, which a form of MCP must not ask for; give it by a variable of the environment",
			"server", q.Server, "input", q.ID)
		return &rpc.InputResult{}, nil
	}
	what := q.Description
	if what == "" {
		what = q.ID
	}
	const member = "value"
	chosen, err := p.ask(ctx, p.opt.Visible(q.Server)+" needs: "+p.opt.Visible(what), map[string]property{
		member: {Type: "string", Title: p.opt.Visible(q.ID), Description: p.opt.Visible(q.Description), Enum: q.Options, Default: q.Default},
	})
	if errors.Is(err, errNobody) {
		p.opt.Log.Warn("a server is not started: it needs a value, and there is nobody to ask", "server", q.Server, "input", q.ID)
	}
	if value, ok := chosen[member].(string); ok && err == nil {
		return &rpc.InputResult{Value: &value}, nil
	}
	return &rpc.InputResult{}, nil
}
