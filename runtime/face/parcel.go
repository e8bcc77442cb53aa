package face

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// parcel is a result that reaches the client as it is. The SDK encodes a result and
// what is around it, twice; so what it is given is a number, and conn puts the result
// in its place.
type parcel struct {
	mcp.ResultBase
	by   *parcels
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
	return fmt.Appendf(nil, "%s%d}", parcelMark, p.by.post(p)), nil
}

// parcels are those on their way.
type parcels struct {
	mu      sync.Mutex // guards what follows
	last    int        // the number given last
	waiting map[int]*parcel
}

// post gives a parcel a number.
func (s *parcels) post(p *parcel) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	s.waiting[s.last] = p
	return s.last
}

// claim is the parcel that a result stands for, nil for another result.
func (s *parcels) claim(result json.RawMessage) *parcel {
	number, ok := bytes.CutPrefix(result, []byte(parcelMark))
	n, err := strconv.Atoi(string(bytes.TrimSuffix(number, []byte("}"))))
	if !ok || err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.waiting[n]
	delete(s.waiting, n)
	return p
}
