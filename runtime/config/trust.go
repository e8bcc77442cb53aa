package config

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
)

// NeedsTrust says whether the entry comes from a file inside the project, which
// somebody else may have written. Claude's local scope is about a project too,
// but lies in the user's own file.
func (e *Entry) NeedsTrust() bool {
	return e.Level == Project && filepath.Base(e.Path) != ".claude.json"
}

// Dir is the directory that the entry's file is about: relative paths in it are
// relative to that, and a project's server is trusted for it.
func (e *Entry) Dir() string { return e.base }

// RunsIn is where a process without a cwd of its own runs: where the session does, or
// in the project whose file has it, if the session is elsewhere.
func (e *Entry) RunsIn(cwd string) string {
	if e.Level != Project {
		return cwd
	}
	if rel, err := filepath.Rel(e.base, cwd); err == nil && filepath.IsLocal(rel) {
		return cwd
	}
	return e.base
}

// TrustHash is what the user decides about: SHA-256, in hex, of what the entry
// would start, as written, and of the ways in which its values may refer to
// something else. Its name, whether it is enabled, its timeouts and its filters
// are no part of it.
func (e *Entry) TrustHash() string {
	sum := sha256.Sum256(canonical(struct {
		Written reach
		Forms   forms
	}{e.written(), e.forms}))
	return hex.EncodeToString(sum[:])
}
