package config

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// FuzzTOML parses any text.
func FuzzTOML(f *testing.F) {
	for _, c := range tomlValues() {
		f.Add([]byte(c.text))
	}
	for _, c := range tomlErrors() {
		f.Add([]byte(c.text))
	}
	f.Add([]byte("[a.'b'.\"c\\n\"]\r\nd = [\n{e.f = 1}, # g\n[[]]]\r\n[[h]]\n[[h.i]]\n"))
	fuzzLanguage(f, parseTOML, nil)
}

// FuzzYAML parses any text.
func FuzzYAML(f *testing.F) {
	for _, c := range yamlValues() {
		f.Add([]byte(c.text))
	}
	for _, c := range yamlErrors() {
		f.Add([]byte(c.text))
	}
	f.Add([]byte("a: &a !b\r\n  - |2-\r\n     c\r\n  - >+\r\n   d\r\n# e\r\nf: {<<: [{g: *a}], ? h : \"i\u2028\\\n j\", k: 'l''m'}\r\n...\r\n"))
	fuzzLanguage(f, parseYAML, func(t *testing.T, text []byte) {
		if value, problem := composeYAML(text); problem == nil && value != nil {
			newYAMLPlaces(text).place(value)
			checkYAMLPlaces(t, text, value)
		}
	})
}

// FuzzJSON5 parses any text.
func FuzzJSON5(f *testing.F) {
	for _, in := range oddInputs(func(servers string) string { return servers }) {
		f.Add([]byte(in.text))
	}
	for _, c := range json5Values() {
		f.Add([]byte(c.text))
	}
	for _, c := range json5Errors() {
		f.Add([]byte(c.text))
	}
	fuzzLanguage(f, parseJSON5, func(t *testing.T, text []byte) {
		// A comment of JSONC ends at a line feed only.
		if bytes.ContainsAny(text, "\r\u2028\u2029") {
			return
		}
		want, problem := parseJSONC(&document{}, text)
		if problem != nil {
			return
		}
		got, problem := parseJSON5(&document{}, text)
		if problem != nil {
			t.Fatalf("%q is JSONC: %+v", text, problem)
		}
		if described(got) != described(want) {
			t.Errorf("%q is %s, in JSONC %s", text, described(got), described(want))
		}
	})
}

// fuzzLanguage gives a parser any file at all; more looks at its text.
func fuzzLanguage(f *testing.F, parse parser, more func(*testing.T, []byte)) {
	f.Fuzz(func(t *testing.T, data []byte) {
		text, problem := decodeText(data)
		if problem != nil {
			return
		}
		lines := strings.Split(string(text), "\n")
		root, problem := parse(&document{}, text)
		if problem != nil {
			if problem.message == "" || (problem.line == 0) != (problem.column == 0) {
				t.Errorf("%+v", problem)
			}
			checkPlace(t, lines, problem.line, problem.column)
			return
		}
		if out := root.json(); !json.Valid(out) {
			t.Errorf("%q became %q", text, out)
		}
		checkTree(t, lines, root, 1)
		if more != nil {
			more(t, text)
		}
	})
}

// checkTree looks at a node and all within it.
func checkTree(t *testing.T, lines []string, n *node, depth int) {
	t.Helper()
	if n.line == 0 || n.doc == nil {
		t.Fatalf("%s stands nowhere", n.pointer())
	}
	checkPlace(t, lines, n.line, n.column)
	if (n.kind == array || n.kind == object) && depth > maxDepth {
		t.Fatalf("%s is nested too deep", n.pointer())
	}
	for _, m := range n.members {
		if m.value.parent != n || m.value.key != m.name {
			t.Fatalf("%s is not the member of its parent", m.value.pointer())
		}
		checkTree(t, lines, m.value, depth+1)
	}
	for _, item := range n.items {
		if item.parent != n {
			t.Fatalf("%s is not the item of its parent", item.pointer())
		}
		checkTree(t, lines, item, depth+1)
	}
}

func checkPlace(t *testing.T, lines []string, line, column int) {
	t.Helper()
	if line > len(lines) || line > 0 && (column < 1 || column > len(lines[line-1])+1) {
		t.Errorf("%d:%d is not in the text", line, column)
	}
}

// checkYAMLPlaces looks whether what begins with a sign of its own stands there.
func checkYAMLPlaces(t *testing.T, text []byte, v *yaml.Node) {
	t.Helper()
	for _, sign := range []struct {
		style yaml.Style
		kind  yaml.Kind
		sign  string
	}{
		{yaml.DoubleQuotedStyle, yaml.ScalarNode, `"`},
		{yaml.SingleQuotedStyle, yaml.ScalarNode, `'`},
		{yaml.LiteralStyle, yaml.ScalarNode, `|`},
		{yaml.FoldedStyle, yaml.ScalarNode, `>`},
	} {
		if v.Kind != sign.kind || v.Style != sign.style || v.Anchor != "" || v.Tag == "!" {
			continue
		}
		line := bytes.SplitN(text, []byte("\n"), v.Line+1)[v.Line-1]
		if !bytes.HasPrefix(line[v.Column-1:], []byte(sign.sign)) {
			t.Errorf("%q: a %s is said to be at %d:%d", text, sign.sign, v.Line, v.Column)
		}
	}
	for _, child := range v.Content {
		checkYAMLPlaces(t, text, child)
	}
}
