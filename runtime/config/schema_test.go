package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

// The schema by which editors check files of the native dialect is generated from the
// wire's types. These tests hold it to what the readers say.

// schemaFile is the schema, relative to this folder.
const schemaFile = "../../editor/vscode/schemas/mcp.json"

// entrySchema is what it says of one server.
func entrySchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var all jsonschema.Schema
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if _, err := all.Resolve(nil); err != nil {
		t.Fatal(err)
	}
	entry := all.Properties["mcpServers"].AdditionalProperties
	entry.Schema = all.Schema // draft 7, as the whole
	return entry
}

// nativeDialects are those of the files that the schema is for.
func nativeDialects() map[string]*dialect {
	return map[string]*dialect{
		".mcp-sidecar/mcp.json": nativeDialect(),
		".mcp.json":             claudeProjectDialect(),
		"mcp.json":              sharedDialect(),
	}
}

// said is what the reader of a dialect says of an entry, and which keys it knows. Of
// the entry as a whole it says what is missing, which is no matter of the schema.
func said(t *testing.T, d *dialect, entry string) (about []string, known []string) {
	t.Helper()
	n, problem := parseJSONC(&document{path: "f"}, []byte(entry))
	if problem != nil {
		t.Fatalf("%s: %s", entry, problem.message)
	}
	r := &report{}
	f := &fields{report: r, e: &Entry{Name: "s"}, obj: n, used: make(map[string]bool)}
	d.decode(f)
	f.unused(d.silent)
	if f.invalidAt != nil && (f.invalidAt != n || strings.Contains(f.e.Invalid, "unknown server type")) {
		r.fail(f.invalidAt, "s", "%s", f.e.Invalid)
	}
	for _, x := range r.diagnostics {
		about = append(about, x.Message)
	}
	known = slices.Clone(d.silent)
	for name := range f.used {
		known = append(known, name)
	}
	return about, known
}

func TestTheSchemaHasTheKeysThatTheReadersKnow(t *testing.T) {
	want := map[string]bool{}
	for _, d := range nativeDialects() {
		_, known := said(t, d, `{}`)
		for _, name := range known {
			want[name] = true
		}
	}
	schema := entrySchema(t)
	got := map[string]bool{}
	for name := range schema.Properties {
		got[name] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys of an entry (-the readers' +the schema's):\n%s", diff)
	}
}

// Each of these is right or wrong by the schema as it is by the reader, which says
// nothing of what is right.
func TestTheSchemaSaysWhatTheReadersSay(t *testing.T) {
	for _, tt := range []struct {
		entry string
		right bool
		only  string // the file that it is about, "" for all
	}{
		{`{"command": "c", "args": ["a"], "env": {"A": "b"}, "cwd": "d", "enabled": false}`, true, ""},
		{`{"url": "u", "headers": {"A": "b"}, "timeout": 1.5, "callTimeout": 0}`, true, ""},
		{`{"command": "c", "disabled": true, "description": 5, "$schema": "s"}`, true, ""},
		{`{"command": "c", "tools": {"include": ["a*"], "exclude": []}}`, true, ""},
		{`{"command": "c", "tools": ["a"]}`, true, ""},
		{`{"url": "u", "auth": {"clientId": "i", "clientSecret": "s", "scopes": ["a"], "callbackPort": 65535, "flow": "browser"}}`, true, ""},
		{`{"url": "u", "oauth": {"clientId": "i", "callbackPort": 1, "scopes": "a b"}, "alwaysLoad": true, "name": "n"}`, true, ".mcp.json"},
		{`{"command": "c", "alwaysAllow": [], "autoApprove": ["x"], "name": "n"}`, true, "mcp.json"},
		{`{}`, true, ""}, // it is being typed
		{`{"command": "c", "url": "u"}`, true, ""},      // said of the whole entry by the reader alone
		{`{"command": "c", "comand": "d"}`, false, ""},  // an unknown key
		{`{"command": "c", "Command": "d"}`, false, ""}, // of other letters
		{`{"command": "c", "envFile": "f"}`, false, ""}, // another dialect's
		{`{"command": ["c"]}`, false, ""},
		{`{"command": "c", "args": "a"}`, false, ""},
		{`{"command": "c", "args": [1]}`, false, ""},
		{`{"command": "c", "env": []}`, false, ""},
		{`{"command": "c", "env": {"A": 1}}`, false, ""},
		{`{"command": "c", "env": {"A": null}}`, false, ""},
		{`{"command": "c", "enabled": "true"}`, false, ""},
		{`{"command": "c", "timeout": "5"}`, false, ""},
		{`{"command": "c", "timeout": -1}`, false, ""},
		{`{"command": "c", "tools": "a"}`, false, ""},
		{`{"command": "c", "tools": {"exclud": []}}`, false, ""},
		{`{"command": "c", "type": "pipe"}`, false, ""},
		{`{"url": "u", "auth": {"flow": "device"}}`, false, ""},
		{`{"url": "u", "auth": {"callbackPort": 65536}}`, false, ""},
		{`{"url": "u", "auth": {"clientID": "i"}}`, false, ""},
		{`{"url": "u", "oauth": {"scopes": ["a"]}}`, false, ".mcp.json"},
	} {
		err := byTheSchema(t, tt.entry)
		if right := err == nil; right != tt.right {
			t.Errorf("%s: the schema says %v", tt.entry, err)
		}
		for file, d := range nativeDialects() {
			if tt.only != "" && tt.only != file {
				continue
			}
			if about, _ := said(t, d, tt.entry); (len(about) == 0) != tt.right {
				t.Errorf("%s: the reader of %s says %q", tt.entry, file, about)
			}
		}
	}
	for _, word := range entrySchema(t).Properties["type"].Enum {
		if _, ok := kindNamed(word.(string)); !ok {
			t.Errorf("the schema has the type %v", word)
		}
	}
}

// byTheSchema is what is wrong with an entry.
func byTheSchema(t *testing.T, entry string) error {
	t.Helper()
	schema, err := entrySchema(t).Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal([]byte(entry), &value); err != nil {
		t.Fatalf("%s: %v", entry, err)
	}
	return schema.Validate(value)
}

// What the golden texts have of these files, and no reader objects to, is right by the
// schema.
func TestTheSchemaTakesWhatTheReadersTake(t *testing.T) {
	cases, err := filepath.Glob("testdata/discover/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	for _, file := range cases {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, parts := sections(data)
		for _, p := range parts {
			d := nativeFile(p.name)
			if d == nil {
				continue
			}
			root, _, problem := parseFile(place{parse: parseJSONC}, p.data, &document{path: p.name})
			if problem != nil {
				continue // that is its case
			}
			servers := root.get("mcpServers")
			if servers == nil {
				continue
			}
			for _, m := range servers.members {
				if m.value.kind != object || slices.ContainsFunc(m.value.members, isNull) {
					continue // null is taken for nothing, and an editor may well object
				}
				entry := string(m.value.json())
				if about, _ := said(t, d, entry); len(about) > 0 {
					continue
				}
				if taken++; byTheSchema(t, entry) != nil {
					t.Errorf("%s: %s: %s: %v", file, p.name, entry, byTheSchema(t, entry))
				}
			}
		}
	}
	if taken < 30 {
		t.Errorf("only %d entries are looked at", taken)
	}
}

func isNull(m member) bool { return m.value.kind == null }

// nativeFile is the dialect of a file of the golden texts, nil if the schema is not
// for it.
func nativeFile(name string) *dialect {
	switch {
	case strings.HasSuffix(name, "mcp-sidecar/mcp.json"):
		return nativeDialect()
	case filepath.Base(name) == mcpJSON:
		return claudeProjectDialect()
	}
	return nil
}
