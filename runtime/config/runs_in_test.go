package config

import "testing"

func TestAProjectsServerRunsInItsProjectUnlessTheSessionDoes(t *testing.T) {
	for _, tt := range []struct {
		level     Level
		base, cwd string
		want      string
	}{
		{User, "/home/u", "/work/p", "/work/p"},
		{Project, "/work/p", "/work/p", "/work/p"},
		{Project, "/work/p", "/work/p/deep/er", "/work/p/deep/er"},
		{Project, "/work/p", "/work", "/work/p"},
		{Project, "/work/p", "/work/pp", "/work/p"},
		{Project, "/work/p", "/work/..p", "/work/p"},
		{Project, "/work/p", "/", "/work/p"},
	} {
		e := &Entry{Level: tt.level, base: tt.base}
		if got := e.RunsIn(tt.cwd); got != tt.want {
			t.Errorf("%s in %s, session in %s: it runs in %s, want %s", tt.level, tt.base, tt.cwd, got, tt.want)
		}
	}
}
