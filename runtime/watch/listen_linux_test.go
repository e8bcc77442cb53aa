package watch

import (
	"os"
	"path/filepath"
	"testing"
)

// A hint costs a look at every path, so there must be none for what goes on in
// a home directory all day.
func TestOnlyNamesThatMatterLeaveAHint(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.Mkdir(at("sub"), 0o700))
	paths := []Path{{Path: at("f")}, {Path: at("missing/x/y")}, {Path: at("*.x"), Pattern: true}, {Path: at("sub/g")}}
	s := surveyor{sys: realSystem()}
	p := planOf(s.survey(t.Context(), spotsOf(paths)))
	hints := make(chan struct{}, 1000)
	l, err := listen(p, hints)
	must(t, err)
	defer l.close()
	for range 20 {
		must(t, write(at("history"), "x"), write(at("history"), "yy"), os.Rename(at("history"), at("cache")), os.Chmod(at("cache"), 0o640),
			os.Remove(at("cache")), os.Mkdir(at("x"), 0o700), os.Remove(at("x")), write(at("y"), "x"), write(at("sub/h"), "x"))
	}
	if l.lost() {
		t.Error("lost, before anything of interest")
	}
	// Each of these is one event.
	for _, name := range []string{"f", "missing", "1.x", "g"} {
		must(t, os.Mkdir(at(name), 0o700))
	}
	for range 3 { // g is of interest as well, if only in another directory
		<-hints
	}
	<-hints
	must(t, os.Remove(at("sub/h")), os.Remove(at("sub")))
	<-hints
	l.close()
	if n := len(hints); n > 1 { // inotify tells of a directory's end twice
		t.Errorf("%d hints too many", n)
	}
	if !l.lost() {
		t.Error("not lost, though a directory has gone")
	}
}
