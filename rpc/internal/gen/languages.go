package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// language spells shapes in one language.
type language struct {
	words map[string]string // of the simple kinds
	named string            // format of a wire type's name
	list  string            // format of a list of something
	dict  string            // format of an object of something
}

func (l language) spell(s shape) string {
	switch s.kind {
	case "named":
		return fmt.Sprintf(l.named, s.name)
	case "list":
		return fmt.Sprintf(l.list, l.spell(*s.elem))
	case "map":
		return fmt.Sprintf(l.dict, l.spell(*s.elem))
	case "pointer":
		return l.spell(*s.elem)
	}
	return l.words[s.kind]
}

func typeScript() language {
	return language{
		words: map[string]string{"string": "string", "bool": "boolean", "int": "number", "float64": "number", "raw": "unknown"},
		named: "%s", list: "%s[]", dict: "Record<string, %s>",
	}
}

// upper is UNKNOWN_TOOL for "unknown tool".
func upper(words string) string { return strings.ToUpper(strings.ReplaceAll(words, " ", "_")) }

// snake splits a Go name into words: "OpenURL" is "open url".
func snake(goName string) string {
	var b strings.Builder
	runes := []rune(goName)
	for i, r := range runes {
		starts := unicode.IsUpper(r) && i > 0 &&
			(unicode.IsLower(runes[i-1]) || (i+1 < len(runes) && unicode.IsLower(runes[i+1])))
		if starts {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// jsDoc writes a documentation comment, if there is something to say.
func jsDoc(b *bytes.Buffer, indent, doc string) {
	if doc == "" {
		return
	}
	lines := strings.Split(strings.ReplaceAll(doc, "*/", "*\u200b/"), "\n")
	if len(lines) == 1 {
		fmt.Fprintf(b, "%s/** %s */\n", indent, lines[0])
		return
	}
	fmt.Fprintf(b, "%s/**\n", indent)
	for _, line := range lines {
		b.WriteString(strings.TrimRight(indent+" * "+line, " ") + "\n")
	}
	fmt.Fprintf(b, "%s */\n", indent)
}

func renderTypeScript(p *protocol) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\n/** The version of the protocol these types describe. */\nexport const PROTOCOL_VERSION = %s;\n", generated, p.version)
	b.WriteString("\n/** Codes of errors. */\nexport const ErrorCode = {\n")
	for _, c := range p.codes {
		jsDoc(&b, "  ", c.when)
		fmt.Fprintf(&b, "  %s: %d,\n", c.goName, c.value)
	}
	b.WriteString("} as const;\n")
	for _, t := range p.types {
		b.WriteString("\n")
		typeScriptType(&b, t)
	}
	typeScriptMethods(&b, p)
	return b.Bytes(), nil
}

func typeScriptType(b *bytes.Buffer, t wireType) {
	doc := []string{t.doc}
	var values []string
	for _, v := range t.values {
		doc = append(doc, fmt.Sprintf("- `%s`: %s", v.text, v.doc))
		values = append(values, fmt.Sprintf("%q", v.text))
	}
	jsDoc(b, "", strings.Join(doc, "\n"))
	switch {
	case t.isEnum():
		fmt.Fprintf(b, "export type %s = %s;\n", t.name, strings.Join(values, " | "))
	case len(t.fields) == 0:
		fmt.Fprintf(b, "export type %s = Record<string, never>;\n", t.name)
	default:
		fmt.Fprintf(b, "export interface %s {\n", t.name)
		for _, f := range t.fields {
			jsDoc(b, "  ", f.doc)
			fmt.Fprintf(b, "  %s%s: %s;\n", f.wire, optionalMark(f), typeScript().spell(f.shown))
		}
		b.WriteString("}\n")
	}
}

// typeScriptMethods maps the names of methods to their params and results.
func typeScriptMethods(b *bytes.Buffer, p *protocol) {
	for _, group := range []struct {
		name, doc          string
		fromHost, notified bool
	}{
		{"HostRequests", "Requests a host may make.", true, false},
		{"HostNotifications", "Notifications a host may send.", true, true},
		{"SidecarRequests", "Requests the sidecar makes of a host that declared the capability.", false, false},
		{"SidecarNotifications", "Notifications the sidecar sends.", false, true},
	} {
		fmt.Fprintf(b, "\n/** %s */\nexport interface %s {\n", group.doc, group.name)
		for _, m := range p.methods {
			if m.fromHost() != group.fromHost || m.isNotified() != group.notified {
				continue
			}
			jsDoc(b, "  ", m.doc)
			result := ""
			if !m.isNotified() {
				result = "; result: " + m.result
			}
			fmt.Fprintf(b, "  %q: { params: %s%s };\n", m.wire, m.params, result)
		}
		b.WriteString("}\n")
	}
}

func optionalMark(f field) string {
	if f.optional {
		return "?"
	}
	return ""
}

func renderLua(p *protocol) ([]byte, error) {
	lua := language{
		words: map[string]string{"string": "string", "bool": "boolean", "int": "integer", "float64": "number", "raw": "any"},
		named: "mcp_sidecar.%s", list: "%s[]", dict: "table<string, %s>",
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "-- %s\n\nlocal M = {}\n\n--- The version of the protocol.\nM.version = %s\n", generated, p.version)
	for _, t := range p.types {
		b.WriteString("\n")
		for line := range strings.SplitSeq(t.doc, "\n") {
			fmt.Fprintf(&b, "---%s\n", line)
		}
		if t.isEnum() {
			fmt.Fprintf(&b, "---@alias mcp_sidecar.%s\n", t.name)
			for _, v := range t.values {
				fmt.Fprintf(&b, "---| '%s' # %s\n", v.text, v.doc)
			}
			continue
		}
		fmt.Fprintf(&b, "---@class mcp_sidecar.%s\n", t.name)
		for _, f := range t.fields {
			b.WriteString(strings.TrimRight(fmt.Sprintf("---@field %s%s %s %s", f.wire, optionalMark(f), lua.spell(f.shown), oneLine(f.doc)), " ") + "\n")
		}
	}
	b.WriteString("\n--- Names of the methods on the wire.\nM.method = {\n")
	for _, m := range p.methods {
		fmt.Fprintf(&b, "  --- %s\n  %s = '%s',\n", oneLine(m.doc), strings.ReplaceAll(snake(m.goName), " ", "_"), m.wire)
	}
	b.WriteString("}\n\n--- Codes of errors.\nM.code = {\n")
	for _, c := range p.codes {
		fmt.Fprintf(&b, "  --- %s\n  %s = %d,\n", c.when, c.words("_"), c.value)
	}
	b.WriteString("}\n\nreturn M\n")
	return b.Bytes(), nil
}
