package toolcache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A file is two lines and then what the server sent, byte for byte:
//
//	mcp-sidecar tools 1 <SHA-256, in hex, of everything after this line>
//	{"time":…,"protocolVersion":…,"era":…,"instructions":…,"serverInfo":5,"tools":[120,98]}
//	<5 bytes><120 bytes><98 bytes>
//
// The numbers in the second line are lengths, so the bytes may be anything.
const signature = "mcp-sidecar tools 1 "

// header is the second line of a file.
type header struct {
	Time            time.Time `json:"time"`
	ProtocolVersion string    `json:"protocolVersion"`
	Era             string    `json:"era"`
	Instructions    string    `json:"instructions"`
	ServerInfo      *int      `json:"serverInfo,omitempty"` // absent: there is none
	Tools           []int     `json:"tools"`
}

var (
	errForeign   = errors.New("not a tool cache of this version")
	errCorrupt   = errors.New("the checksum is wrong")
	errStructure = errors.New("the lengths do not fit")
)

func encode(list List) ([]byte, error) {
	h := header{
		Time: list.Time, ProtocolVersion: list.ProtocolVersion, Era: list.Era, Instructions: list.Instructions,
		Tools: make([]int, len(list.Tools)),
	}
	size := len(list.ServerInfo)
	if list.ServerInfo != nil {
		n := len(list.ServerInfo)
		h.ServerInfo = &n
	}
	for i, t := range list.Tools {
		h.Tools[i] = len(t)
		size += len(t)
	}
	line, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	first := len(signature) + hex.EncodedLen(sha256.Size) + 1
	file := make([]byte, first, first+len(line)+1+size)
	file = append(append(file, line...), '\n')
	file = append(file, list.ServerInfo...)
	for _, t := range list.Tools {
		file = append(file, t...)
	}
	sum := sha256.Sum256(file[first:])
	copy(file, signature)
	hex.Encode(file[len(signature):], sum[:])
	file[first-1] = '\n'
	return file, nil
}

func decode(file []byte) (List, error) {
	rest, ok := bytes.CutPrefix(file, []byte(signature))
	if !ok {
		return List{}, errForeign
	}
	want, body, _ := bytes.Cut(rest, []byte("\n"))
	sum := sha256.Sum256(body)
	if string(want) != hex.EncodeToString(sum[:]) {
		return List{}, errCorrupt
	}
	return decodeBody(body)
}

// decodeBody reads what follows the first line. The list shares its memory.
func decodeBody(body []byte) (List, error) {
	line, rest, _ := bytes.Cut(body, []byte("\n"))
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return List{}, fmt.Errorf("the header cannot be read: %w", err)
	}
	list := List{
		ProtocolVersion: h.ProtocolVersion, Era: h.Era, Instructions: h.Instructions, Time: h.Time,
		Tools: make([]json.RawMessage, len(h.Tools)),
	}
	var err error
	if h.ServerInfo != nil {
		if list.ServerInfo, rest, err = cut(rest, *h.ServerInfo); err != nil {
			return List{}, err
		}
	}
	for i, n := range h.Tools {
		if list.Tools[i], rest, err = cut(rest, n); err != nil {
			return List{}, err
		}
	}
	if len(rest) > 0 {
		return List{}, errStructure
	}
	return list, nil
}

// cut takes n bytes off data: one JSON value, since that is what callers put
// into messages of their own.
func cut(data []byte, n int) (value json.RawMessage, rest []byte, err error) {
	if n < 0 || n > len(data) {
		return nil, nil, errStructure
	}
	value = json.RawMessage(data[:n:n])
	if !jsontext.Value(value).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return nil, nil, errStructure
	}
	return value, data[n:], nil
}
