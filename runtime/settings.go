package runtime

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

// settings are what the host asked for, with every default filled in. They are
// replaced whole, never changed.
type settings struct {
	enabled   bool
	servers   map[string]json.RawMessage
	disabled  []string
	discovery rpc.DiscoverySettings
	gate      time.Duration
	// background: servers without cached tools do not hold the gate.
	background bool
	connect    time.Duration
	call       time.Duration
	callMax    time.Duration
	shutdown   time.Duration
	auto       bool
	cache      bool
	maxAge     time.Duration
	toolNames  rpc.ToolNames
	trust      rpc.ProjectTrust
}

// effective fills in the defaults. asks is whether the host answers
// trust/approve.
func effective(w *rpc.Settings, asks bool) settings {
	if w == nil {
		w = &rpc.Settings{}
	}
	s := settings{
		enabled:   orTrue(w.Enabled),
		servers:   w.Servers,
		disabled:  w.Disabled,
		gate:      defaultGate,
		connect:   defaultConnect,
		call:      defaultCall,
		callMax:   defaultCallMax,
		shutdown:  defaultShutdown,
		auto:      w.Reconnect != rpc.ReconnectManual,
		cache:     true,
		maxAge:    defaultMaxAgeDays * 24 * time.Hour,
		toolNames: w.ToolNames,
		trust:     rpc.TrustAllow,
	}
	if w.Discovery != nil {
		s.discovery = *w.Discovery
	}
	if st := w.Startup; st != nil {
		if st.GateMs != nil {
			s.gate = milliseconds(*st.GateMs)
		}
		s.background = st.Uncached == rpc.UncachedBackground
	}
	if t := w.Timeouts; t != nil {
		s.connect = orDefault(t.ConnectMs, s.connect)
		s.call = orDefault(t.CallMs, s.call)
		s.callMax = orDefault(t.CallMaxMs, s.callMax)
		s.shutdown = orDefault(t.ShutdownMs, s.shutdown)
	}
	if c := w.Cache; c != nil {
		s.cache = orTrue(c.Enabled)
		if c.MaxAgeDays != nil {
			s.maxAge = times(*c.MaxAgeDays, 24*time.Hour)
		}
	}
	if asks {
		s.trust = rpc.TrustAsk
	}
	if w.Trust != nil && w.Trust.Project != "" {
		s.trust = w.Trust.Project
	}
	return s
}

func orTrue(b *bool) bool { return b == nil || *b }

// milliseconds saturates: who asks for a million years waits for ever.
func milliseconds(n int) time.Duration { return times(n, time.Millisecond) }

func times(n int, unit time.Duration) time.Duration {
	if n > int(math.MaxInt64/unit) {
		return math.MaxInt64
	}
	return time.Duration(n) * unit
}

func orDefault(ms int, d time.Duration) time.Duration {
	if ms <= 0 {
		return d
	}
	return milliseconds(ms)
}

// merge gives base with each member that is given in change replaced whole.
func merge(base, change *rpc.Settings) *rpc.Settings {
	out := rpc.Settings{}
	if base != nil {
		out = *base
	}
	if change == nil {
		return &out
	}
	replace(&out.Enabled, change.Enabled)
	if change.Servers != nil {
		out.Servers = change.Servers
	}
	if change.Disabled != nil {
		out.Disabled = change.Disabled
	}
	replace(&out.Discovery, change.Discovery)
	replace(&out.Startup, change.Startup)
	replace(&out.Timeouts, change.Timeouts)
	replace(&out.Cache, change.Cache)
	replace(&out.Trust, change.Trust)
	if change.Reconnect != "" {
		out.Reconnect = change.Reconnect
	}
	if change.ToolNames != "" {
		out.ToolNames = change.ToolNames
	}
	out.Unknown = change.Unknown // the latest words are warned of, lest a warning outlives its cause
	return &out
}

func replace[T any](to **T, from *T) {
	if from != nil {
		*to = from
	}
}

// validate says what is wrong with settings a host sent, naming the member and
// what it may be; "" if nothing is.
func validate(w *rpc.Settings) string {
	if w == nil {
		return ""
	}
	if v := oneOf("settings.reconnect", w.Reconnect, rpc.ReconnectAuto, rpc.ReconnectManual); v != "" {
		return v
	}
	if v := oneOf("settings.toolNames", w.ToolNames, rpc.ToolNamesSingle, rpc.ToolNamesDouble); v != "" {
		return v
	}
	if w.Trust != nil {
		if v := oneOf("settings.trust.project", w.Trust.Project, rpc.TrustAsk, rpc.TrustAllow, rpc.TrustDeny); v != "" {
			return v
		}
	}
	if w.Startup != nil {
		if v := oneOf("settings.startup.uncached", w.Startup.Uncached, rpc.UncachedWait, rpc.UncachedBackground); v != "" {
			return v
		}
		if w.Startup.GateMs != nil && *w.Startup.GateMs < 0 {
			return "settings.startup.gateMs is negative"
		}
	}
	if c := w.Cache; c != nil && c.MaxAgeDays != nil && *c.MaxAgeDays < 0 {
		return "settings.cache.maxAgeDays is negative"
	}
	if t := w.Timeouts; t != nil && min(t.ConnectMs, t.CallMs, t.CallMaxMs, t.ShutdownMs) < 0 {
		return "settings.timeouts holds a negative time"
	}
	return ""
}

func oneOf[T ~string](member string, got T, want ...T) string {
	if got == "" || slices.Contains(want, got) {
		return ""
	}
	words := make([]string, len(want))
	for i, w := range want {
		words[i] = `"` + string(w) + `"`
	}
	return member + ` is "` + string(got) + `", not one of ` + strings.Join(words, ", ")
}

// serverOff says whether the host's user switched the whole server off.
func (s settings) serverOff(server string) bool {
	return slices.Contains(s.disabled, server)
}

// toolOff says whether the host's user switched one tool off.
func (s settings) toolOff(server, tool string) bool {
	return slices.Contains(s.disabled, server+"/"+tool)
}
