package transport

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// declaredCapabilities is what we tell servers that we can do. The SDK's client
// is given the same (session.go).
const declaredCapabilities = "{}"

// identity is how we introduce ourselves.
type identity struct{ name, version string }

func (s *Spec) identity() identity {
	id := identity{s.ClientName, s.ClientVersion}
	if id.name == "" {
		id.name = "mcp-sidecar"
	}
	if id.version == "" {
		id.version = "0"
	}
	return id
}

// info is MCP's Implementation.
func (c identity) info() []byte {
	b := appendString([]byte(`{"name":`), c.name)
	b = appendString(append(b, `,"version":`...), c.version)
	return append(b, '}')
}

// requestMeta is what each request of the stateless era carries in _meta, as
// members without the braces (MCP 2026-07-28: basic, per-request metadata).
func (c identity) requestMeta() string {
	return `"` + mcp.MetaKeyProtocolVersion + `":"` + string(EraStateless) +
		`","` + mcp.MetaKeyClientInfo + `":` + string(c.info()) +
		`,"` + mcp.MetaKeyClientCapabilities + `":` + declaredCapabilities
}

// frame is the request as it goes out: one line, without its end. eraMeta are
// the members of _meta that every request carries. The params are carried
// verbatim, except that a line break between members becomes a space. The
// progress token is the id.
func (q *question) frame(id int64, eraMeta string) []byte {
	b := make([]byte, 0, 128+len(q.method)+len(q.params)+len(q.meta)+len(eraMeta))
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `,"method":"`...)
	b = append(b, q.method...)
	b = append(b, `","params":{`...)
	if q.token || q.meta != "" || eraMeta != "" {
		b = append(b, `"_meta":{`...)
		if q.token {
			b = strconv.AppendInt(append(b, `"progressToken":`...), id, 10)
		}
		b = appendMembers(b, q.meta)
		b = appendMembers(b, eraMeta)
		b = append(b, '}')
	}
	start := len(b)
	b = appendMembers(b, string(innerMembers(q.params)))
	flatten(b[start:])
	return append(b, "}}"...)
}

// appendMembers appends members to an object that is being written.
func appendMembers(object []byte, members string) []byte {
	if members == "" {
		return object
	}
	if object[len(object)-1] != '{' {
		object = append(object, ',')
	}
	return append(object, members...)
}

// innerMembers is an object without its braces and outer space.
func innerMembers(object []byte) []byte {
	object = bytes.TrimSpace(object)
	if len(object) < 2 {
		return nil
	}
	return bytes.TrimSpace(object[1 : len(object)-1])
}

// flatten turns line breaks into spaces. In valid JSON there are none inside
// strings.
func flatten(b []byte) {
	for i, c := range b {
		if c == '\n' || c == '\r' {
			b[i] = ' '
		}
	}
}

// appendString appends text as a JSON string that escapes nothing it need not:
// some servers compare names byte by byte.
func appendString(b []byte, text string) []byte {
	// Invalid UTF-8 is the only possible error; it is replaced, and appended.
	quoted, _ := jsontext.AppendQuote(b, text)
	return quoted
}
