package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolcache"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// NestedEnv marks the environment of every server, so that a sidecar started
// beneath this one knows it.
const NestedEnv = "MCP_SIDECAR_NESTED"

// envPrefix is what all our own variables begin with: none of them reaches a
// server but NestedEnv.
const envPrefix = "MCP_SIDECAR"

// connector makes the connectFunc of a candidate. It is called for one attempt
// at a time, which makes era its own.
func (m *Manager) connector(c candidate) connectFunc {
	e, set, cwd, era := c.entry, m.set, m.params.Cwd, c.era
	timeout := set.connect
	if e.Timeout > 0 {
		timeout = e.Timeout
	}
	return func(ctx context.Context, h transport.Hooks, warn func([]string)) (*connection, error) {
		spec, warnings, err := m.specOf(ctx, e, cwd)
		warn(warnings)
		if err != nil {
			return nil, &configError{err}
		}
		spec.Era, spec.Shutdown = era, set.shutdown
		conn, err := connect(ctx, m.opt.Dial, spec, h, timeout)
		if err != nil {
			era = transport.EraUnknown
			return nil, err
		}
		era = conn.sess.Info().Era
		if set.cache && m.opt.Cache != nil {
			conn.remember = func(l *toolList) { m.remember(c.key, l, conn.sess.Info()) }
		}
		return conn, nil
	}
}

// connect makes the session and lists its tools, each within timeout.
func connect(ctx context.Context, dial dialFunc, spec transport.Spec, h transport.Hooks, timeout time.Duration) (*connection, error) {
	begun := time.Now()
	stage := transport.StageConnect
	if spec.Kind == transport.Stdio {
		stage = transport.StageSpawn
	}
	told := h.Stage
	h.Stage = func(s transport.Stage) { stage = s; told(s) }
	within, cancel := context.WithTimeoutCause(ctx, timeout, errTookLong)
	sess, err := dial(within, spec, h)
	cancel()
	if err != nil {
		return nil, tooSlow(within, err, stage, timeout)
	}
	connected := time.Now()
	h.Stage(transport.StageList)
	within, cancel = context.WithTimeoutCause(ctx, timeout, errTookLong)
	raw, err := sess.ListTools(within)
	cancel()
	if err != nil {
		sess.Close()
		return nil, tooSlow(within, err, transport.StageList, timeout)
	}
	return &connection{
		sess: sess, tools: listOf(raw),
		connectMs: int(connected.Sub(begun).Milliseconds()), listMs: int(time.Since(connected).Milliseconds()),
	}, nil
}

// listOf is a list as the server has just given it.
func listOf(raw []json.RawMessage) *toolList {
	defs, issues := parseTools(raw)
	return &toolList{defs: defs, time: time.Now(), issues: issues}
}

// dialFunc is transport.Dialer's.
type dialFunc func(context.Context, transport.Spec, transport.Hooks) (transport.Session, error)

func tooSlow(ctx context.Context, err error, stage transport.Stage, timeout time.Duration) error {
	if errors.Is(context.Cause(ctx), errTookLong) {
		return &slowError{stage: stage, after: timeout, err: err}
	}
	return err
}

// specOf expands an entry and says what could not be. It runs the commands the
// entry asks for.
func (m *Manager) specOf(ctx context.Context, e *config.Entry, cwd string) (transport.Spec, []string, error) {
	x, err := e.Expand(ctx, config.Expander{
		Getenv: m.opt.Getenv, Home: m.opt.Home, Folder: cwd, Run: m.commands.run,
	})
	if err != nil {
		return transport.Spec{}, nil, err
	}
	m.redact.add(x.Secrets...)
	if e.Kind != "stdio" && !isWebURL(x.URL) {
		return transport.Spec{}, x.Warnings, errors.New("url: it is not an http: or https: URL" + unexpanded(x.Warnings))
	}
	spec := transport.Spec{
		Name: e.Name, Kind: transport.Kind(e.Kind), Command: x.Command, Args: x.Args,
		Env: childEnv(m.opt.Environ(), x), Dir: x.Cwd, URL: x.URL,
		ClientName: m.opt.Name, ClientVersion: m.opt.Version,
	}
	if spec.Dir == "" {
		spec.Dir = cwd
	}
	if len(x.Headers) > 0 {
		spec.Headers = http.Header{}
		for k, v := range x.Headers {
			spec.Headers.Set(k, v)
		}
	}
	return spec, x.Warnings, nil
}

func isWebURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// unexpanded adds the likely cause to an error.
func unexpanded(warnings []string) string {
	if len(warnings) == 0 {
		return ""
	}
	return "; " + strings.Join(warnings, "; ")
}

// childEnv is the sidecar's environment without our own variables, changed as
// the entry says, with the mark.
func childEnv(environ []string, x config.Expanded) []string {
	drop := func(kv string) bool {
		key, _, _ := strings.Cut(kv, "=")
		_, set := x.Env[key]
		return set || strings.HasPrefix(key, envPrefix) || slices.Contains(x.UnsetEnv, key)
	}
	env := slices.DeleteFunc(slices.Clone(environ), drop)
	for k, v := range x.Env {
		env = append(env, k+"="+v)
	}
	return append(env, NestedEnv+"=1")
}

// remember writes a tool list to the cache, best effort.
func (m *Manager) remember(key toolcache.Key, l *toolList, info transport.Info) {
	out := toolcache.List{
		ServerInfo: info.ServerInfo, ProtocolVersion: info.ProtocolVersion,
		Era: string(info.Era), Instructions: info.Instructions, Time: l.time,
	}
	for _, d := range l.defs {
		out.Tools = append(out.Tools, d.raw)
	}
	if err := m.opt.Cache.Save(key, out); err != nil {
		m.log.Debug("the cache was not written", "err", err)
	}
}

// commandTimeout bounds one !command or $(command) of an entry.
const commandTimeout = 10 * time.Second

// commands runs the commands entries ask for, each once: a success holds for
// the life of the sidecar. A leaf type with a lock of its own.
type commands struct {
	mu   chan struct{} // capacity 1: held while a command runs
	done map[string]string
}

func newCommands() *commands {
	return &commands{mu: make(chan struct{}, 1), done: map[string]string{}}
}

func (c *commands) run(ctx context.Context, command string) (string, error) {
	select {
	case c.mu <- struct{}{}:
		defer func() { <-c.mu }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if out, ok := c.done[command]; ok {
		return out, nil
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, "/bin/sh", "-c", command).Output()
	if ctx.Err() != nil {
		return "", fmt.Errorf("the command took longer than %s", seconds(commandTimeout))
	}
	if err != nil {
		return "", err
	}
	text := strings.TrimRight(string(out), "\r\n")
	c.done[command] = text
	return text, nil
}
