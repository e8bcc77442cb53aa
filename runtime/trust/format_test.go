package trust

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/disktest"
)

func TestTheFileIsForPeople(t *testing.T) {
	s := store(t)
	e := decided("/home/u/<p> & q", "fs", "sha256:00", Allow)
	e.Time = noon().Add(123 * time.Millisecond).In(time.FixedZone("", 3600))
	mustRecord(t, s, e, Entry{Project: "/q", Server: "db", Hash: "x", Decision: Deny})
	want := `{
  "version": 1,
  "decisions": [
    {
      "project": "/home/u/<p> & q",
      "server": "fs",
      "hash": "sha256:00",
      "decision": "allow",
      "file": "/home/u/<p> & q/.mcp.json",
      "time": "2026-05-04T12:00:00Z"
    },
    {
      "project": "/q",
      "server": "db",
      "hash": "x",
      "decision": "deny"
    }
  ]
}
`
	if diff := cmp.Diff(want, text(t, s.path)); diff != "" {
		t.Error(diff)
	}
}

func TestTheFileHasABound(t *testing.T) {
	var rows []row
	for i := range maxRows {
		rows = append(rows, row{Project: fmt.Sprint("/p", i), Server: "s", Hash: "h", Decision: Allow})
	}
	rows = record(rows, []Entry{decided("/new", "s", "h", Allow), decided("/new", "s", "i", Allow)})
	if len(rows) != maxRows || rows[0].Project != "/p2" || rows[maxRows-1].Hash != "i" {
		t.Errorf("%d rows, from %s to %s", len(rows), rows[0].Project, rows[len(rows)-1].Hash)
	}
	rows = rows[maxRows-600:]
	const limit = 32 << 10 // a third of what they take
	data, kept, err := encode(document{Version: version, Decisions: rows}, limit)
	if err != nil || len(data) > limit || len(data) < limit*8/10 || kept[len(kept)-1].Hash != "i" {
		t.Errorf("%d bytes, %d rows, %v", len(data), len(kept), err)
	}
	if doc, err := decode(data); err != nil || len(doc.Decisions) != len(kept) {
		t.Errorf("%d rows, %v", len(doc.Decisions), err)
	}
	if _, _, err := encode(document{Others: []byte(`{"x":"` + strings.Repeat("x", limit) + `"}`)}, limit); !errors.Is(err, errTooLarge) {
		t.Error(err)
	}
}

const extended = `{
  "version": 1,
  "decisions": [
    {
      "project": "/p",
      "server": "fs",
      "hash": "1",
      "decision": "allow",
      "time": "2026-05-04T12:00:00Z",
      "until": "tomorrow"
    },
    {
      "project": "/p",
      "server": "fs",
      "hash": "2",
      "decision": "perhaps"
    }
  ],
  "comment": [
    1,
    2
  ]
}
`

func TestWhatALaterVersionHasAddedIsKept(t *testing.T) {
	s := store(t)
	place(t, s, extended)
	if b := load(t, s); len(b.Entries()) != 1 {
		t.Error("an unknown decision counts", b.Entries())
	}
	mustRecord(t, s, decided("/q", "x", "y", Allow))
	if _, _, err := s.Revoke(t.Context(), "/q", "", ""); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(extended, text(t, s.path)); diff != "" {
		t.Error(diff)
	}
	mustRecord(t, s, decided("/p", "fs", "1", Deny))
	if now := text(t, s.path); !strings.Contains(now, `"until": "tomorrow"`) || !strings.Contains(now, `"perhaps"`) {
		t.Error(now)
	}
}

func TestALaterFormatIsNotTouched(t *testing.T) {
	s := store(t)
	later := `{"version": 2, "decisions": {"/p": "allow"}}`
	place(t, s, later)
	if b, err := s.Load(t.Context()); err == nil || len(b.Entries()) != 0 || !strings.Contains(err.Error(), "update mcp-sidecar") {
		t.Error(b, err)
	}
	if _, err := s.Record(t.Context(), decided("/p", "fs", "1", Allow)); err == nil {
		t.Error("recorded")
	}
	if _, _, err := s.Revoke(t.Context(), "/p", "", ""); err == nil {
		t.Error("revoked")
	}
	if text(t, s.path) != later {
		t.Error("it has changed")
	}
}

// broken are files that no version has written.
func broken() map[string]string {
	return map[string]string{
		"no JSON":         "trust me",
		"half of it":      extended[:100],
		"null":            "null",
		"a list":          "[]",
		"no version":      `{"decisions": []}`,
		"version 0":       `{"version": 0}`,
		"a string":        `{"version": "1"}`,
		"no list":         `{"version": 1, "decisions": {}}`,
		"a bad entry":     `{"version": 1, "decisions": [{"project": "/p", "server": "fs", "hash": "1", "decision": "allow"}, 7]}`,
		"a bad time":      `{"version": 1, "decisions": [{"project": "/p", "server": "fs", "hash": "1", "decision": "allow", "time": "noon"}]}`,
		"a member twice":  `{"version": 1, "decisions": [], "decisions": []}`,
		"something after": extended + "{}",
		"not UTF-8":       strings.Replace(extended, "/p", "/\xff", 1),
		"zeros":           strings.Repeat("\x00", 100),
	}
}

func TestABrokenFileTrustsNothingAndIsNotLost(t *testing.T) {
	for what, before := range broken() {
		t.Run(what, func(t *testing.T) {
			s := store(t)
			place(t, s, before)
			b, err := s.Load(t.Context())
			if err == nil || len(b.Entries()) != 0 {
				t.Fatal(b, err)
			}
			for _, word := range []string{s.path, "correct it or remove it", "no server from a project file is trusted"} {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("no %q in: %v", word, err)
				}
			}
			if _, _, err := s.Revoke(t.Context(), "/p", "", ""); err == nil || text(t, s.path) != before {
				t.Error("revoked", err)
			}
			b = mustRecord(t, s, decided("/p", "fs", "9", Allow))
			if b.Aside() == "" || text(t, b.Aside()) != before {
				t.Error("it is lost", b.Aside())
			}
			if got := load(t, s).Entries(); len(got) != 1 || got[0].Hash != "9" {
				t.Error(got)
			}
			// A second one does not take the name of the first.
			place(t, s, "again")
			b = mustRecord(t, s, decided("/p", "fs", "9", Allow))
			if text(t, b.Aside()) != "again" || len(disktest.Names(t, filepath.Dir(s.path))) != 4 {
				t.Error(disktest.Names(t, filepath.Dir(s.path)))
			}
			if b = mustRecord(t, s, decided("/p", "fs", "9", Allow)); b.Aside() != "" {
				t.Error("moved once more", b.Aside())
			}
		})
	}
}

func TestOfTwoDecisionsAboutTheSameDenyCounts(t *testing.T) {
	one := `{"project": "/p", "server": "fs", "hash": "1", "decision": "%s"}`
	for _, order := range [][]any{{Allow, Deny}, {Deny, Allow}} {
		s := store(t)
		place(t, s, fmt.Sprintf(`{"version": 1, "decisions": [`+one+`, `+one+`]}`, order...))
		for what, b := range map[string]Book{"loaded": load(t, s), "recorded": mustRecord(t, s, decided("/p", "db", "1", Allow))} {
			if d, _ := b.Decision("/p", "fs", "1"); d != Deny {
				t.Errorf("%s: %s", what, d)
			}
		}
	}
}

// FuzzDecode reads files as they may be found: what was understood is written
// so that it is understood as the same.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(extended))
	for _, text := range broken() {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := decode(data)
		if err != nil {
			if len(doc.Decisions) > 0 {
				t.Error("decisions and an error")
			}
			return
		}
		again, kept, err := encode(doc, 2*maxFile)
		if err != nil || len(kept) != len(doc.Decisions) {
			t.Fatal(err)
		}
		back, err := decode(again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(newBook(doc.Decisions).entries, newBook(back.Decisions).entries); diff != "" {
			t.Error(diff)
		}
	})
}
