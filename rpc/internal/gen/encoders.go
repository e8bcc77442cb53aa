package main

import (
	"bytes"
	"fmt"
	"go/format"
)

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
			fmt.Fprintf(&b, "\nfunc (*%s) size() int { return len(\"{}\") }\n", t.name)
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
		p.renderSize(&b, t)
	}
	return format.Source(b.Bytes())
}

// renderSize writes the estimate of what the encoder of t writes.
func (p *protocol) renderSize(b *bytes.Buffer, t wireType) {
	const (
		braces = 2 // {}
		around = 4 // "":,
		scalar = 8 // a number, a boolean
	)
	fixed, parts := braces, ""
	for _, f := range t.fields {
		fixed += len(f.wire) + around
		if sized := p.sized(f.typ, "v."+f.goName); sized != "" {
			parts += " +\n" + sized
		} else {
			fixed += scalar
		}
	}
	receiver := "v "
	if parts == "" {
		receiver = ""
	}
	fmt.Fprintf(b, "\nfunc (%s*%s) size() int {\nreturn %d%s\n}\n", receiver, t.name, fixed, parts)
}

// sized is the expression for the size of value, "" if it is always small.
func (p *protocol) sized(s shape, value string) string {
	switch {
	case s.kind == "pointer" && p.isStruct(*s.elem):
		return fmt.Sprintf("sizePointer(%s)", value)
	case s.kind == "pointer" && s.elem.kind == "string":
		return fmt.Sprintf("sizeOptional(%s)", value)
	case s.kind == "list" && p.isStruct(*s.elem):
		return fmt.Sprintf("sizeStructs(%s)", value)
	case s.kind == "list":
		return fmt.Sprintf("sizeList(%s, %s)", value, sizer(*s.elem))
	case s.kind == "map":
		return fmt.Sprintf("sizeMap(%s, %s)", value, sizer(*s.elem))
	case p.isStruct(s):
		return value + ".size()"
	case s.kind == "string", s.kind == "named", s.kind == "raw":
		return fmt.Sprintf("%s(%s)", sizer(s), value)
	}
	return ""
}

// sizer is the function that sizes one value of a type that is text.
func sizer(s shape) string {
	switch s.kind {
	case "string":
		return "sizeString"
	case "raw":
		return "sizeRaw"
	}
	return "sizeString[" + s.name + "]" // an enum
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

func (p *protocol) isStruct(s shape) bool {
	return s.kind == "named" && !p.types[p.index[s.name]].isEnum()
}

// encode is the expression that appends value to dst. notNil says that a
// pointer was found to point somewhere.
func (p *protocol) encode(s shape, value, dst string, notNil bool) string {
	switch {
	case s.kind == "pointer" && p.isStruct(*s.elem):
		if notNil {
			return fmt.Sprintf("%s.AppendJSON(%s)", value, dst)
		}
		return fmt.Sprintf("appendPointer(%s, %s)", dst, value)
	case s.kind == "pointer":
		return fmt.Sprintf("%s(%s, *%s)", p.appender(*s.elem), dst, value)
	case s.kind == "list" && p.isStruct(*s.elem):
		return fmt.Sprintf("appendStructs(%s, %s)", dst, value)
	case s.kind == "list":
		return fmt.Sprintf("appendList(%s, %s, %s)", dst, value, p.appender(*s.elem))
	case s.kind == "map":
		return fmt.Sprintf("appendMap(%s, %s, %s)", dst, value, p.appender(*s.elem))
	case p.isStruct(s):
		return fmt.Sprintf("%s.AppendJSON(%s)", value, dst)
	case s.kind == "named":
		return fmt.Sprintf("appendString(%s, %s)", dst, value)
	}
	return fmt.Sprintf("%s(%s, %s)", p.appender(s), dst, value)
}
