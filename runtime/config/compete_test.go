package config

import "testing"

func TestAnEntryThatNeedsTrustNeverAbsorbsOneThatDoesNot(t *testing.T) {
	project := func(name string) *Entry {
		return &Entry{Name: name, Level: Project, Path: "/p/.mcp.json", base: "/p", Kind: "stdio", Command: "same"}
	}
	user := func(name string) *Entry {
		return &Entry{Name: name, Level: User, Path: "/h/.claude.json", Kind: "stdio", Command: "same"}
	}
	local := func(name string) *Entry { // Claude's: about the project, in the user's file
		return &Entry{Name: name, Level: Project, Path: "/h/.claude.json", base: "/p", Kind: "stdio", Command: "same"}
	}
	cases := []struct {
		name    string
		entries []*Entry
		want    string
		aliases []string
	}{
		{"theirs first", []*Entry{project("theirs"), user("mine")}, "mine", []string{"theirs"}},
		{"mine first", []*Entry{user("mine"), project("theirs")}, "mine", []string{"theirs"}},
		{"two of each", []*Entry{project("t1"), user("m1"), project("t2"), user("m2")}, "m1", []string{"t1", "t2", "m2"}},
		{"theirs alone", []*Entry{project("t1"), project("t2")}, "t1", []string{"t2"}},
		{"local scope", []*Entry{project("theirs"), local("local")}, "local", []string{"theirs"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := mergeAliases(c.entries, nil, Expander{Folder: "/p"})
			if len(got) != 1 || got[0].Name != c.want {
				t.Fatalf("%d servers, the first is %s; want %s alone", len(got), got[0].Name, c.want)
			}
			for i, name := range c.aliases {
				if len(got[0].Aliases) != len(c.aliases) || got[0].Aliases[i].Name != name {
					t.Errorf("aliases %v, want %v", got[0].Aliases, c.aliases)
				}
			}
		})
	}
}

func TestServersReachedAsDifferentAccountsAreDifferent(t *testing.T) {
	with := func(name string, a *Auth) *Entry {
		return &Entry{Name: name, Kind: "http", URL: "https://example.com/mcp", Auth: a, forms: nativeDialect().forms}
	}
	x := expander()
	same := [][2]*Auth{
		{nil, {}}, {nil, {CallbackPort: 80}}, {{ClientID: "a"}, {ClientID: "a", CallbackPort: 80}},
	}
	for _, c := range same {
		if a, b := with("a", c[0]), with("b", c[1]); a.Identity(x) != b.Identity(x) || len(mergeAliases([]*Entry{a, b}, nil, x)) != 1 {
			t.Errorf("%+v and %+v are two servers", c[0], c[1])
		}
	}
	other := []*Auth{
		nil,
		{ClientID: "a"},
		{ClientID: "b"},
		{ClientID: "a", ClientSecret: "s"},
		{ClientID: "a", Scopes: []string{"s"}},
		{ClientID: "a", Flow: "client-credentials"},
	}
	seen := map[string]int{}
	for i, auth := range other {
		id := with("x", auth).Identity(x)
		if j, ok := seen[id]; ok {
			t.Errorf("%+v and %+v have one identity", auth, other[j])
		}
		seen[id] = i
	}
	if got := mergeAliases([]*Entry{with("a", other[1]), with("b", other[2])}, nil, x); len(got) != 2 {
		t.Error("two client ids became one server")
	}
}
