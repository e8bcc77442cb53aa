package main

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
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
}

func renderEncoders(p *protocol) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\npackage rpc\n", generated)
	for _, t := range p.types {
		if t.isEnum() {
			continue
		}
		fmt.Fprintf(&b, "\n// AppendJSON appends v to dst, raw members byte for byte.\n")
		if len(t.fields) == 0 {
			fmt.Fprintf(&b, "func (*%s) AppendJSON(dst []byte) []byte { return append(dst, \"{}\"...) }\n", t.name)
			continue
		}
		fmt.Fprintf(&b, "func (v *%s) AppendJSON(dst []byte) []byte {\ndst = append(dst, '{')\n", t.name)
		for _, f := range t.fields {
			if f.optional {
				fmt.Fprintf(&b, "if %s {\n", p.present(f))
			}
			fmt.Fprintf(&b, "dst = %s\n", p.encode(f.typ, "v."+f.goName, fmt.Sprintf("appendName(dst, %q)", f.wire), f.optional))
			if f.optional {
				b.WriteString("}\n")
			}
		}
		b.WriteString("return append(dst, '}')\n}\n")
	}
	return format.Source(b.Bytes())
}

// present is the condition under which an optional field is sent.
func (p *protocol) present(f field) string {
	v := "v." + f.goName
	switch f.typ.kind {
	case "bool":
		return v
	case "int", "float64":
		return v + " != 0"
	case "pointer":
		return v + " != nil"
	case "named", "string": // an enum: structs are optional by pointer
		return v + ` != ""`
	}
	if f.ifZero {
		return v + " != nil"
	}
	return "len(" + v + ") > 0"
}

// appender is the function that encodes one value of a simple type.
func (p *protocol) appender(s shape) string {
	switch s.kind {
	case "string":
		return "appendString"
	case "bool":
		return "appendBool"
	case "int":
		return "appendInt"
	case "float64":
		return "appendFloat"
	case "raw":
		return "appendRaw"
	}
	return "appendString[" + s.name + "]" // an enum
}

// encode is the expression that appends value to dst. notNil says that a
// pointer was found to point somewhere.
func (p *protocol) encode(s shape, value, dst string, notNil bool) string {
	isStruct := func(s shape) bool { return s.kind == "named" && !p.types[p.index[s.name]].isEnum() }
	switch {
	case s.kind == "pointer" && isStruct(*s.elem):
		if notNil {
			return fmt.Sprintf("%s.AppendJSON(%s)", value, dst)
		}
		return fmt.Sprintf("appendPointer(%s, %s)", dst, value)
	case s.kind == "pointer":
		return fmt.Sprintf("%s(%s, *%s)", p.appender(*s.elem), dst, value)
	case s.kind == "list" && isStruct(*s.elem):
		return fmt.Sprintf("appendStructs(%s, %s)", dst, value)
	case s.kind == "list":
		return fmt.Sprintf("appendList(%s, %s, %s)", dst, value, p.appender(*s.elem))
	case s.kind == "map":
		return fmt.Sprintf("appendMap(%s, %s, %s)", dst, value, p.appender(*s.elem))
	case isStruct(s):
		return fmt.Sprintf("%s.AppendJSON(%s)", value, dst)
	case s.kind == "named":
		return fmt.Sprintf("appendString(%s, %s)", dst, value)
	}
	return fmt.Sprintf("%s(%s, %s)", p.appender(s), dst, value)
}
