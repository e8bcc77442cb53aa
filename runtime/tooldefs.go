package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/glob"
)

// toolDef is one tool as its server defines it, with what the sidecar itself
// looks at.
type toolDef struct {
	name        string          // never ""
	raw         json.RawMessage // the server's bytes
	title       string          // or ""
	description string          // or ""
	// repeatable: annotated read-only or idempotent, so that calling it twice
	// does no harm (MCP: ToolAnnotations).
	repeatable bool
}

// parseTools reads definitions as servers send them. What is odd about one is
// told in issues and costs no other tool anything. A definition is left out
// when it has no usable name, or the name of an earlier one.
func parseTools(raw []json.RawMessage) (defs []toolDef, issues []string) {
	defs = make([]toolDef, 0, len(raw))
	seen := make(map[string]bool, len(raw))
	dec := new(jsontext.Decoder)
	for i, r := range raw {
		dec.Reset(bytes.NewBuffer(r), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		d, odd, err := parseTool(dec)
		d.raw = r
		switch {
		case err != nil:
			issues = append(issues, fmt.Sprintf("tool definition %d is left out: %v", i+1, err))
			continue
		case seen[d.name]:
			issues = append(issues, fmt.Sprintf("tool %q is listed more than once: the first definition is kept", d.name))
			continue
		}
		for _, o := range odd {
			issues = append(issues, fmt.Sprintf("tool %q: %s", d.name, o))
		}
		seen[d.name] = true
		defs = append(defs, d)
	}
	return defs, issues
}

// parseTool reads one definition; of a member that is there twice, the last
// counts, as it does for JSON.parse.
func parseTool(dec *jsontext.Decoder) (d toolDef, odd []string, err error) {
	schema := jsontext.Kind(0)
	if dec.PeekKind() != '{' {
		return d, nil, errors.New("it is not an object")
	}
	var annotations annotationHints
	var title *string
	err = eachMember(dec, func(name string) error {
		kind := dec.PeekKind()
		switch name {
		case "name":
			return readString(dec, &d.name)
		case "title":
			title = new(string)
			return readString(dec, title)
		case "description":
			return readString(dec, &d.description)
		case "annotations":
			annotations = annotationHints{}
			return annotations.read(dec)
		case "inputSchema":
			schema = kind
		case "outputSchema":
			if kind != '{' {
				odd = append(odd, "outputSchema is "+kindWord(kind)+", not an object")
			}
		}
		return dec.SkipValue()
	})
	if err == nil {
		if _, err = dec.ReadToken(); errors.Is(err, io.EOF) {
			err = nil
		} else {
			err = errors.New("something follows the object")
		}
	}
	switch {
	case err != nil:
		return d, nil, fmt.Errorf("it cannot be read: %w", err)
	case d.name == "":
		return d, nil, errors.New("it has no usable name")
	case schema == 0:
		odd = append(odd, "inputSchema is missing")
	case schema != '{':
		odd = append(odd, "inputSchema is "+kindWord(schema)+", not an object")
	}
	d.title, d.repeatable = annotations.title, annotations.readOnly || annotations.idempotent
	if title != nil && *title != "" {
		d.title = *title
	}
	return d, odd, nil
}

// annotationHints are the members of MCP's ToolAnnotations that matter here.
type annotationHints struct {
	title                string
	readOnly, idempotent bool
}

func (a *annotationHints) read(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '{' {
		return dec.SkipValue()
	}
	return eachMember(dec, func(name string) error {
		switch name {
		case "title":
			return readString(dec, &a.title)
		case "readOnlyHint":
			a.readOnly = dec.PeekKind() == 't'
		case "idempotentHint":
			a.idempotent = dec.PeekKind() == 't'
		}
		return dec.SkipValue()
	})
}

// eachMember reads an object; read has to read the value of the member.
func eachMember(dec *jsontext.Decoder, read func(name string) error) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if err := read(name.String()); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

// readString reads a value into s: "" if it is no string.
func readString(dec *jsontext.Decoder, s *string) error {
	*s = ""
	if dec.PeekKind() != '"' {
		return dec.SkipValue()
	}
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	*s = token.String()
	return nil
}

func kindWord(k jsontext.Kind) string {
	switch byte(k) {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	}
	return "an object"
}

// filterTools keeps the tools that include matches (nil: all), exclude does not
// match, and off does not name. When all stay, the slice is the same.
func filterTools(defs []toolDef, include, exclude []string, off func(tool string) bool) []toolDef {
	drop := func(d toolDef) bool {
		return !glob.Choose(include, exclude, d.name) || off != nil && off(d.name)
	}
	if !slices.ContainsFunc(defs, drop) {
		return defs
	}
	return slices.DeleteFunc(slices.Clone(defs), drop)
}
