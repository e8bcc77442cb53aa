package transport

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"strconv"
	"strings"
)

// The headers of MCP 2026-07-28, basic/transports/streamable-http. Those after
// the session's exist in the stateless era only.
const (
	headerVersion   = "Mcp-Protocol-Version"
	headerSession   = "Mcp-Session-Id"
	headerLastEvent = "Last-Event-Id"
	headerMethod    = "Mcp-Method"
	headerName      = "Mcp-Name"
	headerParam     = "Mcp-Param-"
)

// annotation is how a tool marks an argument that is to be repeated in a
// header.
const annotation = `"x-mcp-header"`

// paramHeaders are, for each tool, the arguments that go into headers.
type paramHeaders map[string][]paramHeader

type paramHeader struct {
	path   []string // of property names
	header string
}

// statelessHeaders repeats in headers what a request of the stateless era says
// in its body. plainName sends the name as it is: servers of the Go SDK 1.8
// compare it undecoded.
func statelessHeaders(method string, params json.RawMessage, bound paramHeaders, plainName bool) http.Header {
	header := http.Header{headerMethod: {method}}
	name := headerNameOf(method, params)
	if name == "" {
		return header
	}
	header[headerName] = []string{headerValue(name)}
	if plainName && isFieldValue(name) {
		header[headerName] = []string{name}
	}
	if method != "tools/call" || len(bound[name]) == 0 {
		return header
	}
	var call struct {
		Arguments json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(params, &call) // it has been read once
	for _, b := range bound[name] {
		if value, ok := argumentHeader(call.Arguments, b.path); ok {
			header[http.CanonicalHeaderKey(headerParam+b.header)] = []string{value}
		}
	}
	return header
}

// headerNameOf is what Mcp-Name says of a request, or "".
func headerNameOf(method string, params json.RawMessage) string {
	var named struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
	}
	switch method {
	case "tools/call", "prompts/get", "resources/read":
		_ = json.Unmarshal(params, &named) // the server will say what is wrong with it
	}
	if method == "resources/read" {
		return named.URI
	}
	return named.Name
}

// isFieldValue: RFC 9110, section 5.5: no controls, no outer space.
func isFieldValue(s string) bool {
	return s == strings.Trim(s, " \t") && strings.IndexFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) < 0
}

// needsEncoding is true for text that is not safe in a header field, or that
// would be read as encoded.
func needsEncoding(s string) bool {
	if s != strings.Trim(s, " \t") || strings.HasPrefix(s, "=?base64?") && strings.HasSuffix(s, "?=") {
		return true
	}
	return strings.IndexFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e }) >= 0
}

// headerValue is s, in its base64 form where it must be.
func headerValue(s string) string {
	if !needsEncoding(s) {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

// argumentHeader is the header form of one argument. There is none for
// arguments that are absent, null, or no string, boolean or safe integer.
func argumentHeader(arguments json.RawMessage, path []string) (string, bool) {
	at := arguments
	for _, name := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(at, &object) != nil {
			return "", false
		}
		at = object[name]
	}
	var value any
	if len(at) == 0 || json.Unmarshal(at, &value) != nil {
		return "", false
	}
	switch value := value.(type) {
	case string:
		return headerValue(value), true
	case bool:
		return strconv.FormatBool(value), true
	case float64:
		if value != math.Trunc(value) || math.Abs(value) > 1<<53-1 {
			return "", false
		}
		return strconv.FormatInt(int64(value), 10), true
	}
	return "", false
}

// learn returns p with what a page of a tools/list result says about headers.
func (p paramHeaders) learn(result json.RawMessage) paramHeaders {
	if len(p) == 0 && !bytes.Contains(result, []byte(annotation)) {
		return p
	}
	var page struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(result, &page) != nil {
		return p
	}
	learned := maps.Clone(p)
	if learned == nil {
		learned = paramHeaders{}
	}
	for _, raw := range page.Tools {
		var tool struct {
			Name        string          `json:"name"`
			InputSchema json.RawMessage `json:"inputSchema"`
		}
		if json.Unmarshal(raw, &tool) != nil {
			continue
		}
		delete(learned, tool.Name)
		if bytes.Contains(raw, []byte(annotation)) {
			learned[tool.Name] = schemaHeaders(tool.InputSchema, nil, nil)
		}
	}
	return learned
}

// schemaHeaders adds to found what a JSON Schema, that of the argument at path,
// puts into headers. Schemas that are no objects put nothing there.
func schemaHeaders(schema json.RawMessage, path []string, found []paramHeader) []paramHeader {
	var object struct {
		Header     json.RawMessage            `json:"x-mcp-header"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &object) != nil {
		return found
	}
	var header string
	if len(path) > 0 && json.Unmarshal(object.Header, &header) == nil && isToken(header) {
		found = append(found, paramHeader{path: path, header: header})
	}
	for name, property := range object.Properties {
		found = schemaHeaders(property, append(path[:len(path):len(path)], name), found)
	}
	return found
}

// isToken: RFC 9110, section 5.6.2.
func isToken(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	}) < 0
}
