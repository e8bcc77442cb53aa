package config

import (
	"context"
	"strings"
	"testing"
)

func TestProvidersThatDoNotExistAreNamed(t *testing.T) {
	r := Discover(context.Background(), Options{
		Cwd: t.TempDir(), Home: t.TempDir(), Getenv: func(string) (string, bool) { return "", false },
		ProjectConfig: true, Include: []string{"claude", "claud"}, Exclude: []string{"vscod"},
	})
	if len(r.Diagnostics) != 2 {
		t.Fatalf("%+v", r.Diagnostics)
	}
	for i, want := range []string{`settings.discovery.include: there is no provider "claud"; this version reads host, mcp-sidecar, claude`, `settings.discovery.exclude: there is no provider "vscod"`} {
		if d := r.Diagnostics[i]; !d.Warning || !strings.HasPrefix(d.Path+": "+d.Message, want) {
			t.Errorf("%+v", d)
		}
	}
}
