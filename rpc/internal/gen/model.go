package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// protocol is what protocol.go and errors.go say.
type protocol struct {
	version string
	methods []method
	types   []wireType // structs and enums, in the order of the file
	index   map[string]int
	codes   []code
}

type method struct {
	group  string // interface
	side   string // who sends it: "host" or "sidecar"; "session" is the host too
	goName string
	wire   string
	params string
	result string // "" for a notification
	form   string // "fixed", "viewed", "ordered", or "" for a notification
	codes  []int  // of the errors it may end with, beside those any request may
	doc    string
}

func (m method) fromHost() bool   { return m.side != "sidecar" }
func (m method) answered() bool   { return !m.fromHost() || slices.Contains(implemented(), m.group) }
func (m method) isOrdered() bool  { return m.form == "ordered" }
func (m method) isNotified() bool { return m.result == "" }

// notPermitted is the code by which a method says that it is refused to guests.
const notPermitted = 1008

// forOwners are the methods that guests may not use.
func (p *protocol) forOwners() []method {
	return slices.DeleteFunc(slices.Clone(p.methods), func(m method) bool { return !slices.Contains(m.codes, notPermitted) })
}

type wireType struct {
	name, doc string
	fields    []field
	values    []enumValue // of an enum; it has no fields
}

func (t wireType) isEnum() bool { return len(t.values) > 0 }

type field struct {
	goName, wire, doc string
	optional          bool // may be absent
	ifZero            bool // is absent when nil, not when empty
	embed             bool // is no member, but has those without a field
	typ               shape
	shown             shape // the documented type, where typ is raw
}

type enumValue struct{ text, doc string }

// code is a row of the table of errors.
type code struct {
	goName string // "UnknownTool"
	value  int
	when   string
}

// words is "unknown tool" for UnknownTool.
func (c code) words(sep string) string {
	var b strings.Builder
	for i, r := range c.goName {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteString(sep)
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// shape is the type of a value. kind is "string", "bool", "int", "float64",
// "raw", "named", "list", "map" or "pointer".
type shape struct {
	kind string
	name string // of "named"
	elem *shape // of "list", "map" and "pointer"
}

// plain takes pointers away: on the wire there are none.
func (s shape) plain() shape {
	if s.kind == "pointer" {
		return s.elem.plain()
	}
	return s
}

func parse(protocolFile, errorsFile string) (*protocol, error) {
	p := &protocol{index: map[string]int{}}
	fset := token.NewFileSet()
	for file, take := range map[string]func(*ast.GenDecl) error{protocolFile: p.takeProtocol, errorsFile: p.takeErrors} {
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				if err := take(g); err != nil {
					return nil, fmt.Errorf("%s: %w", fset.Position(g.Pos()), err)
				}
			}
		}
	}
	return p, p.check()
}

// check looks for names that lead nowhere or to two places.
func (p *protocol) check() error {
	if err := p.checkMethods(); err != nil {
		return err
	}
	for _, t := range p.types {
		for _, f := range t.fields {
			for s := &f.shown; s != nil; s = s.elem {
				if _, ok := p.index[s.name]; s.kind == "named" && !ok {
					return fmt.Errorf("%s.%s: unknown type %s", t.name, f.goName, s.name)
				}
			}
		}
	}
	return nil
}

func (p *protocol) checkMethods() error {
	names := map[string]bool{}
	for _, m := range p.methods {
		for _, n := range []string{m.wire, m.goName} {
			if names[n] || n == "" {
				return fmt.Errorf("method %s %q is there twice, or has no name", m.goName, n)
			}
			names[n] = true
		}
		for _, t := range []string{m.params, m.result} {
			if _, ok := p.index[t]; !ok && t != "" {
				return fmt.Errorf("method %s: unknown type %s", m.goName, t)
			}
		}
		if err := p.checkCodes(m); err != nil {
			return err
		}
	}
	return nil
}

// checkCodes looks for errors that are not in the table, or of what cannot fail.
func (p *protocol) checkCodes(m method) error {
	if m.isNotified() && len(m.codes) > 0 {
		return fmt.Errorf("method %s: a notification is not answered with errors", m.goName)
	}
	for _, value := range m.codes {
		if !slices.ContainsFunc(p.codes, func(c code) bool { return c.value == value }) {
			return fmt.Errorf("method %s: unknown code %d", m.goName, value)
		}
	}
	return nil
}

func (p *protocol) takeErrors(g *ast.GenDecl) error {
	for _, s := range g.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok || len(v.Names) != 1 || len(v.Values) != 1 {
			continue
		}
		name, ok := strings.CutPrefix(v.Names[0].Name, "Code")
		if !ok {
			continue
		}
		value, err := strconv.Atoi(constant(v.Values[0]))
		if err != nil {
			return err
		}
		p.codes = append(p.codes, code{name, value, prose(v.Comment)})
	}
	return nil
}

func constant(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value
	case *ast.UnaryExpr:
		return e.Op.String() + constant(e.X)
	}
	return ""
}

func (p *protocol) takeProtocol(g *ast.GenDecl) error {
	for _, s := range g.Specs {
		var err error
		switch s := s.(type) {
		case *ast.TypeSpec:
			err = p.takeType(g, s)
		case *ast.ValueSpec:
			if s.Names[0].Name == "ProtocolVersion" {
				p.version = constant(s.Values[0])
			} else if id, ok := s.Type.(*ast.Ident); ok {
				text, unquoteErr := strconv.Unquote(constant(s.Values[0]))
				err = unquoteErr
				at, known := p.index[id.Name]
				if !known {
					return fmt.Errorf("%s is a constant of unknown type %s", s.Names[0].Name, id.Name)
				}
				t := &p.types[at]
				t.values = append(t.values, enumValue{text, prose(s.Comment)})
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *protocol) takeType(g *ast.GenDecl, s *ast.TypeSpec) error {
	t := wireType{name: s.Name.Name, doc: prose(g.Doc)}
	switch st := s.Type.(type) {
	case *ast.InterfaceType:
		return p.takeMethods(t.name, directive(g.Doc, "side"), st)
	case *ast.FuncType:
		return nil // Answer and Pending are no wire types
	case *ast.MapType:
		if t.name != "Unknown" {
			return fmt.Errorf("%s: a map has no name on the wire", t.name)
		}
		return nil // it is only read
	case *ast.StructType:
		for _, f := range st.Fields.List {
			taken, err := takeField(f)
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			if !taken.embed {
				t.fields = append(t.fields, taken)
			}
		}
		wire := map[string]string{}
		for _, f := range t.fields {
			wire[f.goName] = f.wire
		}
		for i := range t.fields {
			t.fields[i].doc = inWireTerms(t.fields[i].doc, wire)
		}
	}
	p.index[t.name] = len(p.types)
	p.types = append(p.types, t)
	return nil
}

func takeField(f *ast.Field) (field, error) {
	tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
	name, options, _ := strings.Cut(tag, ",")
	out := field{
		goName: f.Names[0].Name, wire: name, doc: prose(f.Doc),
		optional: options != "", ifZero: options == "omitzero", embed: options == "embed",
	}
	var err error
	if out.typ, err = shapeOf(f.Type); err != nil {
		return out, err
	}
	out.shown = out.typ.plain()
	if as := directive(f.Doc, "as"); as != "" {
		e, err := parser.ParseExpr(as)
		if err != nil {
			return out, err
		}
		if out.shown, err = shapeOf(e); err != nil {
			return out, err
		}
	}
	return out, nil
}

func shapeOf(e ast.Expr) (shape, error) {
	wrap := func(kind string, of ast.Expr) (shape, error) {
		elem, err := shapeOf(of)
		return shape{kind: kind, elem: &elem}, err
	}
	switch e := e.(type) {
	case *ast.Ident:
		switch e.Name {
		case "string", "bool", "int", "float64":
			return shape{kind: e.Name}, nil
		}
		return shape{kind: "named", name: e.Name}, nil
	case *ast.ArrayType:
		return wrap("list", e.Elt)
	case *ast.MapType:
		return wrap("map", e.Value)
	case *ast.StarExpr:
		return wrap("pointer", e.X)
	case *ast.SelectorExpr:
		if e.Sel.Name == "RawMessage" {
			return shape{kind: "raw"}, nil
		}
	}
	return shape{}, fmt.Errorf("%T has no form on the wire", e)
}

func (p *protocol) takeMethods(group, side string, it *ast.InterfaceType) error {
	for _, f := range it.Methods.List {
		ft, ok := f.Type.(*ast.FuncType)
		if !ok || ft.Params.NumFields() != 2 {
			return fmt.Errorf("%s: a method takes a context and params", group)
		}
		m := method{
			group: group, side: side, goName: f.Names[0].Name,
			wire: directive(f.Doc, "method"), doc: prose(f.Doc),
		}
		m.doc = inWireTerms(m.doc, map[string]string{m.goName: m.wire})
		var err error
		if m.params, _, err = named(ft.Params.List[1].Type); err != nil {
			return err
		}
		if ft.Results.NumFields() == 2 {
			if m.result, m.form, err = named(ft.Results.List[0].Type); err != nil {
				return err
			}
		}
		if m.codes, err = codesIn(directive(f.Doc, "errors")); err != nil {
			return fmt.Errorf("%s: %w", m.goName, err)
		}
		p.methods = append(p.methods, m)
	}
	return nil
}

// codesIn reads the codes that a directive lists.
func codesIn(list string) ([]int, error) {
	var codes []int
	for word := range strings.FieldsSeq(list) {
		value, err := strconv.Atoi(word)
		if err != nil {
			return nil, err
		}
		codes = append(codes, value)
	}
	return codes, nil
}

// named returns the wire type in *T, Answer[T] or Pending[T], and the form.
func named(e ast.Expr) (name, form string, err error) {
	switch e := e.(type) {
	case *ast.StarExpr:
		if id, ok := e.X.(*ast.Ident); ok {
			return id.Name, "fixed", nil
		}
	case *ast.IndexExpr:
		of, ok := e.X.(*ast.Ident)
		arg, ok2 := e.Index.(*ast.Ident)
		if ok && ok2 {
			return arg.Name, map[string]string{"Answer": "viewed", "Pending": "ordered"}[of.Name], nil
		}
	}
	return "", "", fmt.Errorf("%T is neither *T nor Answer[T] nor Pending[T]", e)
}

func directive(c *ast.CommentGroup, key string) string {
	if c == nil {
		return ""
	}
	for _, l := range c.List {
		if v, ok := strings.CutPrefix(l.Text, "//rpc:"+key+" "); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// prose is a comment without directives.
func prose(c *ast.CommentGroup) string { return strings.TrimSpace(c.Text()) }

// inWireTerms replaces the Go names that a doc begins with, as Go's do, by what
// other languages know them by: "Line and Column count" is about line and
// column.
func inWireTerms(doc string, wire map[string]string) string {
	words := strings.SplitAfter(doc, " ")
	for i, word := range words {
		name := strings.TrimRight(word, " ,:\n")
		as, ok := wire[name]
		if !ok && name != "and" {
			break
		}
		if ok {
			words[i] = as + word[len(name):]
		}
	}
	return strings.Join(words, "")
}

// oneLine joins the lines of a doc.
func oneLine(doc string) string { return strings.Join(strings.Fields(doc), " ") }
