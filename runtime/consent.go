package runtime

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/trust"
)

// consent is what the user has said in this session about project servers and
// inputs, beside what is remembered beyond it. It is replaced whole, never
// changed.
type consent struct {
	// decisions that are not in the ledger: "later", and those that could not be
	// written there.
	decisions map[trustKey]rpc.Decision
	// values of inputs, and the inputs for which the user gave none.
	values   map[inputKey]string
	declined map[inputKey]bool
}

// trustKey is one entry that is decided about.
type trustKey struct {
	project string
	server  string
	hash    string
}

func trustKeyOf(e *config.Entry) trustKey { return trustKey{e.Dir(), e.Name, e.TrustHash()} }

// inputKey is one ${input:id}: ids are those of a file.
type inputKey struct{ path, id string }

func (c consent) deciding(key trustKey, d rpc.Decision) consent {
	if c.decisions = with(c.decisions, key, d); d == "" {
		delete(c.decisions, key)
	}
	return c
}

func (c consent) giving(key inputKey, value *string) consent {
	if value == nil {
		c.declined = with(c.declined, key, true)
	} else {
		c.values = with(c.values, key, *value)
	}
	return c
}

// with is a copy of a map with one more in it.
func with[K comparable, V any](all map[K]V, key K, value V) map[K]V {
	all = maps.Clone(all)
	if all == nil {
		all = map[K]V{}
	}
	all[key] = value
	return all
}

// again forgets what was put off, but for nothing that was given.
func (c consent) again() consent {
	kept := maps.Clone(c.decisions)
	maps.DeleteFunc(kept, func(_ trustKey, d rpc.Decision) bool { return d == rpc.DecideLater })
	c.decisions, c.declined = kept, nil
	return c
}

// retrying forgets that the user gave no value for what an entry needs.
func (c consent) retrying(e *config.Entry) consent {
	c.declined = maps.Clone(c.declined)
	for _, in := range e.Inputs {
		delete(c.declined, inputKey{e.Path, in.ID})
	}
	return c
}

// decided is what counts for an entry: allow, deny, or "" for nothing.
func (c consent) decided(e *config.Entry, book trust.Book) rpc.Decision {
	key := trustKeyOf(e)
	if d := c.decisions[key]; d == rpc.DecideAllow || d == rpc.DecideDeny {
		return d
	}
	d, _ := book.Decision(key.project, key.server, key.hash)
	return rpc.Decision(d)
}

// inputs are the values that an entry needs and the user has given, and what is
// missing.
func (c consent) inputs(e *config.Entry) (given map[string]string, missing []config.Input) {
	for _, in := range e.Inputs {
		value, ok := c.values[inputKey{e.Path, in.ID}]
		if !ok {
			missing = append(missing, in)
			continue
		}
		if given == nil {
			given = map[string]string{}
		}
		given[in.ID] = value
	}
	return given, missing
}

// projectServer is an entry as the user is shown it.
func projectServer(e *config.Entry, decision rpc.Decision) rpc.ProjectServer {
	key := trustKeyOf(e)
	return rpc.ProjectServer{
		Name: e.Name, Path: e.Path, Project: key.project, Line: e.Line, Column: e.Column,
		Provider: e.Provider, ProviderName: e.ProviderName,
		Command: e.Command, Args: e.Args, Env: e.Env, Cwd: e.Cwd, URL: e.URL, Headers: e.Headers,
		Uses: usesOf(e), Hash: key.hash, Decision: decision,
	}
}

func usesOf(e *config.Entry) []string {
	uses := []string{}
	u := e.Uses()
	for _, list := range []struct {
		format string
		names  []string
	}{{"${%s}", u.Variables}, {"$(%s)", u.Commands}, {"file:%s", u.Files}, {"${input:%s}", u.Inputs}} {
		for _, name := range list.names {
			uses = append(uses, fmt.Sprintf(list.format, name))
		}
	}
	return uses
}

// trustList are the project servers that can be decided about: also those that
// cannot be used, since they too keep a name from others.
func trustList(found *config.Result, c consent, book trust.Book) []rpc.ProjectServer {
	list := []rpc.ProjectServer{}
	for _, entries := range [][]config.Entry{found.Entries, found.Denied} {
		for i := range entries {
			if e := &entries[i]; e.NeedsTrust() {
				list = append(list, projectServer(e, c.decided(e, book)))
			}
		}
	}
	slices.SortFunc(list, func(a, b rpc.ProjectServer) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path))
	})
	return list
}

// untrusted is why a project's server rests.
func untrusted(e *config.Entry) *rpc.ServerError {
	return &rpc.ServerError{
		Code: "untrusted", Stage: rpc.StageConfig, Message: rpc.ErrUntrusted(e.Name).Error(),
		Hint: "look at its entry, which somebody else may have written; then: mcp-sidecar trust allow " + ShellArgument(e.Name),
	}
}

// needsInput is why a server rests for which the user has to give something.
func needsInput(server string, missing []config.Input, asks bool) *rpc.ServerError {
	ids := make([]string, len(missing))
	for i, in := range missing {
		ids[i] = in.ID
	}
	e := &rpc.ServerError{
		Code: "config", Stage: rpc.StageConfig,
		Message: fmt.Sprintf("server %q: a value is needed for ${input:%s}", server, strings.Join(ids, "}, ${input:")),
		Hint:    "mcp/connect asks for it again",
	}
	if !asks {
		e.Hint = "nobody can be asked for inputs here: write the value into the entry, use a variable, or start it in an editor or at a terminal"
	}
	return e
}
