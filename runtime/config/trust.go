package config

import "path/filepath"

// NeedsTrust says whether the entry comes from a file inside the project, which
// somebody else may have written. Claude's local scope is about a project too,
// but lies in the user's own file.
func (e *Entry) NeedsTrust() bool {
	return e.Level == Project && filepath.Base(e.Path) != ".claude.json"
}
