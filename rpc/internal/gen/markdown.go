package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"text/template"
)

// book is the prose of PROTOCOL.md; the generator fills in the tables.
//
//go:embed PROTOCOL.md.tmpl
var book string

// dialogue is the worked session: a line that begins with "host " or "sidecar "
// is a message, the others are prose.
//
//go:embed session.txt
var dialogue string

func renderMarkdown(p *protocol) ([]byte, error) {
	t, err := template.New("PROTOCOL.md").Option("missingkey=error").Parse(book)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]string{
		"Generated": generated,
		"Version":   p.version,
		"Errors":    markdownErrors(p),
		"FromHost":  markdownMethods(p, true),
		"ToHost":    markdownMethods(p, false),
		"Types":     markdownTypes(p),
		"Session":   markdownSession(),
		"ForOwners": markdownForOwners(p),
	})
	return b.Bytes(), err
}

func markdownForOwners(p *protocol) string {
	var names []string
	for _, m := range p.forOwners() {
		names = append(names, "`"+m.wire+"`")
	}
	return strings.Join(names, ", ")
}

func markdownErrors(p *protocol) string {
	var b strings.Builder
	b.WriteString("| code | name | when |\n|---|---|---|\n")
	for _, c := range p.codes {
		fmt.Fprintf(&b, "| %d | %s | %s |\n", c.value, c.words("-"), c.when)
	}
	return strings.TrimSpace(b.String())
}

func markdownMethods(p *protocol, fromHost bool) string {
	var b strings.Builder
	for _, m := range p.methods {
		if m.fromHost() != fromHost {
			continue
		}
		fmt.Fprintf(&b, "### `%s`\n\n", m.wire)
		kind := "Request"
		switch {
		case m.isNotified():
			kind = "Notification"
		case m.isOrdered():
			kind = "Ordered request"
		}
		fmt.Fprintf(&b, "%s. Params: %s.", kind, link(m.params))
		if !m.isNotified() {
			fmt.Fprintf(&b, " Result: %s.", link(m.result))
		}
		if !m.answered() {
			b.WriteString(" **Not yet answered** by this version (−32601).")
		}
		fmt.Fprintf(&b, "\n\n%s\n\n", plain(m.doc))
		if len(m.codes) > 0 {
			fmt.Fprintf(&b, "Errors: %s.\n\n", strings.Trim(strings.Join(strings.Fields(fmt.Sprint(m.codes)), ", "), "[]"))
		}
	}
	return strings.TrimSpace(b.String())
}

func link(name string) string { return fmt.Sprintf("[`%s`](#%s)", name, strings.ToLower(name)) }

func markdownTypes(p *protocol) string {
	var b strings.Builder
	for _, t := range p.types {
		fmt.Fprintf(&b, "### %s\n\n%s\n\n", t.name, plain(t.doc))
		for _, v := range t.values {
			fmt.Fprintf(&b, "- `%q`: %s\n", v.text, plain(v.doc))
		}
		if len(t.fields) > 0 {
			b.WriteString("| member | type | |\n|---|---|---|\n")
		}
		for _, f := range t.fields {
			fmt.Fprintf(&b, "| `%s%s` | %s | %s |\n", f.wire, optionalMark(f), markdownShape(f.shown),
				plain(oneLine(f.doc)))
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

// plain keeps Markdown from reading text as tags or cells.
func plain(text string) string {
	return strings.NewReplacer("<", `\<`, "|", `\|`).Replace(text)
}

func markdownShape(s shape) string {
	switch s.kind {
	case "named":
		return link(s.name)
	case "list":
		return "list of " + markdownShape(*s.elem)
	case "map":
		return "object of " + markdownShape(*s.elem)
	case "raw":
		return "any JSON"
	case "bool":
		return "boolean"
	case "int":
		return "integer"
	case "float64":
		return "number"
	}
	return s.kind
}

// markdownSession shows the dialogue as the bytes that travel. Each block is
// one frame; \r\n stands for the two bytes, and the body has no line end.
func markdownSession() string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSpace(dialogue), "\n") {
		from, body, ok := strings.Cut(line, " ")
		if !ok || (from != "host" && from != "sidecar") || !strings.HasPrefix(body, "{") {
			b.WriteString(line + "\n")
			continue
		}
		fmt.Fprintf(&b, "```%s\nContent-Length: %d\\r\\n\n\\r\\n\n%s\n```\n", from, len(body), body)
	}
	return strings.TrimSpace(b.String())
}
