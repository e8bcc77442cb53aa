package rpc

import "strings"

// OwnName is what the tool's server calls it.
func (t *Tool) OwnName() string { return strings.TrimPrefix(t.Label, t.Server+"/") }
