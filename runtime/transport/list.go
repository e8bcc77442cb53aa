package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// maxPages and maxTools end a list that does not end by itself.
	maxPages = 1000
	maxTools = 50_000
	// maxList bounds all pages of a list together, in bytes.
	maxList = maxMessage
)

// ListTools implements Session.
func (s *session) ListTools(ctx context.Context) ([]json.RawMessage, error) {
	tools, err := s.list(ctx)
	return tools, s.redact.failure(err)
}

// list asks past the SDK, which answers from a cache of its own and decodes what
// it gets.
func (s *session) list(ctx context.Context) ([]json.RawMessage, error) {
	var tools []json.RawMessage
	var lastPage json.RawMessage
	cursors := map[string]bool{}
	params := json.RawMessage("{}")
	cursor := ""
	size := 0
	for range maxPages {
		result, err := s.link.request(ctx, StageList, "tools/list", params)
		if err != nil {
			return endOfList(tools, cursor, err)
		}
		if size += len(result); size > maxList {
			return nil, &Error{
				Code: CodeTooLarge, Stage: StageList,
				Message: fmt.Sprintf("tools/list: the pages so far, %d tools, have %d bytes, the limit is %d", len(tools), size, maxList),
			}
		}
		page, err := parsePage(result, s.redact)
		if err != nil {
			return nil, err
		}
		if len(page.tools) > 0 && bytes.Equal(page.raw, lastPage) {
			// A server that ignores the cursor gives the same page again, and
			// many that send an empty one mean the end by it.
			return tools, nil
		}
		lastPage = page.raw
		tools = append(tools, page.tools...)
		cursor = string(page.cursor)
		if cursor == "" || cursors[cursor] || len(tools) >= maxTools {
			return tools, nil
		}
		cursors[cursor] = true
		params = append(append([]byte(`{"cursor":`), page.cursor...), '}')
	}
	return tools, nil
}

// endOfList decides what an error means: a server without tools has none, and
// one that does not take its own empty cursor has told all it has.
func endOfList(tools []json.RawMessage, cursor string, err error) ([]json.RawMessage, error) {
	var refusal *RPCError
	if errors.As(err, &refusal) && (refusal.Code == jsonrpc.CodeMethodNotFound || cursor == `""`) {
		return tools, nil
	}
	return nil, err
}

// page is one result of tools/list.
type page struct {
	tools  []json.RawMessage
	raw    json.RawMessage // the member tools
	cursor json.RawMessage // nextCursor as it is, whatever its type; nil at the end
}

func parsePage(result json.RawMessage, redact redactor) (page, error) {
	var p page
	var members struct {
		Tools      json.RawMessage
		NextCursor json.RawMessage
	}
	err := json.Unmarshal(result, &members)
	if err == nil && members.Tools != nil {
		p.raw = members.Tools
		err = json.Unmarshal(members.Tools, &p.tools)
	}
	if err != nil {
		return page{}, &Error{
			Code: CodeProtocol, Stage: StageList, Err: err,
			Message: "tools/list: the result is not a list of tools: " + redact.shorten(result, maxSample),
		}
	}
	if string(members.NextCursor) != "null" {
		p.cursor = members.NextCursor
	}
	return p, nil
}
