package main

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"
)

// published are the notifications that Session.Publish sends, in its own order:
// nobody else may.
func published() []string { return []string{"ToolsChanged", "Status", "Diagnostics"} }

func renderDispatch(p *protocol) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\npackage rpc\n\nimport \"context\"\n\n", generated)
	b.WriteString("// Methods on the wire.\nconst (\n")
	for _, m := range p.methods {
		fmt.Fprintf(&b, "Method%s = %q\n", m.goName, m.wire)
	}
	b.WriteString(")\n\n// Codes returns the table of error codes.\nfunc Codes() []CodeInfo {\nreturn []CodeInfo{\n")
	for _, c := range p.codes {
		fmt.Fprintf(&b, "{Code%s, %q, %q},\n", c.goName, c.words("-"), c.when)
	}
	b.WriteString("}\n}\n")
	renderRoutes(&b, p)
	renderMethods(&b, p)
	renderForOwners(&b, p)
	for _, m := range p.methods {
		if m.fromHost() || slices.Contains(published(), m.goName) {
			continue
		}
		fmt.Fprintf(&b, "\n// %s sends %s; see Host.\n", m.goName, m.wire)
		if m.isNotified() {
			fmt.Fprintf(&b, "func (s *Session) %s(_ context.Context, params *%s) error {\nreturn s.notify(Method%s, params)\n}\n",
				m.goName, m.params, m.goName)
			continue
		}
		fmt.Fprintf(&b, "func (s *Session) %s(ctx context.Context, params *%s) (*%s, error) {\nreturn ask[%s](ctx, s, Method%s, params)\n}\n",
			m.goName, m.params, m.result, m.result, m.goName)
	}
	return format.Source(b.Bytes())
}

// groups are the interfaces a sidecar may implement, Sidecar first.
func (p *protocol) groups() []string {
	var out []string
	for _, m := range p.methods {
		if m.side == "host" && !slices.Contains(out, m.group) {
			out = append(out, m.group)
		}
	}
	return out
}

func (p *protocol) inGroup(group string) []method {
	var out []method
	for _, m := range p.methods {
		if m.group == group {
			out = append(out, m)
		}
	}
	return out
}

func renderRoutes(b *bytes.Buffer, p *protocol) {
	b.WriteString("\n// routes leads from the methods that impl answers to it.\nfunc routes(impl Sidecar) map[string]route {\n")
	for i, group := range p.groups() {
		entries := func(of string) {
			for _, m := range p.inGroup(group) {
				fmt.Fprintf(b, of, m.goName, m.form)
			}
		}
		if i == 0 {
			b.WriteString("all := map[string]route{\n")
			entries("Method%[1]s: %[2]s(impl.%[1]s),\n")
			b.WriteString("}\n")
			continue
		}
		fmt.Fprintf(b, "if impl, ok := impl.(%s); ok {\n", group)
		entries("all[Method%[1]s] = %[2]s(impl.%[1]s)\n")
		b.WriteString("}\n")
	}
	b.WriteString("return all\n}\n")
}

func renderMethods(b *bytes.Buffer, p *protocol) {
	b.WriteString("\n// Methods lists the requests that impl answers, as InitializeResult has them.\nfunc Methods(impl Sidecar) []string {\n")
	for i, group := range p.groups() {
		if i == 0 {
			b.WriteString("all := []string{\n")
		} else {
			fmt.Fprintf(b, "if _, ok := impl.(%s); ok {\nall = append(all,\n", group)
		}
		for _, m := range p.inGroup(group) {
			fmt.Fprintf(b, "Method%s,\n", m.goName)
		}
		if i == 0 {
			b.WriteString("}\n")
		} else {
			b.WriteString(")\n}\n")
		}
	}
	b.WriteString("return all\n}\n")
	b.WriteString("\n// requestMethods lists every request of the protocol, answered or not.\nfunc requestMethods() []string {\nreturn []string{\n")
	for _, group := range p.groups() {
		for _, m := range p.inGroup(group) {
			fmt.Fprintf(b, "Method%s,\n", m.goName)
		}
	}
	b.WriteString("}\n}\n")
}

func renderForOwners(b *bytes.Buffer, p *protocol) {
	b.WriteString("\n// forOwners says whether a method is refused to guests: those that may end with CodeNotPermitted.\n")
	b.WriteString("func forOwners(method string) bool {\nswitch method {\n")
	var names []string
	for _, m := range p.forOwners() {
		names = append(names, "Method"+m.goName)
	}
	if len(names) > 0 {
		fmt.Fprintf(b, "case %s:\nreturn true\n", strings.Join(names, ",\n"))
	}
	b.WriteString("}\nreturn false\n}\n")
}
