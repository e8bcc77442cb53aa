package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// repository is the root of the repository that a directory is in, "" for none.
func repository(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// mainWorktree is the main worktree of the repository that root is another
// worktree of, "" when it is none. The repository has to know of it: a directory
// could claim to belong to any.
func mainWorktree(root string) string {
	if root == "" {
		return ""
	}
	link := filepath.Join(root, ".git")
	data, _, err := readFile(link) // a directory in a main worktree
	if err != nil {
		return ""
	}
	named, ok := bytes.CutPrefix(data, []byte("gitdir: "))
	if !ok {
		return ""
	}
	own := pathIn(root, named) // <main>/.git/worktrees/<name>
	shared := filepath.Dir(filepath.Dir(own))
	if filepath.Base(filepath.Dir(own)) != "worktrees" || filepath.Base(shared) != ".git" {
		return ""
	}
	data, _, err = readFile(filepath.Join(own, "gitdir"))
	if err != nil || resolved(pathIn(own, data)) != resolved(link) {
		return ""
	}
	return filepath.Dir(shared)
}

// pathIn is a path as git writes it into a file, which may be relative.
func pathIn(dir string, written []byte) string {
	path := filepath.FromSlash(strings.TrimSpace(string(written)))
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
