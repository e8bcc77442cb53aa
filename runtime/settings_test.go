package runtime

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
)

func TestDefaultsOfSettings(t *testing.T) {
	s := effective(nil, false)
	if !s.enabled || !s.auto || !s.cache || s.background || s.gate != 250*time.Millisecond ||
		s.connect != 30*time.Second || s.call != 300*time.Second || s.callMax != time.Hour ||
		s.shutdown != 2*time.Second || s.maxAge != 30*24*time.Hour || s.trust != rpc.TrustAllow {
		t.Errorf("%+v", s)
	}
	if s := effective(nil, true); s.trust != rpc.TrustAsk {
		t.Errorf("a host that answers trust/approve gets %q", s.trust)
	}
	if s := effective(&rpc.Settings{Trust: &rpc.TrustSettings{Project: rpc.TrustDeny}}, true); s.trust != rpc.TrustDeny {
		t.Errorf("what the host says is %q", s.trust)
	}
}

// TestConfigureReplacesEveryMemberWhole goes through the members by reflection,
// so that a new one cannot be forgotten in merge.
func TestConfigureReplacesEveryMemberWhole(t *testing.T) {
	full := `{"enabled":false,"servers":{"a":{}},"disabled":["a"],"discovery":{"files":["f"]},"startup":{"gateMs":1},
		"timeouts":{"callMs":1},"reconnect":"manual","cache":{"enabled":false},"toolNames":"mcp__server__tool","trust":{"project":"deny"}}`
	var all rpc.Settings
	if err := json.Unmarshal([]byte(full), &all); err != nil {
		t.Fatal(err)
	}
	typ := reflect.TypeFor[rpc.Settings]()
	for i := range typ.NumField() {
		if typ.Field(i).Type == reflect.TypeFor[rpc.Unknown]() {
			continue // has no name
		}
		if reflect.ValueOf(all).Field(i).IsZero() {
			t.Errorf("the test gives no value to %s", typ.Field(i).Name)
		}
		one := rpc.Settings{}
		reflect.ValueOf(&one).Elem().Field(i).Set(reflect.ValueOf(all).Field(i))
		if got := *merge(nil, &one); !reflect.DeepEqual(got, one) {
			t.Errorf("%s is lost: %+v", typ.Field(i).Name, got)
		}
		if got := *merge(&all, &rpc.Settings{}); !reflect.DeepEqual(got, all) {
			t.Errorf("a change of nothing changed %+v", got)
		}
	}
	empty := merge(&all, &rpc.Settings{Disabled: []string{}, Servers: map[string]json.RawMessage{}})
	if len(empty.Disabled) != 0 || len(empty.Servers) != 0 || empty.Reconnect != rpc.ReconnectManual {
		t.Errorf("%+v", empty)
	}
}

func TestBadSettingsNameTheMemberAndWhatItMayBe(t *testing.T) {
	for _, tt := range []struct{ settings, want string }{
		{`{"reconnect":"never"}`, `settings.reconnect is "never", not one of "auto", "manual"`},
		{`{"toolNames":"x"}`, "settings.toolNames"},
		{`{"trust":{"project":"maybe"}}`, "settings.trust.project"},
		{`{"startup":{"uncached":"x"}}`, "settings.startup.uncached"},
		{`{"startup":{"gateMs":-1}}`, "settings.startup.gateMs"},
		{`{"timeouts":{"callMs":-1}}`, "settings.timeouts"},
		{`{}`, ""},
	} {
		var s rpc.Settings
		if err := json.Unmarshal([]byte(tt.settings), &s); err != nil {
			t.Fatal(err)
		}
		if got := validate(&s); !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s: %q", tt.settings, got)
		}
	}
}
