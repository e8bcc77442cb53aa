package runtime

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/toolcache"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// NestedEnv marks the environment of every server with Options.Mark, so that a
// sidecar started beneath this one knows it, and the guard finds what is left.
const NestedEnv = "MCP_SIDECAR_NESTED"

// envPrefix is what all our own variables begin with: none of them reaches a
// server but NestedEnv.
const envPrefix = "MCP_SIDECAR"

// connector makes the connectFunc of a candidate: expand and connect, then
// list, each within the timeout.
func (m *Manager) connector(c candidate, before *saved) connectFunc {
	a := &attempts{m: m, c: c, set: m.set, cwd: m.params.Cwd, era: c.era, timeout: m.set.connect, saved: before}
	if c.entry.Timeout > 0 {
		a.timeout = c.entry.Timeout
	}
	return a.connect
}

// attempts is what the attempts of one server share. They come one after the
// other, which makes era theirs.
type attempts struct {
	m       *Manager
	c       candidate
	set     settings
	cwd     string
	timeout time.Duration
	era     transport.Era // of the last connection, of this session or an earlier one
	saved   *saved
}

func (a *attempts) connect(ctx context.Context, wanted <-chan struct{}, h transport.Hooks, warn func([]string)) (conn *connection, err error) {
	defer a.startingTurn(ctx, wanted)()
	begun := time.Now()
	sess, reached, err := a.open(ctx, h, warn)
	if err != nil {
		var te *transport.Error
		if ctx.Err() == nil && errors.As(err, &te) && te.Stage == transport.StageInitialize {
			a.forgetEra()
		}
		return nil, err
	}
	defer func() {
		if conn == nil { // also when this panics
			sess.Close()
		}
	}()
	a.era = sess.Info().Era
	connected := time.Now()
	h.Stage(transport.StageList)
	within, cancel := context.WithTimeoutCause(ctx, a.timeout, errTookLong)
	defer cancel()
	raw, err := sess.ListTools(within)
	if err != nil {
		return nil, tooSlow(within, err, transport.StageList, a.timeout)
	}
	return &connection{
		sess: sess, tools: listOf(raw), remember: a.remember(sess.Info()),
		timings: timingsOf(begun, reached, connected, time.Now()),
	}, nil
}

// timingsOf are those of an attempt. The time at which the server was reached
// is zero when nobody told it.
func timingsOf(begun, reached, connected, listed time.Time) rpc.Timings {
	t := rpc.Timings{
		ConnectMs: int(connected.Sub(begun).Milliseconds()),
		ListMs:    int(listed.Sub(connected).Milliseconds()),
	}
	if !reached.IsZero() {
		t.SpawnMs = int(reached.Sub(begun).Milliseconds())
		t.InitializeMs = t.ConnectMs - t.SpawnMs
	}
	return t
}

// newStarting has room for as many tokens as servers may start at once.
func newStarting() chan struct{} {
	return make(chan struct{}, max(2, goruntime.NumCPU())*startsPerCPU)
}

// startingTurn waits until it is this server's turn to start, and gives what
// ends the turn. Processes take a processor each while they start: a hundred at
// once would keep the sidecar from answering. Only those wait whose tools are
// offered already, unless somebody needs them now, and none for long: a turn
// ends after startTurn, however long the start takes.
func (a *attempts) startingTurn(ctx context.Context, wanted <-chan struct{}) (end func()) {
	if a.c.cached == nil || a.c.entry.Kind != "stdio" {
		return func() {}
	}
	select {
	case a.m.starting <- struct{}{}:
	case <-wanted:
		return func() {}
	case <-ctx.Done():
		return func() {}
	}
	free := sync.OnceFunc(func() { <-a.m.starting })
	timer := time.AfterFunc(startTurn, free)
	return func() {
		timer.Stop()
		free()
	}
}

// open expands the entry and makes the session. It also says when the process
// ran, or the URL had answered.
func (a *attempts) open(ctx context.Context, h transport.Hooks, warn func([]string)) (sess transport.Session, reached time.Time, err error) {
	within, cancel := context.WithTimeoutCause(ctx, a.timeout, errTookLong)
	defer cancel()
	spec, warnings, err := a.m.specOf(within, a.c, a.cwd)
	warn(warnings)
	if err != nil {
		return nil, reached, tooSlow(within, &configError{err}, transport.StageConnect, a.timeout)
	}
	spec.Era, spec.Shutdown = a.era, a.set.shutdown
	stage := transport.StageConnect
	if spec.Kind == transport.Stdio {
		stage = transport.StageSpawn
	}
	told := h.Stage
	h.Stage = func(s transport.Stage) {
		stage, reached = s, time.Now()
		told(s)
	}
	sess, err = a.m.reach.Dial(within, spec, h)
	if err != nil {
		return nil, reached, tooSlow(within, err, stage, a.timeout)
	}
	return sess, reached, nil
}

// forgetEra: a handshake that failed may have been the wrong one.
func (a *attempts) forgetEra() {
	if a.era == transport.EraUnknown {
		return
	}
	a.era = transport.EraUnknown
	if cache := a.cache(); cache != nil {
		a.saved.mu.Lock()
		defer a.saved.mu.Unlock()
		if l, ok := cache.Load(a.c.key, a.set.maxAge, time.Now()); ok && l.Era != "" {
			l.Era = ""
			a.m.save(a.c.key, l)
		}
	}
}

// cache is nil when there is none, as the settings are now: a session may be older.
func (a *attempts) cache() *toolcache.Cache {
	if !a.m.view.Load().set.cache {
		return nil
	}
	return a.m.opt.Cache
}

// saved keeps an older list from replacing a newer one: lists are written by
// the goroutines that made them. A leaf type.
type saved struct {
	mu     sync.Mutex
	newest time.Time // guarded by mu, which is held while a list is written, or read to be changed
}

// remember gives the function that writes a list to the cache.
func (a *attempts) remember(info transport.Info) func(*toolList) {
	return func(l *toolList) {
		if a.cache() == nil {
			return
		}
		a.saved.mu.Lock()
		defer a.saved.mu.Unlock()
		if l.time.Before(a.saved.newest) {
			return
		}
		a.saved.newest = l.time
		intro := introduce(info, a.m.redact.clean)
		out := toolcache.List{
			ServerInfo: intro.serverInfo, ProtocolVersion: intro.protocolVersion,
			Era: string(info.Era), Instructions: intro.instructions, Time: l.time,
		}
		for _, d := range l.defs {
			out.Tools = append(out.Tools, d.raw)
		}
		a.m.save(a.c.key, out)
	}
}

// save writes to the cache, best effort.
func (m *Manager) save(key toolcache.Key, l toolcache.List) {
	if err := m.opt.Cache.Save(key, l); err != nil {
		m.log.Debug("the cache was not written", "err", err)
	}
}

// listOf is a list as the server has just given it.
func listOf(raw []json.RawMessage) *toolList {
	defs, issues := parseTools(raw)
	return &toolList{defs: defs, time: time.Now(), issues: issues}
}

func tooSlow(ctx context.Context, err error, stage transport.Stage, timeout time.Duration) error {
	if errors.Is(context.Cause(ctx), errTookLong) {
		return &slowError{stage: stage, after: timeout, err: err}
	}
	return err
}

// specOf expands an entry and says what could not be. It runs the commands the
// entry asks for.
func (m *Manager) specOf(ctx context.Context, c candidate, cwd string) (transport.Spec, []string, error) {
	e := c.entry
	expander := m.opt.expander(cwd)
	expander.Run, expander.Inputs = m.commands.output, c.inputs
	x, err := e.Expand(ctx, expander)
	if err != nil {
		return transport.Spec{}, nil, err
	}
	m.redact.add(x.Secrets...)
	m.redact.add(basicAuth(x.URL)...)
	if e.Kind != "stdio" && !isWebURL(x.URL) {
		// What could not be expanded is the likely cause, and is said first.
		faults := append(slices.Clone(x.Warnings), "url: it does not begin with http:// or https://")
		return transport.Spec{}, x.Warnings, errors.New(strings.Join(faults, "; "))
	}
	spec := transport.Spec{
		Name: e.Name, Kind: transport.Kind(e.Kind), Command: x.Command, Args: x.Args,
		Env: childEnv(m.opt.Environ(), x, m.opt.Mark), Dir: x.Cwd, URL: x.URL,
		ClientName: m.opt.Name, ClientVersion: m.opt.Version, Redact: m.redact.clean,
	}
	if spec.Dir == "" {
		spec.Dir = e.RunsIn(cwd)
	}
	if len(x.Headers) > 0 {
		spec.Headers = http.Header{}
		for k, v := range x.Headers {
			spec.Headers.Set(k, v)
		}
	}
	return spec, x.Warnings, nil
}

// basicAuth are the forms in which a user and a password in a URL travel, and in
// which the server has them.
func basicAuth(text string) []string {
	u, err := url.Parse(text)
	if err != nil || u.User == nil {
		return nil
	}
	password, _ := u.User.Password()
	return []string{
		base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password)), u.User.Username(), password,
	}
}

func isWebURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// childEnv is the sidecar's environment without our own variables, changed as
// the entry says, with the mark.
func childEnv(environ []string, x config.Expanded, mark string) []string {
	drop := func(kv string) bool {
		key, _, _ := strings.Cut(kv, "=")
		_, set := x.Env[key]
		return set || strings.HasPrefix(key, envPrefix) || slices.Contains(x.UnsetEnv, key)
	}
	env := slices.DeleteFunc(slices.Clone(environ), drop)
	for k, v := range x.Env {
		env = append(env, k+"="+v)
	}
	return append(env, NestedEnv+"="+mark)
}
