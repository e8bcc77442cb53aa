package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parsed is a text as the member "s" of a document of that name.
func parsed(t *testing.T, path, text string) definition {
	t.Helper()
	root, problem := parseJSONC(&document{path: path}, []byte(`{"s": `+text+`}`))
	if problem != nil {
		t.Fatal(problem)
	}
	return definition{name: "s", node: root.get("s")}
}

func TestMergedIsTheStrongestWithWhatTheOthersAdd(t *testing.T) {
	cases := []struct {
		name  string
		texts []string // strongest first
		want  string
		merge merger
	}{
		{"one", []string{`{"a": 1}`}, `{"a":1}`, overlaid},
		{"a member each", []string{`{"a": 1}`, `{"b": 2}`}, `{"a":1,"b":2}`, overlaid},
		{"the strongest wins", []string{`{"a": 1}`, `{"a": 2, "b": 2}`, `{"a": 3, "b": 3, "c": 3}`}, `{"a":1,"b":2,"c":3}`, overlaid},
		{"objects within", []string{`{"env": {"A": "1"}}`, `{"env": {"A": "2", "B": "2"}}`}, `{"env":{"A":"1","B":"2"}}`, overlaid},
		{"lists are taken whole", []string{`{"args": ["x"]}`, `{"args": ["y", "z"]}`}, `{"args":["x"]}`, overlaid},
		{"null is a value", []string{`{"env": null}`, `{"env": {"A": "1"}}`}, `{"env":null}`, overlaid},
		{"what is no object", []string{`"x"`, `{"a": 1}`}, `"x"`, overlaid},
		{"over what is no object", []string{`{"a": 1}`, `"x"`}, `{"a":1}`, overlaid},
		{"within, another kind", []string{`{"a": {"b": 1}}`, `{"a": [1]}`}, `{"a":{"b":1}}`, overlaid},
		{"appended: lists are joined, the weakest first", []string{`{"args": ["x"]}`, `{"args": ["y"]}`, `{"args": ["z"]}`}, `{"args":["z","y","x"]}`, appended},
		{"appended: null says nothing", []string{`{"a": null, "b": {"c": null}}`, `{"a": 1, "b": {"c": 2}}`}, `{"a":1,"b":{"c":2}}`, appended},
		{"appended: another kind", []string{`{"a": [1]}`, `{"a": "x"}`}, `{"a":[1]}`, appended},
		{"appended: objects within", []string{`{"env": {"A": "1"}}`, `{"env": {"A": "2", "B": "2"}}`}, `{"env":{"A":"1","B":"2"}}`, appended},
		{"replaced: a member each", []string{`{"a": 1}`, `{"a": 2, "b": 2}`}, `{"a":1,"b":2}`, replaced},
		{"replaced: objects within are taken whole", []string{`{"env": {"A": "1"}}`, `{"env": {"B": "2"}}`}, `{"env":{"A":"1"}}`, replaced},
		{"replaced: what is no object", []string{`null`, `{"a": 1}`}, `null`, replaced},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var defs []definition
			for _, text := range c.texts {
				defs = append(defs, parsed(t, "f", text))
			}
			if got := string(merged(defs, c.merge).node.json()); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			for i, def := range defs {
				if diff := cmp.Diff(string(parsed(t, "f", c.texts[i]).node.json()), string(def.node.json())); diff != "" {
					t.Errorf("merging changed what was merged: %s", diff)
				}
			}
		})
	}
}

func TestAMergedValueKeepsWhereItStands(t *testing.T) {
	strong := parsed(t, "strong", `{"a": {"b": 1}}`)
	weak := definition{name: "s"}
	root, _ := parseJSONC(&document{path: "weak"}, []byte("{\"deep\": {\"s\": {\"a\": {\"c\": [0,\n 2]}}}}"))
	weak.node = root.get("deep").get("s")
	both := merged([]definition{strong, weak}, overlaid).node
	own, other := both.get("a").get("b"), both.get("a").get("c").items[1]
	if own.pointer() != "/s/a/b" || own.doc.path != "strong" || own.label(both) != "a.b" {
		t.Errorf("the stronger one's is at %s in %s, called %s", own.pointer(), own.doc.path, own.label(both))
	}
	if other.pointer() != "/deep/s/a/c/1" || other.doc.path != "weak" || other.line != 2 || other.label(both) != "a.c[1]" {
		t.Errorf("the weaker one's is at %s in %s:%d, called %s", other.pointer(), other.doc.path, other.line, other.label(both))
	}
}

func TestAProjectsPartMakesAServerTheProjects(t *testing.T) {
	part := func(path string, level Level, text string, whole bool) definition {
		def := parsed(t, path, text)
		def.place, def.whole = place{path: path, level: level}, whole
		return def
	}
	strong, weak := part("strong", User, `{"a": 1}`, false), part("weak", User, `{"c": 3}`, false)
	project := part("project", Project, `{"b": 2}`, false)
	cases := []struct {
		name string
		defs []definition
		want []string // where each stands, and what it is
	}{
		{"the user's alone", []definition{strong, weak}, []string{`strong {"a":1,"c":3}`}},
		{"the project's alone", []definition{project}, []string{`project {"b":2}`}},
		{"under a project's", []definition{project, weak}, []string{`project {"b":2,"c":3}`, `weak {"c":3}`}},
		{"around a project's", []definition{strong, project, weak}, []string{`project {"a":1,"b":2,"c":3}`, `strong {"a":1,"c":3}`}},
		{"whole, over a project's", []definition{part("whole", User, `{"a": 1}`, true), project, weak}, []string{`whole {"a":1}`}},
		{"whole, of a project", []definition{strong, part("whole", Project, `{"b": 2}`, true), weak}, []string{`whole {"a":1,"b":2}`, `strong {"a":1,"c":3}`}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, def := range combined(c.defs, overlaid) {
				got = append(got, def.place.path+" "+string(def.node.json()))
				if def.node.doc.path != def.place.path || def.node.pointer() != "/s" {
					t.Errorf("what is in %s stands at %s in %s", def.place.path, def.node.pointer(), def.node.doc.path)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A null says nothing in Crush's files, but it is where the entry of a project is.
func TestAMergedEntryStandsWhereTheStrongestIs(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/project/crush.json", []byte(`{"mcp": {"a": null}}`))
	m.write(t, "home/.config/crush/crush.json", []byte("{\"mcp\": {\n\n\"a\": {\"command\": \"c\", \"type\": \"sse\"}}}"))
	r := m.discover(t)
	if len(r.Entries) != 1 || len(r.Diagnostics) != 2 { // the user's own part is wrong as well
		t.Fatal(m.render(r))
	}
	const line, column = 1, 15
	path := m.path("home/project/crush.json")
	if e := r.Entries[0]; e.Command != "c" || e.Path != path || e.Line != line || e.Column != column {
		t.Errorf("the entry is %s:%d:%d, command %q", e.Path, e.Line, e.Column, e.Command)
	}
	if d := r.Diagnostics[0]; d.Path != path || d.Line != line || d.Column != column || d.Pointer != "/mcp/a" {
		t.Errorf("the diagnostic is %+v", d)
	}
}

// A token of a login that is written twice is left out twice.
func TestWhatIsLeftOutOfAnEntryIsNotToldToBeRepeated(t *testing.T) {
	m := newMachine(t)
	m.write(t, "home/project/crush.json", []byte(`{"mcp": {"a": {"command": "c", "oauth_token": 1, "oauth_token": 2, "timeout": 1, "timeout": 2}}}`))
	r := m.discover(t)
	if r.Hard != nil || len(r.Entries) != 1 || len(r.Diagnostics) != 1 {
		t.Fatal(r.Hard, m.render(r))
	}
	if got, want := r.Diagnostics[0].Message, "timeout: defined more than once, the last one counts"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
