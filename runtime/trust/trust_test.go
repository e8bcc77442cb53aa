package trust

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/disktest"
)

func noon() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) }

// decided is an entry for which only what it is about matters.
func decided(project, server, hash string, d Decision) Entry {
	return Entry{Project: project, Server: server, Hash: hash, Decision: d, File: project + "/.mcp.json", Time: noon()}
}

// store is one whose directory is not there yet.
func store(t *testing.T) *Store {
	t.Helper()
	return Open(filepath.Join(t.TempDir(), "state", "mcp-sidecar", "trust.json"))
}

func load(t *testing.T, s *Store) Book {
	t.Helper()
	b, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustRecord(t *testing.T, s *Store, entries ...Entry) Book {
	t.Helper()
	b, err := s.Record(t.Context(), entries...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// place puts a file where s looks for one.
func place(t *testing.T, s *Store, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestAPanicIsAnErrorThatTrustsNothing(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "trust.json"))
	book, err := s.await(t.Context(), loadLimit, func(context.Context) (Book, error) { panic("a bug") })
	if err == nil || !strings.Contains(err.Error(), "a bug") || len(book.Entries()) != 0 {
		t.Errorf("%v, %v", book.Entries(), err)
	}
}

func TestWhatIsNotThereHasDecidedNothing(t *testing.T) {
	s := store(t)
	if b := load(t, s); len(b.Entries()) != 0 {
		t.Error(b.Entries())
	}
	if d, ok := (Book{}).Decision("/p", "s", "h"); ok || d != "" {
		t.Error(d)
	}
	if _, err := os.Stat(filepath.Dir(s.path)); err == nil {
		t.Error("loading has made the directory")
	}
	place(t, s, " \n")
	if b := load(t, s); len(b.Entries()) != 0 {
		t.Error(b.Entries())
	}
}

func TestADecisionIsAboutOneEntry(t *testing.T) {
	s := store(t)
	recorded := mustRecord(t, s,
		decided("/p", "fs", "1", Allow), decided("/p", "db", "1", Deny), decided("/q", "fs", "2", Deny))
	for what, b := range map[string]Book{"recorded": recorded, "loaded": load(t, s)} {
		for _, tc := range []struct {
			project, server, hash string
			want                  Decision
		}{
			{"/p", "fs", "1", Allow},
			{"/p", "db", "1", Deny},
			{"/q", "fs", "2", Deny},
			{"/p", "fs", "2", ""}, // the entry was changed
			{"/q", "db", "1", ""},
			{"/p/", "fs", "1", ""},
			{"/p", "", "1", ""},
			{"", "", "", ""},
		} {
			if d, ok := b.Decision(tc.project, tc.server, tc.hash); d != tc.want || ok != (tc.want != "") {
				t.Errorf("%s: %s %s %s: %q, %v", what, tc.project, tc.server, tc.hash, d, ok)
			}
		}
	}
}

func TestEntriesAreSortedAndTheCallers(t *testing.T) {
	s := store(t)
	late := decided("/p", "fs", "1", Allow)
	late.Time = noon().Add(time.Hour)
	b := mustRecord(t, s, decided("/q", "a", "1", Allow), late, decided("/p", "fs", "2", Deny), decided("/p", "db", "1", Allow))
	var got []string
	for _, e := range b.Entries() {
		got = append(got, e.Project+" "+e.Server+" "+e.Hash)
	}
	if diff := cmp.Diff([]string{"/p db 1", "/p fs 2", "/p fs 1", "/q a 1"}, got); diff != "" {
		t.Error(diff)
	}
	b.Entries()[0].Server = "other"
	if b.Entries()[0].Server != "db" {
		t.Error("a reader has changed the book")
	}
}

func TestTheLastDecisionCounts(t *testing.T) {
	s := store(t)
	mustRecord(t, s, decided("/p", "fs", "1", Allow))
	b := mustRecord(t, s, decided("/p", "fs", "1", Allow), decided("/p", "fs", "1", Deny))
	if d, _ := b.Decision("/p", "fs", "1"); d != Deny || len(b.Entries()) != 1 {
		t.Error(d, b.Entries())
	}
}

func TestSwitchingBetweenBranchesAsksOnceForEach(t *testing.T) {
	s := store(t)
	for i := range maxHashes + 2 {
		e := decided("/p", "fs", fmt.Sprint(i), Allow)
		e.Time = noon().Add(-time.Duration(i) * time.Hour) // the clock is of no importance
		mustRecord(t, s, e, decided("/p", fmt.Sprint("other", i), "1", Allow))
	}
	mustRecord(t, s, decided("/p", "fs", "2", Deny)) // now the newest
	b := mustRecord(t, s, decided("/p", "fs", "new", Allow))
	for hash, want := range map[string]Decision{"0": "", "1": "", "2": Deny, "3": "", "4": Allow, "9": Allow, "new": Allow} {
		if d, _ := b.Decision("/p", "fs", hash); d != want {
			t.Errorf("%s: %q, want %q", hash, d, want)
		}
	}
	if n := len(b.Entries()); n != maxHashes+maxHashes+2 {
		t.Errorf("%d entries", n)
	}
}

func TestRevokeForgetsWhatItIsAskedTo(t *testing.T) {
	for _, tc := range []struct {
		project, server, hash string
		want                  string // what is revoked
	}{
		{"/p", "fs", "1", "[/p fs 1]"},
		{"/p", "fs", "", "[/p fs 1 /p fs 2]"},
		{"/p", "", "", "[/p fs 1 /p fs 2 /p db 1]"},
		{"/p", "", "1", "[/p fs 1 /p db 1]"},
		{"/p", "fs", "3", "[]"},
		{"", "", "", "[]"},
		{"/", "", "", "[]"},
	} {
		s := store(t)
		mustRecord(t, s, decided("/p", "fs", "1", Allow), decided("/p", "fs", "2", Allow),
			decided("/p", "db", "1", Allow), decided("/q", "fs", "1", Allow))
		before := text(t, s.path)
		left, revoked, err := s.Revoke(t.Context(), tc.project, tc.server, tc.hash)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range revoked {
			got = append(got, e.Project+" "+e.Server+" "+e.Hash)
			if _, ok := left.Decision(e.Project, e.Server, e.Hash); ok {
				t.Error("still there", e)
			}
		}
		if fmt.Sprint(got) != tc.want {
			t.Errorf("%q %q %q: %v, want %v", tc.project, tc.server, tc.hash, got, tc.want)
		}
		if now := load(t, s); len(now.Entries())+len(revoked) != 4 || len(left.Entries()) != len(now.Entries()) {
			t.Errorf("%d are left", len(now.Entries()))
		}
		if len(revoked) == 0 && text(t, s.path) != before {
			t.Error("the file has changed")
		}
	}
}

func TestRevokeNeedsNoFile(t *testing.T) {
	s := store(t)
	if _, revoked, err := s.Revoke(t.Context(), "/p", "", ""); err != nil || len(revoked) != 0 {
		t.Error(revoked, err)
	}
	if _, err := os.Stat(s.path); err == nil {
		t.Error("it has made one")
	}
}

func TestWhatCannotBeRememberedIsRefusedWhole(t *testing.T) {
	good := decided("/p", "fs", "1", Allow)
	for what, change := range map[string]func(*Entry){
		"no project":       func(e *Entry) { e.Project = "" },
		"no server":        func(e *Entry) { e.Server = "" },
		"no hash":          func(e *Entry) { e.Hash = "" },
		"no decision":      func(e *Entry) { e.Decision = "" },
		"another decision": func(e *Entry) { e.Decision = "later" },
		"not UTF-8":        func(e *Entry) { e.Project = "/p\xff" },
		"very long":        func(e *Entry) { e.File = strings.Repeat("x", maxText) },
	} {
		s := store(t)
		bad := good
		change(&bad)
		if b, err := s.Record(t.Context(), good, bad); err == nil || len(b.Entries()) != 0 {
			t.Errorf("%s: %v, %v", what, b, err)
		}
		if b := load(t, s); len(b.Entries()) != 0 {
			t.Errorf("%s: one was recorded", what)
		}
	}
}

func TestALargeFileIsNotRead(t *testing.T) {
	s := store(t)
	place(t, s, strings.Repeat(" ", maxFile+1))
	if _, err := s.Load(t.Context()); !errors.Is(err, errTooLarge) {
		t.Error(err)
	}
	if _, err := s.Record(t.Context(), decided("/p", "fs", "1", Allow)); !errors.Is(err, errTooLarge) {
		t.Error(err)
	}
	place(t, s, strings.Repeat(" ", maxFile))
	load(t, s)
}

func TestADirectoryInItsPlaceIsAnError(t *testing.T) {
	s := store(t)
	if err := os.MkdirAll(s.path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(t.Context()); !errors.Is(err, errNotRegular) {
		t.Error(err)
	}
	if _, err := s.Record(t.Context(), decided("/p", "fs", "1", Allow)); !errors.Is(err, errNotRegular) {
		t.Error(err)
	}
	under := Open(filepath.Join(s.path, "file", "trust.json"))
	if err := os.WriteFile(filepath.Join(s.path, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := under.Record(t.Context(), decided("/p", "fs", "1", Allow)); err == nil {
		t.Error("recorded in a file")
	}
}

func TestAKilledWritersFileIsInNobodysWay(t *testing.T) {
	s := store(t)
	place(t, s, "")
	if err := os.WriteFile(s.path+".tmp", []byte("half"), 0o400); err != nil {
		t.Fatal(err)
	}
	mustRecord(t, s, decided("/p", "fs", "1", Allow))
	if got := disktest.Names(t, filepath.Dir(s.path)); len(got) != 2 {
		t.Error(got)
	}
}

func TestWaitingForTheLockHasAnEnd(t *testing.T) {
	dir := t.TempDir()
	held := flock.New(filepath.Join(dir, "trust.json.lock"))
	if ok, err := held.TryLock(); !ok || err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	synctest.Test(t, func(t *testing.T) {
		s := Open(filepath.Join(dir, "trust.json"))
		start := time.Now()
		if _, err := s.Record(t.Context(), decided("/p", "fs", "1", Allow)); err == nil || !strings.Contains(err.Error(), "another mcp-sidecar has held this lock for 5s") {
			t.Error(err)
		}
		if took := time.Since(start); took != lockLimit {
			t.Errorf("after %v", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Record(ctx, decided("/p", "fs", "1", Allow)); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if took := time.Since(start); took != lockLimit+time.Second {
			t.Errorf("after %v", took)
		}
		if b := load(t, s); len(b.Entries()) != 0 {
			t.Error("recorded all the same")
		}
		// A reader needs no lock, and whoever waits gets it.
		ended := make(chan error, 1)
		go func() {
			_, err := s.Record(t.Context(), decided("/p", "fs", "1", Allow))
			ended <- err
		}()
		time.Sleep(time.Second) // fake
		if err := held.Unlock(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
