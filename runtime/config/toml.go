package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2/unstable"
)

// parseTOML reads TOML 1.1. Dates and times, inf and nan are strings. A table
// stands where its name is first written.
func parseTOML(doc *document, data []byte) (*node, *syntaxError) {
	if problem := tooManyValues(data, "=,.["); problem != nil {
		return nil, problem
	}
	r := &toml{
		data:   data,
		places: converter{doc: doc, data: data, line: 1},
		seen:   make(map[tomlName]*tomlEntry),
	}
	root := tomlTable{r.node(0), 1}
	root.kind = object
	table := root // of the last header
	var parser unstable.Parser
	parser.Reset(data)
	for r.problem == nil && parser.NextExpression() {
		if e := parser.Expression(); e.Kind == unstable.KeyValue {
			r.keyValue(table, e)
		} else {
			table = r.header(root, e)
		}
	}
	if err := parser.Error(); err != nil && r.problem == nil {
		r.problem = explainTOML(&parser, err)
	}
	if r.problem != nil {
		return nil, r.problem
	}
	return root.node, nil
}

// toml builds the tree of a document, one expression of it after the other.
// After the first problem what the methods return means nothing.
type toml struct {
	data    []byte
	places  converter
	problem *syntaxError
	seen    map[tomlName]*tomlEntry
}

// tomlTable is a table and how deep it is nested; the root's depth is 1.
type tomlTable struct {
	*node
	depth int
}

type tomlName struct {
	table *node
	name  string
}

// tomlEntry is what a name was given to, and how, which decides what can be
// added to it.
type tomlEntry struct {
	*node
	form tomlForm
}

type tomlForm uint8

const (
	written  tomlForm = iota // after an equals sign: nothing can be added
	dotted                   // a table, by a part of a dotted key
	implied                  // a table, by a part of another's header
	headed                   // a table, by its own header
	headings                 // an array of tables, each by its header
)

func (r *toml) fail(offset int, message string) {
	if r.problem == nil {
		line, column := lineColumn(r.data, offset)
		r.problem = &syntaxError{line, column, message}
	}
}

// node is a new value at an offset that is not before that of the last one.
func (r *toml) node(offset int) *node {
	n := &node{doc: r.places.doc}
	n.line, n.column = r.places.position(offset)
	return n
}

// entry is what the name at key was given to in t, or nil.
func (r *toml) entry(t tomlTable, key *unstable.Node) *tomlEntry {
	return r.seen[tomlName{t.node, string(key.Data)}]
}

// add gives n the name at key in t.
func (r *toml) add(t tomlTable, key *unstable.Node, n *node, form tomlForm) {
	n.parent, n.key = t.node, string(key.Data)
	t.members = append(t.members, member{n.key, n})
	r.seen[tomlName{t.node, n.key}] = &tomlEntry{n, form}
}

// within is the table n, which is levels below t and was reached by key.
func (r *toml) within(t tomlTable, n *node, levels int, key *unstable.Node) tomlTable {
	depth := t.depth + levels
	if depth > maxDepth {
		r.fail(int(key.Raw.Offset), fmt.Sprintf("nested more than %d deep", maxDepth))
	}
	return tomlTable{n, depth}
}

// addTable is a new table in t.
func (r *toml) addTable(t tomlTable, key *unstable.Node, form tomlForm) tomlTable {
	n := r.node(int(key.Raw.Offset))
	n.kind = object
	r.add(t, key, n, form)
	return r.within(t, n, 1, key)
}

// header is the table of a header.
func (r *toml) header(t tomlTable, header *unstable.Node) tomlTable {
	for it := header.Key(); it.Next() && r.problem == nil; {
		switch key := it.Node(); {
		case !it.IsLast():
			t = r.through(t, key)
		case header.Kind == unstable.ArrayTable:
			t = r.heading(t, key)
		default:
			t = r.headed(t, key)
		}
	}
	return t
}

// through is the table in t that a header goes through.
func (r *toml) through(t tomlTable, key *unstable.Node) tomlTable {
	e := r.entry(t, key)
	if e == nil {
		return r.addTable(t, key, implied)
	}
	switch e.form {
	case headings:
		return r.within(t, e.items[len(e.items)-1], 2, key)
	case implied, headed, dotted:
	case written:
		r.fail(int(key.Raw.Offset), "no table can be added to this name: it has a value already")
	}
	return r.within(t, e.node, 1, key)
}

// headed is the table in t that a header in single brackets names.
func (r *toml) headed(t tomlTable, key *unstable.Node) tomlTable {
	e := r.entry(t, key)
	if e == nil {
		return r.addTable(t, key, headed)
	}
	switch e.form {
	case implied:
		e.form = headed
	case headings:
		r.fail(int(key.Raw.Offset), "this name is an array of tables: add to it by a header in double brackets")
	default:
		r.fail(int(key.Raw.Offset), "this name is defined already: keep one of the two, or put both under one header")
	}
	return r.within(t, e.node, 1, key)
}

// heading is a new table of the array in t that a header in double brackets
// names.
func (r *toml) heading(t tomlTable, key *unstable.Node) tomlTable {
	e := r.entry(t, key)
	if e == nil {
		n := r.node(int(key.Raw.Offset))
		n.kind = array
		r.add(t, key, n, headings)
		e = r.entry(t, key)
	} else if e.form != headings {
		r.fail(int(key.Raw.Offset), "this name is defined already, and not by headers in double brackets")
		return t
	}
	item := r.node(int(key.Raw.Offset))
	item.kind, item.parent, item.key = object, e.node, strconv.Itoa(len(e.items))
	e.items = append(e.items, item)
	return r.within(t, item, 2, key)
}

// keyValue adds to t a value, and the tables that its dotted key goes through.
func (r *toml) keyValue(t tomlTable, e *unstable.Node) {
	for it := e.Key(); it.Next() && r.problem == nil; {
		key := it.Node()
		switch before := r.entry(t, key); {
		case it.IsLast() && before == nil:
			at := int(key.Raw.Offset + key.Raw.Length)
			for strings.IndexByte(" \t=", r.data[at]) >= 0 {
				at++
			}
			n, _ := r.value(e.Value(), at, t.depth+1)
			r.add(t, key, n, written)
		case before == nil:
			t = r.addTable(t, key, dotted)
		case !it.IsLast() && before.form == dotted:
			t = r.within(t, before.node, 1, key)
		default:
			r.fail(int(key.Raw.Offset), "this key is defined already: keep one of the two")
		}
	}
}

// value is the value at an offset, and the offset behind it. The depth is that
// of an array or table here. The library does not say where an array begins and
// where arrays and tables end, so that is found on the way.
func (r *toml) value(v *unstable.Node, at, depth int) (n *node, end int) {
	n = r.node(at)
	if v.Kind != unstable.Array && v.Kind != unstable.InlineTable {
		r.scalar(n, v)
		return n, at + int(v.Raw.Length)
	}
	if depth > maxDepth {
		r.fail(at, fmt.Sprintf("nested more than %d deep", maxDepth))
	}
	at++
	if v.Kind == unstable.InlineTable {
		n.kind = object
		for it := v.Children(); it.Next() && r.problem == nil; {
			e := it.Node()
			r.keyValue(tomlTable{n, depth}, e)
			at = int(e.Raw.Offset + e.Raw.Length)
		}
		return n, r.skip(at) + 1
	}
	var items []*node
	for it := v.Children(); it.Next() && r.problem == nil; {
		var item *node
		item, at = r.value(it.Node(), r.skip(at), depth+1)
		items = append(items, item)
	}
	n.setItems(items)
	return n, r.skip(at) + 1
}

// skip is the first offset, from at on, of something else than white space,
// commas and comments.
func (r *toml) skip(at int) int {
	for ; at < len(r.data); at++ {
		switch r.data[at] {
		case ' ', '\t', '\r', '\n', ',':
		case '#':
			for at+1 < len(r.data) && r.data[at+1] != '\n' {
				at++
			}
		default:
			return at
		}
	}
	return at
}

// scalar gives n the value that v is.
func (r *toml) scalar(n *node, v *unstable.Node) {
	n.kind, n.text = text, string(v.Data)
	at := int(v.Raw.Offset)
	switch v.Kind {
	case unstable.Bool:
		n.kind = boolean
	case unstable.Integer:
		plain := strings.ReplaceAll(n.text, "_", "")
		literal, ok := prefixed(plain)
		if !ok {
			value, err := strconv.ParseInt(plain, 10, 64)
			literal, ok = strconv.FormatInt(value, 10), err == nil
		}
		if !ok {
			r.fail(at, "an integer of more than 64 bits: put it in quotes")
		}
		n.kind, n.text = number, literal
	case unstable.Float:
		if literal, ok := decimal(strings.ReplaceAll(n.text, "_", "")); ok {
			n.kind, n.text = number, literal
		} else {
			n.text = strings.TrimPrefix(n.text, "+")
		}
	case unstable.LocalDate, unstable.LocalTime, unstable.LocalDateTime, unstable.DateTime:
		if !validTime(n.text) {
			r.fail(at, "not a date or time: put a string in quotes")
		}
	default: // a string
	}
}

// validTime says whether s is a date, a time or both, as TOML writes them.
func validTime(s string) bool {
	s = strings.ToUpper(s)
	date, clock, both := strings.Cut(s, " ")
	if !both {
		date, clock, both = strings.Cut(s, "T")
	}
	if strings.Contains(date, ":") {
		date, clock, both = "2006-01-02", date, true
	}
	if both {
		// The layouts let an hour have one digit.
		if strings.IndexByte(clock, ':') != len("15") {
			return false
		}
		date += "T" + clock
	}
	for _, layout := range []string{
		"2006-01-02", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04", "2006-01-02T15:04Z07:00",
	} {
		if _, err := time.Parse(layout, date); err == nil {
			return true
		}
	}
	return false
}
