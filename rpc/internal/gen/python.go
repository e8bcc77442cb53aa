package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

func python() language {
	return language{
		words: map[string]string{"string": "str", "bool": "bool", "int": "int", "float64": "float", "raw": "Any"},
		named: "%s", list: "list[%s]", dict: "dict[str, %s]",
	}
}

// renderPython writes TypedDicts for Python 3.9 and later: optional members are
// in a second class, because NotRequired is younger than that.
func renderPython(p *protocol) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\"\"\"Types, names and codes of the mcp-sidecar protocol.\"\"\"\n\n", generated)
	b.WriteString("from __future__ import annotations\n\nfrom typing import Any, Final, Literal, TypedDict\n")
	fmt.Fprintf(&b, "\nPROTOCOL_VERSION: Final = %s\n\n# Methods on the wire.\n", p.version)
	for _, m := range p.methods {
		fmt.Fprintf(&b, "METHOD_%s: Final = %q\n", upper(snake(m.goName)), m.wire)
	}
	b.WriteString("\n# Codes of errors.\n")
	for _, c := range p.codes {
		fmt.Fprintf(&b, "CODE_%s: Final = %d  # %s\n", upper(c.words(" ")), c.value, c.when)
	}
	b.WriteString("\n")
	for _, t := range p.types {
		if t.isEnum() {
			renderLiteral(&b, t)
		}
	}
	for _, t := range p.types {
		if !t.isEnum() {
			renderTypedDict(&b, t)
		}
	}
	return b.Bytes(), nil
}

func renderLiteral(b *bytes.Buffer, t wireType) {
	fmt.Fprintf(b, "\n# %s\n", oneLine(t.doc))
	fmt.Fprintf(b, "%s = Literal[\n", t.name)
	for _, v := range t.values {
		fmt.Fprintf(b, "    %q,  # %s\n", v.text, v.doc)
	}
	b.WriteString("]\n")
}

func renderTypedDict(b *bytes.Buffer, t wireType) {
	var required, optional []field
	for _, f := range t.fields {
		if f.optional {
			optional = append(optional, f)
		} else {
			required = append(required, f)
		}
	}
	b.WriteString("\n\n")
	switch {
	case slices.ContainsFunc(t.fields, func(f field) bool { return f.wire == "from" }):
		// A keyword cannot be written as an attribute.
		fmt.Fprintf(b, "_%sRequired = TypedDict(\n    %q,\n    {\n", t.name, "_"+t.name+"Required")
		for _, f := range required {
			fmt.Fprintf(b, "        %q: %q,\n", f.wire, python().spell(f.shown))
		}
		b.WriteString("    },\n)\n\n\n")
		class(b, t, fmt.Sprintf("_%sRequired, total=False", t.name), optional)
	case len(optional) == 0:
		class(b, t, "TypedDict", required)
	case len(required) == 0:
		class(b, t, "TypedDict, total=False", optional)
	default:
		fmt.Fprintf(b, "class _%sRequired(TypedDict):\n", t.name)
		members(b, required)
		b.WriteString("\n\n")
		class(b, t, fmt.Sprintf("_%sRequired, total=False", t.name), optional)
	}
}

func class(b *bytes.Buffer, t wireType, bases string, fields []field) {
	doc := strings.ReplaceAll(t.doc, "\n", "\n    ")
	if strings.Contains(doc, "\n") {
		doc += "\n    "
	}
	fmt.Fprintf(b, "class %s(%s):\n    \"\"\"%s\"\"\"\n", t.name, bases, doc)
	if len(fields) > 0 {
		b.WriteString("\n")
		members(b, fields)
	}
}

func members(b *bytes.Buffer, fields []field) {
	for _, f := range fields {
		if f.doc != "" {
			for line := range strings.SplitSeq(f.doc, "\n") {
				b.WriteString(strings.TrimRight("    # "+line, " ") + "\n")
			}
		}
		fmt.Fprintf(b, "    %s: %s\n", f.wire, python().spell(f.shown))
	}
}
