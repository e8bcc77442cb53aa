package runtime

import (
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

func TestUnknownWishesAreWarnedOf(t *testing.T) {
	for _, tt := range []struct {
		first, second string // of settings; "" for no second
		capabilities  string
		want          []string
	}{
		{`{}`, ``, `{}`, nil},
		{`{"servers": {"a": {"x": 1}}}`, ``, `{}`, nil}, // an entry, which discovery reads
		{
			`{"trust": {"projct": "deny", "all": 1}, "trsut": {}, "startup": {"gate_ms": 0}}`, ``, `{"aprove": true, "elicitation": {"frm": 1}}`,
			[]string{
				`capabilities.elicitation: unknown key "frm": it has no effect; known: form, url`,
				`capabilities: unknown key "aprove": it has no effect; known: approve, input, openUrl, elicitation, sampling`,
				`settings.startup: unknown key "gate_ms": it has no effect; known: gateMs, uncached`,
				`settings.trust: unknown keys "all", "projct": they have no effect; known: project`,
				`settings: unknown key "trsut": it has no effect; known: enabled, servers, disabled, discovery, startup, ` +
					`timeouts, reconnect, cache, toolNames, trust`,
			},
		},
		{`{"trust": {"projct": "deny"}}`, `{"trust": {"project": "deny"}}`, ``, nil},
		{
			`{"cache": {"x": 1}, "y": 1}`, `{"discovery": {"z": 1}, "a": 1}`, ``,
			[]string{
				`settings.discovery: unknown key "z": it has no effect; known: projectConfig, include, exclude, own, ownFiles, files, filterExa, watch`,
				`settings.cache: unknown key "x": it has no effect; known: enabled, maxAgeDays`,
				`settings: unknown key "a": it has no effect; known: enabled, servers, disabled, discovery, startup, ` +
					`timeouts, reconnect, cache, toolNames, trust`,
			},
		},
	} {
		settings := parse[rpc.Settings](t, tt.first)
		if second := parse[rpc.Settings](t, tt.second); second != nil {
			settings = merge(settings, second)
		}
		var got []string
		for _, d := range unknownWishes(parse[rpc.Capabilities](t, tt.capabilities), settings) {
			got = append(got, d.Path+": "+d.Error)
			if d.Severity != rpc.SeverityWarning {
				t.Errorf("%s is told as %s", d.Path, d.Severity)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s, %s: %s", tt.first, tt.second, diff)
		}
	}
}

// parse gives nil for "".
func parse[T any](t *testing.T, text string) *T {
	t.Helper()
	if text == "" {
		return nil
	}
	v := new(T)
	if err := jsonv2.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err)
	}
	return v
}
