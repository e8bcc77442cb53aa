package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
)

// site is the user's machine as discovery sees it: what the locators of the
// providers may ask.
type site struct {
	// opts has the home directory as an absolute path, or "" for none.
	opts Options
	os   string // GOOS
	// cwd is that of opts, without symbolic links.
	cwd string
	// dirs are the directories of projects, boundaries those that would be others
	// if there were a repository in them, or none.
	dirs, boundaries []string
	// patterns are those of the files that are looked for by the ends of their
	// names.
	patterns []string
}

// newSite is given the home directory twice: realHome is without symbolic links.
func newSite(o Options, realHome string) *site {
	s := &site{opts: o, os: goruntime.GOOS}
	s.opts.Cwd = filepath.Clean(o.Cwd)
	s.cwd = resolved(s.opts.Cwd)
	if !filepath.IsAbs(o.Home) {
		s.opts.Home = ""
	}
	folders := o.Folders
	if len(folders) == 0 {
		folders = []string{s.opts.Cwd}
	}
	for _, folder := range folders {
		if !filepath.IsAbs(folder) {
			continue
		}
		dirs, boundaries := projectDirs(filepath.Clean(folder), realHome)
		s.dirs = withNew(s.dirs, dirs)
		s.boundaries = withNew(s.boundaries, boundaries)
	}
	return s
}

// withNew is all and what of more is not in it.
func withNew(all, more []string) []string {
	for _, x := range more {
		if !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}

// checkCwd says why the working directory is of no use.
func checkCwd(cwd string) error {
	if !filepath.IsAbs(cwd) {
		return errors.New("cwd is not an absolute path")
	}
	d, err := os.Open(cwd)
	if err != nil {
		return fmt.Errorf("cwd %s: %w", cwd, cause(err))
	}
	defer d.Close()
	info, err := d.Stat()
	if err != nil {
		return fmt.Errorf("cwd %s: %w", cwd, cause(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("cwd %s: not a directory", cwd)
	}
	return nil
}

// missing warns of the workspace folders that are no directories: a misspelt
// one has no project files, without a word.
func missing(folders []string) []Diagnostic {
	var found []Diagnostic
	for i, folder := range folders {
		if !filepath.IsAbs(folder) || slices.Contains(folders[:i], folder) {
			continue
		}
		info, err := os.Stat(folder)
		if err == nil && !info.IsDir() {
			err = errors.New("not a directory")
		}
		if err != nil {
			found = append(found, Diagnostic{
				Path: folder, Warning: true, Message: fmt.Sprintf("workspace folder: %v", cause(err)),
			})
		}
	}
	return found
}

// projectDirs are the directories in which project files of a workspace folder
// may lie, nearest first: the folder and those above it up to the repository
// root; outside of a repository the folder alone. Never the home directory
// (which has its symbolic links resolved, "" for none) or one above it, where
// everything would be called a project. Which ones depends on whether there is a
// repository in the boundaries.
func projectDirs(folder, home string) (dirs, boundaries []string) {
	for dir := folder; ; dir = filepath.Dir(dir) {
		below := home == "" || !holds(dir, home)
		if below {
			dirs = append(dirs, dir)
		}
		boundaries = append(boundaries, dir)
		// A worktree or submodule has a file of that name.
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dirs, boundaries
		}
		if !below || dir == filepath.Dir(dir) {
			return dirs[:min(1, len(dirs))], boundaries
		}
	}
}

// dependencies are all on which a discovery with these places depends. Where a
// repository begins decides which directories are a project's.
func (s *site) dependencies(places []place) []Dependency {
	var all []Dependency
	known := make(map[Dependency]bool)
	add := func(d Dependency) {
		if !known[d] {
			known[d] = true
			all = append(all, d)
		}
	}
	for _, p := range places {
		if p.path != "" && p.inline == "" {
			add(Dependency{Path: p.path})
		}
	}
	for _, pattern := range s.patterns {
		add(Dependency{Path: pattern, Pattern: true})
	}
	for _, dir := range s.boundaries {
		add(Dependency{Path: filepath.Join(dir, ".git")})
	}
	return all
}

// holds says that dir, symbolic links resolved, is path or above it.
func holds(dir, path string) bool {
	rel, err := filepath.Rel(resolved(dir), path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// env is the value of a variable, "" when it is not set.
func (s *site) env(name string) string {
	if s.opts.Getenv == nil {
		return ""
	}
	value, _ := s.opts.Getenv(name)
	return value
}

// dirFrom is the directory that a variable names, or the fallback under the
// home directory. Relative values are ignored, as XDG demands.
func (s *site) dirFrom(name string, fallback ...string) string {
	return cmp.Or(s.pathFrom(name), s.home(fallback...))
}

// pathFrom is the absolute path that a variable holds, or "".
func (s *site) pathFrom(name string) string {
	if path := s.env(name); filepath.IsAbs(path) {
		return path
	}
	return ""
}

// home is a path under the home directory, "" when there is none: a relative
// path would be a file of the project that passes for the user's.
func (s *site) home(elem ...string) string {
	if s.opts.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{s.opts.Home}, elem...)...)
}

// configHome is XDG's directory for configuration, on every system.
func (s *site) configHome() string {
	return s.dirFrom("XDG_CONFIG_HOME", ".config")
}

// UserFile is the file in which this program's own user keeps servers, "" when
// there is no home directory.
func UserFile(home string, getenv func(string) (string, bool)) string {
	s := &site{opts: Options{Home: home, Getenv: getenv}}
	if s.configHome() == "" {
		return ""
	}
	return s.userFile()
}

func (s *site) userFile() string { return filepath.Join(s.configHome(), "mcp-sidecar", "mcp.json") }

// appConfig is where desktop programs keep their configuration.
func (s *site) appConfig() string {
	switch s.os {
	case "darwin":
		return s.home("Library", "Application Support")
	case "windows":
		return s.dirFrom("APPDATA", "AppData", "Roaming")
	}
	return s.configHome()
}

// absolute resolves "~/" and relative paths. It is false when that takes a home
// or a base directory and there is none.
func absolute(p, home, base string) (string, bool) {
	switch rest, ok := strings.CutPrefix(p, "~/"); {
	case ok || p == "~":
		if p == "~" {
			rest = ""
		}
		p = filepath.Join(home, rest)
		return p, filepath.IsAbs(home)
	case filepath.IsAbs(p):
		return filepath.Clean(p), true
	}
	return filepath.Join(base, p), filepath.IsAbs(base)
}

// withSuffix are the files of a directory whose names end so, sorted.
func withSuffix(dir, suffix string) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, suffix) })
	slices.Sort(names)
	return names
}
