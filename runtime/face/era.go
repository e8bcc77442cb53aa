package face

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The two eras: from statelessVersion on every request says who asks, and nothing is
// asked of a client but in the answer to a request.
const (
	statelessVersion = "2026-07-28"
	lastStateful     = "2025-11-25"
)

// isStateless says of which era a request is.
func isStateless(r mcp.Request) bool {
	v, ok := r.(interface{ ProtocolVersion() string })
	return ok && v.ProtocolVersion() >= statelessVersion
}

// complete is a result as the stateless era wants it: it says that it is one (MCP
// 2026-07-28: basic). What a server has said about that stays.
func complete(result []byte) []byte {
	const member = `"resultType":"complete"`
	dec := jsontext.NewDecoder(bytes.NewReader(result), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return result
	}
	begin := int(dec.InputOffset())
	if dec.PeekKind() == '}' {
		return append(append(bytes.Clone(result[:begin]), member...), result[begin:]...)
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil || name.String() == "resultType" {
			return result
		}
		if err := dec.SkipValue(); err != nil {
			return result
		}
	}
	return append(append(append(bytes.Clone(result[:begin]), member...), ','), result[begin:]...)
}
