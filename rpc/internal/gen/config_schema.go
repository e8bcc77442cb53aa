package main

import (
	"fmt"
	"strings"
	"unicode"
)

// renderConfigSchema writes the JSON Schema by which an editor completes and checks
// the files in which users write servers in the native dialect: .mcp-sidecar/mcp.json,
// and .mcp.json, which is Claude Code's too. It says of keys and kinds what
// runtime/config says, whose tests hold the two together. What an entry needs to be
// started is not in it: while one is being typed, nothing is missing yet, and the
// sidecar's own diagnostics say it better.
//
// It is of draft 7, with the further keywords of VS Code's JSON language service.
func renderConfigSchema(p *protocol) ([]byte, error) {
	entry, err := p.entrySchema()
	if err != nil {
		return nil, err
	}
	entry = append(entry, member{"defaultSnippets", []object{
		snippet("A server to be started", object{{"command", "${1:npx}"}, {"args", []string{"${2:-y}", "${3:package}"}}}),
		snippet("A server that runs already", object{{"url", "${1:https://}"}}),
	}})
	names := object{{"type", "array"}, {"items", object{{"type", "string"}}}}
	return object{
		{"$schema", "http://json-schema.org/draft-07/schema#"},
		{"$comment", generated},
		{"title", "MCP servers"},
		{"allowComments", true},
		{"allowTrailingCommas", true},
		{"type", "object"},
		{"properties", object{
			{"mcpServers", object{
				{"description", "The MCP servers, by name."},
				{"type", "object"},
				{"additionalProperties", entry},
			}},
			{"disabledServers", described("Names of servers that are switched off, in whichever file they are. Only in your own mcp-sidecar/mcp.json.", names)},
			{"enabledServers", described(`Names of servers that are on although their entry has "enabled": false. Only in your own mcp-sidecar/mcp.json.`, names)},
		}},
		{"defaultSnippets", []object{snippet("MCP servers", object{{"mcpServers", object{{"${1:name}", object{{"command", "$2"}}}}}})}},
	}.indented()
}

func snippet(label string, body object) object { return object{{"label", label}, {"body", body}} }

func described(text string, o object) object {
	return append(object{{"description", text}}, o...)
}

// entrySchema is about one server: the members of ServerConfig, and those that other
// tools write beside them, which are taken too.
func (p *protocol) entrySchema() (object, error) {
	o, err := p.strict("ServerConfig")
	if err != nil {
		return nil, err
	}
	properties := o.get("properties").(object)
	// Of one that is taken in any case of its letters, the usual spellings.
	types := []string{"stdio", "http", "sse", "streamable-http", "streamableHttp", "streamable_http", "local", "remote"}
	properties.set("type", append(properties.get("type").(object), member{"enum", types}))
	tools := properties.get("tools").(object)
	properties.set("tools", object{
		tools[0], // the description
		{"anyOf", []object{tools[1:], {{"description", "Names of the tools to keep, or globs."}, {"type", "array"}, {"items", object{{"type", "string"}}}}}},
	})
	auth := properties.get("auth").(object).get("properties").(object)
	auth.set("flow", append(auth.get("flow").(object), member{"enum", []string{"browser", "client-credentials"}}))
	auth.set("callbackPort", append(auth.get("callbackPort").(object), member{"maximum", 65535}))
	o.set("properties", append(properties, foreign()...))
	return o, nil
}

// foreign are the members that other tools write into these files.
func foreign() object {
	// Whoever types an entry is helped with what has an effect.
	ignored := func(what string) object {
		return object{{"description", what + " It has no effect here."}, {"doNotSuggest", true}}
	}
	text := object{{"type", "string"}}
	number := object{{"type", "number"}, {"minimum", 0}}
	return object{
		{"disabled", described("The opposite of enabled, as other tools write it.", object{{"type", "boolean"}, {"doNotSuggest", true}})},
		{"$schema", ignored("Says what the entry is checked by.")},
		{"name", ignored("What other tools call the server.")},
		{"description", ignored("What the server is for.")},
		{"alwaysAllow", ignored("Tools that another client calls without asking.")},
		{"autoApprove", ignored("Tools that another client calls without asking.")},
		{"alwaysLoad", ignored("Claude Code: the tools are always offered to the model.")},
		{"oauth", object{
			{"description", "Claude Code: what you have registered with an authorization server, as auth."},
			{"type", "object"},
			{"properties", object{
				{"clientId", text},
				{"callbackPort", append(number, member{"maximum", 65535})},
				{"scopes", described("Scopes, with spaces between them.", text)},
				{"authServerMetadataUrl", object{{"deprecationMessage", "Not supported: the authorization server is looked for as usual."}}},
			}},
		}},
		{"headersHelper", object{{"deprecationMessage", "Not supported: the server is contacted without these headers."}}},
	}
}

// strict is the schema of a struct that knows no other members. What it refers to is
// in it.
func (p *protocol) strict(name string) (object, error) {
	i, ok := p.index[name]
	if !ok {
		return nil, fmt.Errorf("the schema of configuration files needs the type %s", name)
	}
	t := p.types[i]
	properties := object{}
	for _, f := range t.fields {
		property, err := p.strictShape(f.shown.plain())
		if err != nil {
			return nil, err
		}
		if f.doc != "" {
			property = described(oneLine(f.doc), property)
		}
		properties = append(properties, member{f.wire, property})
	}
	return object{
		{"description", withoutName(t)},
		{"type", "object"},
		{"properties", properties},
		{"additionalProperties", false},
	}, nil
}

func (p *protocol) strictShape(s shape) (object, error) {
	switch s.kind {
	case "named":
		return p.strict(s.name)
	case "int": // a fraction of one is taken, and nothing negative
		return object{{"type", "number"}, {"minimum", 0}}, nil
	}
	return schemaOfShape(s), nil
}

// withoutName is the doc of a type without its Go name: "AuthConfig is what …" is
// "What …".
func withoutName(t wireType) string {
	doc := strings.TrimPrefix(strings.TrimPrefix(oneLine(t.doc), t.name+" "), "is ")
	for i, first := range doc {
		return string(unicode.ToUpper(first)) + doc[i+len(string(first)):]
	}
	return ""
}

// get is a member's value, nil if there is none.
func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// set replaces the value of a member.
func (o object) set(name string, value any) {
	for i := range o {
		if o[i].name == name {
			o[i].value = value
		}
	}
}
