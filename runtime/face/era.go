package face

import (
	"bytes"
	"slices"

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
	if jsontext.Value(result).Kind() != '{' {
		return result
	}
	separator := ""
	for name := range members(result) {
		if name == "resultType" {
			return result
		}
		separator = ","
	}
	begin := bytes.IndexByte(result, '{') + 1
	return slices.Concat(result[:begin], []byte(member+separator), result[begin:])
}
