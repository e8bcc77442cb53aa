package config

import (
	"os"
	"slices"
	"testing"
)

// Claude Code keeps a project by the directory it runs in, which for a shell may
// have a link in its path, and by its repository.
func TestClaudesProjectIsFoundByEachOfItsNames(t *testing.T) {
	m := newMachine(t)
	m.mkdir(t, "home/project/sub")
	m.mkdir(t, "home/project/.git/worktrees/tree")
	m.mkdir(t, "home/tree")
	m.mkdir(t, "home/forged")
	m.write(t, "home/tree/.git", []byte("gitdir: ../project/.git/worktrees/tree\n"))
	m.write(t, "home/project/.git/worktrees/tree/gitdir", []byte(m.path("home/tree/.git")+"\n"))
	m.write(t, "home/forged/.git", []byte("gitdir: "+m.path("home/project/.git/worktrees/tree")+"\n"))
	if err := os.Symlink(m.path("home/project"), m.path("home/link")); err != nil {
		t.Skip(err)
	}
	m.write(t, "home/.claude.json", []byte(`{"projects": {
		"`+m.path("home/project")+`": {"mcpServers": {"of-the-project": {"command": "p"}, "both": {"command": "lost"}}, "disabledMcpServers": ["user-1"]},
		"`+m.path("home/project/sub")+`": {"mcpServers": {"of-sub": {"command": "s"}, "both": {"command": "near"}}, "disabledMcpServers": ["user-2"]},
		"`+m.path("home/link")+`": {"mcpServers": {"of-the-link": {"command": "l"}}},
		"`+m.path("home/tree")+`": {"mcpServers": {"of-the-tree": {"command": "t"}}}
	}, "mcpServers": {"user-1": {"command": "u1"}, "user-2": {"command": "u2"}}}`))
	cases := []struct {
		cwd  string
		want []string // with - before those that are off
	}{
		{"home/project", []string{"-user-1", "both", "of-the-project", "user-2"}},
		{"home/project/sub", []string{"-user-1", "-user-2", "both", "of-sub", "of-the-project"}},
		{"home/link", []string{"-user-1", "both", "of-the-link", "of-the-project", "user-2"}},
		{"home/link/sub", []string{"-user-1", "-user-2", "both", "of-sub", "of-the-link", "of-the-project"}},
		{"home/tree", []string{"-user-1", "both", "of-the-project", "of-the-tree", "user-2"}},
		{"home/forged", []string{"user-1", "user-2"}},
	}
	for _, c := range cases {
		m.opts.Cwd = m.path(c.cwd)
		r := m.discover(t)
		var got []string
		for _, e := range r.Entries {
			name := e.Name
			if e.Disabled {
				name = "-" + name
			}
			got = append(got, name)
			if e.NeedsTrust() {
				t.Errorf("%s: %s needs trust, and is of the user's own file", c.cwd, e.Name)
			}
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v\n%s", c.cwd, got, c.want, m.render(r))
		}
		if both := named(r, "both"); c.cwd == "home/project/sub" && (both == nil || both.Command != "near") {
			t.Errorf("both is %+v", both)
		}
	}
}

func TestARepositoryThatIsNoWorktreeHasNoOther(t *testing.T) {
	m := newMachine(t)
	m.mkdir(t, "home/module")
	for _, text := range []string{
		"", "gitdir: ", "gitdir: ../project/.git/modules/module\n", "gitdir: /nowhere/.git/worktrees/x", "gitdir: ../project/worktrees/x", "x",
	} {
		m.write(t, "home/module/.git", []byte(text))
		if got := mainWorktree(m.path("home/module")); got != "" {
			t.Errorf("%q: %s", text, got)
		}
	}
	if got := mainWorktree(m.path("home/project")); got != "" {
		t.Error(got)
	}
	if got := repository(m.root); got != "" {
		t.Error(got)
	}
}
