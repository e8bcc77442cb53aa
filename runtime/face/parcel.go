package face

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// parcel is a result that reaches the client as it is. The SDK encodes a result and
// what is around it, twice; so what it is given is a number, and conn puts the result
// in its place.
type parcel struct {
	mcp.ResultBase
	conn *conn
	raw  []byte // shared with others, as are the next two
	head []byte // comes before raw
	tail []byte // comes after it
	sent func() // called when it has been written; nil for nothing
}

// parcelMark begins what stands for a parcel. No result begins so: MCP's are objects
// with members of its own.
const parcelMark = `{"mcp-sidecar parcel":`

// MarshalJSON implements json.Marshaler.
func (p *parcel) MarshalJSON() ([]byte, error) {
	c := p.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	c.parcels[c.last] = p
	return fmt.Appendf(nil, "%s%d}", parcelMark, c.last), nil
}

// claim is the parcel that a result stands for, nil for another result.
func (c *conn) claim(result json.RawMessage) *parcel {
	number, ok := bytes.CutPrefix(result, []byte(parcelMark))
	n, err := strconv.Atoi(string(bytes.TrimSuffix(number, []byte("}"))))
	if !ok || err != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.parcels[n]
	delete(c.parcels, n)
	return p
}
