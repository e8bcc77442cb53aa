package config

import "testing"

func TestAProjectsServerRunsInItsProjectUnlessTheSessionDoes(t *testing.T) {
	for _, tt := range []struct {
		level     Level
		base, cwd string
		want      string
	}{
		{User, "/home/u", "/code/p", "/code/p"},
		{Project, "/code/p", "/code/p", "/code/p"},
		{Project, "/code/p", "/code/p/deep/er", "/code/p/deep/er"},
		{Project, "/code/p", "/code", "/code/p"},
		{Project, "/code/p", "/code/pp", "/code/p"},
		{Project, "/code/p", "/code/..p", "/code/p"},
		{Project, "/code/p", "/", "/code/p"},
	} {
		e := &Entry{Level: tt.level, base: tt.base}
		if got := e.RunsIn(tt.cwd); got != tt.want {
			t.Errorf("%s in %s, session in %s: it runs in %s, want %s", tt.level, tt.base, tt.cwd, got, tt.want)
		}
	}
}
