package main

import (
	"bytes"
	"encoding/json"
)

// object keeps the order of its members: encoding/json would sort a map.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, v := range []any{m.name, m.value} {
			if j > 0 {
				b.WriteByte(':')
			}
			var text bytes.Buffer
			enc := json.NewEncoder(&text)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(v); err != nil {
				return nil, err
			}
			b.Write(bytes.TrimSpace(text.Bytes()))
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// renderSchema writes a JSON Schema whose $defs are the wire types, with the
// methods and the error codes beside them.
func renderSchema(p *protocol) ([]byte, error) {
	defs := object{}
	for _, t := range p.types {
		defs = append(defs, member{t.name, schemaOfType(t)})
	}
	methods := object{}
	for _, m := range p.methods {
		methods = append(methods, member{m.wire, schemaOfMethod(m)})
	}
	codes := object{}
	for _, c := range p.codes {
		codes = append(codes, member{c.words("-"), object{{"code", c.value}, {"when", c.when}}})
	}
	return object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$comment", generated},
		{"title", "mcp-sidecar protocol"},
		{"protocolVersion", json.RawMessage(p.version)},
		{"methods", methods},
		{"errors", codes},
		{"$defs", defs},
	}.indented()
}

// indented is a whole file.
func (o object) indented() ([]byte, error) {
	raw, err := o.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func schemaOfMethod(m method) object {
	kind, direction := "request", "hostToSidecar"
	if m.isNotified() {
		kind = "notification"
	}
	if !m.fromHost() {
		direction = "sidecarToHost"
	}
	o := object{{"description", oneLine(m.doc)}, {"direction", direction}, {"kind", kind}}
	if m.isOrdered() {
		o = append(o, member{"ordered", true})
	}
	if !m.answered() {
		o = append(o, member{"answered", false})
	}
	o = append(o, member{"params", reference(m.params)})
	if m.result != "" {
		o = append(o, member{"result", reference(m.result)})
	}
	if len(m.codes) > 0 {
		o = append(o, member{"errors", m.codes})
	}
	return o
}

func reference(name string) object { return object{{"$ref", "#/$defs/" + name}} }

func schemaOfType(t wireType) object {
	o := object{{"description", oneLine(t.doc)}}
	if t.isEnum() {
		var values []string
		for _, v := range t.values {
			values = append(values, v.text)
		}
		return append(o, member{"type", "string"}, member{"enum", values})
	}
	properties, required := object{}, []string{}
	for _, f := range t.fields {
		property := schemaOfShape(f.shown)
		if f.doc != "" {
			property = append(object{{"description", oneLine(f.doc)}}, property...)
		}
		properties = append(properties, member{f.wire, property})
		if !f.optional {
			required = append(required, f.wire)
		}
	}
	o = append(o, member{"type", "object"}, member{"properties", properties})
	if len(required) > 0 {
		o = append(o, member{"required", required})
	}
	return o
}

func schemaOfShape(s shape) object {
	switch s.kind {
	case "bool":
		return object{{"type", "boolean"}}
	case "int":
		return object{{"type", "integer"}}
	case "float64":
		return object{{"type", "number"}}
	case "string":
		return object{{"type", "string"}}
	case "named":
		return reference(s.name)
	case "list":
		return object{{"type", "array"}, {"items", schemaOfShape(*s.elem)}}
	case "map":
		return object{{"type", "object"}, {"additionalProperties", schemaOfShape(*s.elem)}}
	case "pointer":
		return schemaOfShape(*s.elem)
	}
	return object{} // raw: any JSON
}
