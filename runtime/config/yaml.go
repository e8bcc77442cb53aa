package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// maxAliased bounds the values that aliases and merge keys make of what is
// written once. A few lines can otherwise make billions.
const maxAliased = 100_000

// parseYAML reads YAML 1.2 as serde_yaml does, which reads it for Goose: of words
// only true, false and null are no strings, and dates are strings. Beyond that
// merge keys work, custom tags say nothing, and a file without any value is an
// empty object.
func parseYAML(doc *document, data []byte) (*node, *syntaxError) {
	if problem := tooManyValues(data, `-?,:[{&*!"'`); problem != nil {
		return nil, problem
	}
	if problem := tooManyDirectives(data); problem != nil {
		return nil, problem
	}
	value, problem := composeYAML(data)
	if problem != nil {
		return nil, problem
	}
	if value == nil || value.Kind == yaml.ScalarNode && value.Style == 0 && value.Anchor == "" && value.Value == "" {
		return &node{kind: object, doc: doc, line: 1, column: 1}, nil
	}
	newYAMLPlaces(data).place(value)
	c := &yamlConverter{doc: doc, open: make(map[*yaml.Node]bool)}
	root := c.node(value, 1)
	if c.problem != nil {
		return nil, c.problem
	}
	return root, nil
}

// composeYAML is the value of the only document of a text, nil if there is none.
// What is written is not resolved, and aliases are not followed.
func composeYAML(data []byte) (value *yaml.Node, problem *syntaxError) {
	deep := false
	// The library panics where it finds itself in a state that it takes for
	// impossible.
	defer func() {
		if recover() != nil {
			value, problem = nil, &syntaxError{message: invalidYAML}
		}
	}()
	limits := loaderlimits.New(loaderlimits.DepthFunc(func(depth int, _ *loaderlimits.DepthContext) error {
		if deep = depth > maxDepth; deep {
			return errors.New("too deep")
		}
		return nil
	}))
	loader, err := yaml.NewLoader(bytes.NewReader(versioned(data)), yaml.WithPlugin(limits))
	if err != nil {
		return nil, &syntaxError{message: invalidYAML}
	}
	var first, second yaml.Node
	if err = loader.Load(&first); err == nil {
		err = loader.Load(&second)
	}
	switch {
	case errors.Is(err, io.EOF):
		if len(first.Content) > 0 {
			value = first.Content[0]
		}
		return value, nil
	case err != nil:
		return nil, explainYAML(data, err, deep)
	}
	line, column := newYAMLPlaces(data).position(second.Line, second.Column)
	return nil, &syntaxError{line, column, "a second document: only one is read, so leave out the --- before it"}
}

// versioned is a text with the version that the library knows, which reads 1.2
// and says that it reads 1.1.
func versioned(data []byte) []byte {
	const directive, old = "%YAML 1.2", '1'
	at := 0
	for line := range bytes.Lines(data) {
		switch {
		case bytes.HasPrefix(line, []byte(directive)):
			data = bytes.Clone(data)
			data[at+len(directive)-1] = old
			return data
		case !bytes.HasPrefix(line, []byte("%")) && !bytes.HasPrefix(line, []byte("#")) && len(bytes.TrimSpace(line)) > 0:
			return data
		}
		at += len(line)
	}
	return data
}

// yamlConverter makes nodes of the library's. After the first problem what the
// methods return means nothing.
type yamlConverter struct {
	doc     *document
	problem *syntaxError
	// open are the anchored values that are being converted.
	open map[*yaml.Node]bool
	// through is the outermost of the aliases that are being followed, and
	// aliased how many values aliases have made.
	through *yaml.Node
	aliased int
}

func (c *yamlConverter) fail(at *yaml.Node, message string) {
	if c.problem == nil {
		c.problem = &syntaxError{at.Line, at.Column, message}
	}
}

// node converts v. The depth is that of an array or object here.
func (c *yamlConverter) node(v *yaml.Node, depth int) *node {
	n := &node{doc: c.doc, line: v.Line, column: v.Column}
	if c.problem != nil {
		return n
	}
	if c.through != nil {
		if c.aliased++; c.aliased > maxAliased {
			c.fail(c.through, fmt.Sprintf("more than %d values by aliases", maxAliased))
			return n
		}
	}
	if v.Kind == yaml.AliasNode {
		// What is wrong with the value as a whole is so because it is used here.
		n = c.aliasTo(v, depth)
		n.line, n.column = v.Line, v.Column
		return n
	}
	if v.Kind == yaml.ScalarNode {
		c.scalar(n, v)
		return n
	}
	if depth > maxDepth {
		c.fail(v, fmt.Sprintf("nested more than %d deep", maxDepth))
		return n
	}
	if v.Anchor != "" {
		c.open[v] = true
		defer delete(c.open, v)
	}
	if v.Kind == yaml.MappingNode {
		n.setMembers(c.members(v, depth+1))
		return n
	}
	items := make([]*node, len(v.Content))
	for i, item := range v.Content {
		items[i] = c.node(item, depth+1)
	}
	n.setItems(items)
	return n
}

// aliasTo converts the value that the alias v stands for.
func (c *yamlConverter) aliasTo(v *yaml.Node, depth int) *node {
	if c.open[v.Alias] {
		c.fail(v, "this alias stands for a value that it is a part of")
		return &node{}
	}
	defer c.follow(v)()
	return c.node(v.Alias, depth)
}

// follow notes that the alias v is followed until the function it returns is
// called.
func (c *yamlConverter) follow(v *yaml.Node) (done func()) {
	if c.through != nil {
		return func() {}
	}
	c.through = v
	return func() { c.through = nil }
}

// members converts the members of a mapping, and behind them those of merge keys
// whose names it has not.
func (c *yamlConverter) members(v *yaml.Node, depth int) []member {
	all := make([]member, 0, len(v.Content)/2)
	var merged []*yaml.Node
	for i := 0; i+1 < len(v.Content); i += 2 {
		key, value := v.Content[i], v.Content[i+1]
		if key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge" {
			merged = append(merged, value)
			continue
		}
		written := key
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			c.fail(written, "a key that is a list or a mapping: write a word, or quote it")
			return nil
		}
		if v.Style&yaml.FlowStyle != 0 && isUnspaced(key, value) {
			c.fail(written, "a key without a value: write a colon and a space between the two")
			return nil
		}
		all = append(all, member{key.Value, c.node(value, depth)})
	}
	if len(merged) == 0 {
		return all
	}
	m := merging{all: all, names: make(map[string]bool, len(all)), depth: depth - 1}
	for _, own := range all {
		m.names[own.name] = true
	}
	for _, value := range merged {
		c.mergeAll(&m, value)
	}
	return m.all
}

// isUnspaced says of a member of a mapping in braces that it is most likely a key
// and a value with no space between: {TOKEN:value} has a key of that name. What
// tells of it would tell the value.
func isUnspaced(key, value *yaml.Node) bool {
	return key.Style == 0 && strings.ContainsAny(key.Value, ":=") &&
		value.Kind == yaml.ScalarNode && value.Style == 0 && value.Value == "" && value.Anchor == ""
}

// merging is a mapping whose merge keys are followed. The first of a name
// counts.
type merging struct {
	all   []member
	names map[string]bool // of all
	depth int
}

// mergeAll merges the value of a merge key: one mapping, or a list of them.
func (c *yamlConverter) mergeAll(m *merging, value *yaml.Node) {
	list := value
	if value.Kind == yaml.AliasNode {
		list = value.Alias
	}
	if list.Kind != yaml.SequenceNode {
		c.merge(m, value)
		return
	}
	if list != value {
		defer c.follow(value)()
	}
	for _, source := range list.Content {
		if c.problem != nil {
			return
		}
		c.merge(m, source)
	}
}

func (c *yamlConverter) merge(m *merging, source *yaml.Node) {
	from := c.node(source, m.depth)
	if from.kind != object {
		c.fail(source, "a merge key (<<) needs a mapping, or a list of mappings")
	}
	for _, theirs := range from.members {
		if !m.names[theirs.name] {
			m.names[theirs.name] = true
			m.all = append(m.all, theirs)
		}
	}
}

// scalar gives n the value of v. What is quoted is a string, unless its tag says
// otherwise.
func (c *yamlConverter) scalar(n *node, v *yaml.Node) {
	const quotes = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	tag := v.Tag
	if v.Style&yaml.TaggedStyle == 0 && tag != "!" {
		tag = ""
	}
	n.kind, n.text = text, v.Value
	var wanted kind
	switch tag {
	case "!", "!!str", "!!binary", "!!timestamp":
		return
	case "!!null":
		wanted = null
	case "!!bool":
		wanted = boolean
	case "!!int", "!!float":
		wanted = number
	default:
		if v.Style&quotes == 0 {
			n.kind, n.text = plainYAML(v.Value)
		}
		return
	}
	if n.kind, n.text = plainYAML(v.Value); n.kind != wanted {
		c.fail(v, "a tag that its value does not fit: leave out the tag")
	}
}

// plainYAML is the value of a scalar without quotes and tag.
func plainYAML(s string) (kind, string) {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return null, s
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return boolean, strings.ToLower(s)
	}
	if literal, ok := prefixed(s); ok {
		return number, literal
	}
	// A number with a 0 before it is more likely a code than a number.
	if unsigned, _ := sign(s); len(unsigned) > 1 && unsigned[0] == '0' && strings.Trim(unsigned, "0123456789") == "" {
		return text, s
	}
	if literal, ok := decimal(s); ok {
		if value, err := strconv.ParseFloat(literal, 64); err == nil && !math.IsInf(value, 0) {
			return number, literal
		}
	}
	return text, s
}
