package trust

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// version is that of the format. A later version that only adds members keeps
// it; one that changes what they mean does not.
const version = 1

// maxFile bounds the file, in bytes.
const maxFile = 8 << 20

// document is the file. Members that this version does not know are kept.
type document struct {
	Version   int            `json:"version"`
	Decisions []row          `json:"decisions"` // oldest first
	Others    jsontext.Value `json:",embed"`
}

// row is an entry as it is in the file.
type row struct {
	Project  string         `json:"project"`
	Server   string         `json:"server"`
	Hash     string         `json:"hash"`
	Decision Decision       `json:"decision"`
	File     string         `json:"file,omitempty"`
	Time     time.Time      `json:"time,omitzero"`
	Others   jsontext.Value `json:",embed"`
}

func (r *row) key() key { return key{r.Project, r.Server, r.Hash} }

func (r *row) entry() Entry {
	return Entry{Project: r.Project, Server: r.Server, Hash: r.Hash, Decision: r.Decision, File: r.File, Time: r.Time}
}

func (r *row) set(e Entry) {
	r.Project, r.Server, r.Hash, r.Decision, r.File = e.Project, e.Server, e.Hash, e.Decision, e.File
	r.Time = e.Time.UTC().Truncate(time.Second)
}

// errBroken is a file that no version has written so. It can be moved aside.
var errBroken = errors.New("it cannot be understood")

// decode reads a file's text. One without any text has no decisions.
func decode(data []byte) (document, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return document{Version: version}, nil
	}
	// What else a later version has may be of other types, so its number first.
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return document{}, fmt.Errorf("%w: %w", errBroken, err)
	}
	switch {
	case head.Version > version:
		return document{}, fmt.Errorf("its format is version %d, and this mcp-sidecar knows only %d: update mcp-sidecar; until then nothing is read from it or written to it",
			head.Version, version)
	case head.Version < version:
		return document{}, fmt.Errorf("%w: there is no format version %d", errBroken, head.Version)
	}
	var doc document
	if err := json.Unmarshal(data, &doc); err != nil {
		return document{}, fmt.Errorf("%w: %w", errBroken, err)
	}
	return doc, nil
}

// encode gives the file's text, of at most limit bytes, and which decisions are
// in it: not the oldest if that is what it takes.
func encode(doc document, limit int) ([]byte, []row, error) {
	for {
		data, err := json.Marshal(doc, jsontext.WithIndent("  "))
		if err != nil {
			return nil, nil, err
		}
		if data = append(data, '\n'); len(data) <= limit {
			return data, doc.Decisions, nil
		}
		if len(doc.Decisions) == 0 {
			return nil, nil, errTooLarge
		}
		doc.Decisions = doc.Decisions[len(doc.Decisions)/10+1:]
	}
}
