package config

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkDiscover(b *testing.B) {
	var servers []string
	for i := range 40 {
		servers = append(servers, fmt.Sprintf(`"s%d": {"command": "npx", "args": ["-y", "server-%d"], "env": {"KEY": "${KEY_%d:-x}"}}`, i, i, i))
	}
	list := "{" + strings.Join(servers, ",\n") + "}"
	// What Claude Code keeps in its file beside servers grows to megabytes.
	history := strings.Repeat(`{"display": "what was typed, once more, of some length", "pastedContents": {}}, `, 1<<15)
	for _, c := range []struct {
		name  string
		files map[string]string
	}{
		{"nothing", nil},
		{"40 servers", map[string]string{"home/project/.mcp.json": `{"mcpServers": ` + list + `}`, "home/project/.vscode/mcp.json": `{"servers": ` + list + `}`}},
		{"2.5 MB of history", map[string]string{"home/.claude.json": `{"projects": {"/x": {"history": [` + history + `{}]}}, "mcpServers": ` + list + `}`}},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := newMachine(b)
			for name, text := range c.files {
				m.write(b, name, []byte(text))
			}
			b.ReportAllocs()
			for b.Loop() {
				if r := Discover(b.Context(), m.opts); r.Hard != nil || len(r.Diagnostics) > 0 {
					b.Fatal(m.render(r))
				}
			}
		})
	}
}
