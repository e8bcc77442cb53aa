// Package trust remembers what the user has decided about servers that come
// from files inside a project, which somebody else may have written: one JSON
// file for all projects, that a person can read.
//
//	Record, Revoke ─ lock ─▶ read ─▶ edit (pure) ─▶ temporary file ─ rename ─▶ trust.json
//	Load ──────────────────▶ read ─▶ Book
//
// A decision is about a project directory, the name of a server in it and the
// hash of its entry as written, all of which the caller gives. The same name
// with another hash is not decided: a changed entry is asked about again. The
// hashes that were decided before stay, the newest few of a server, so that
// changing back and forth between two branches asks once for each.
//
// Promises. Whatever many processes record at once is all there afterwards. The
// file is replaced as a whole or not at all, and what a later version has added
// to it is kept. Only a file that belongs to this user and that nobody else can
// write is believed; one that is broken, or anybody's, trusts nothing, and the
// error says what to do. A file that cannot be understood is never overwritten:
// Record moves it aside first. If the file is a symbolic link, it stays one, and
// what it points to is replaced.
//
// Absences. No value of an entry is in the file but the names above, and the
// entry's hash. Nothing is watched: a Book is as of its reading. Projects are
// compared as the strings they are; making one spelling of a directory out of
// many is the caller's business. Two paths that lead to one file through links
// do not share a lock. On Windows the access lists of the user's profile decide
// who can write; they are not looked at.
package trust

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/timely"
)

// Decision is what the user said.
type Decision string

// The decisions there are. One that this version does not know counts as none.
const (
	Allow Decision = "allow"
	Deny  Decision = "deny"
)

// Entry is one decision.
type Entry struct {
	Project  string // the project's directory
	Server   string // the server's name in it
	Hash     string // of the entry as written
	Decision Decision
	File     string    // the configuration file, for people; may be empty
	Time     time.Time // of the decision, for people; kept in UTC, to the second
}

func (e *Entry) key() key { return key{e.Project, e.Server, e.Hash} }

// key is what a decision is about.
type key struct{ project, server, hash string }

// maxText bounds the strings of one entry together, in bytes.
const maxText = 32 << 10

// Check says why an entry cannot be remembered, whatever the file is like.
func (e *Entry) Check() error {
	switch {
	case e.Project == "", e.Server == "", e.Hash == "":
		return errors.New("project, server and hash must all be given")
	case e.Decision != Allow && e.Decision != Deny:
		return fmt.Errorf("the decision must be %q or %q", Allow, Deny)
	case len(e.Project)+len(e.Server)+len(e.Hash)+len(e.File) > maxText:
		return fmt.Errorf("its names are longer than %d bytes together", maxText)
	}
	for _, s := range []string{e.Project, e.Server, e.Hash, e.File} {
		// In JSON it would turn into another name.
		if !utf8.ValidString(s) {
			return errors.New("one of its names is not UTF-8")
		}
	}
	return nil
}

// Book is every decision as of one reading. It never changes; the zero Book has
// none.
type Book struct {
	entries []Entry // sorted
	byKey   map[key]Decision
	aside   string
}

// newBook takes the rows that this version understands. Of two about the same,
// which only an editor can have written, Deny counts.
func newBook(rows []row) Book {
	b := Book{byKey: make(map[key]Decision, len(rows))}
	for i := range rows {
		e := rows[i].entry()
		if e.Check() != nil {
			continue
		}
		b.entries = append(b.entries, e)
		if b.byKey[e.key()] != Deny {
			b.byKey[e.key()] = e.Decision
		}
	}
	slices.SortStableFunc(b.entries, func(x, y Entry) int {
		return cmp.Or(strings.Compare(x.Project, y.Project), strings.Compare(x.Server, y.Server), x.Time.Compare(y.Time))
	})
	return b
}

// Decision is what was decided about exactly this entry.
func (b Book) Decision(project, server, hash string) (Decision, bool) {
	d, ok := b.byKey[key{project, server, hash}]
	return d, ok
}

// Entries is every decision, sorted by project, server and time.
func (b Book) Entries() []Entry { return slices.Clone(b.entries) }

// Aside is where Record has moved a file that could not be understood, or "".
func (b Book) Aside() string { return b.aside }

// Store is one file. All methods may be called concurrently, by any number of
// processes. They end when ctx does, and after a limit: a read or write of the
// file system that hangs cannot be stopped, and its goroutine is left behind. What
// Record or Revoke were to do may then still happen.
type Store struct{ path string }

const (
	// loadLimit bounds Load, for which all servers wait when a session starts, as
	// they do for the files that define them. It is long for a file: without it
	// the user is asked again.
	loadLimit = 5 * time.Second
	// changeLimit bounds the other methods, waiting for the lock included.
	changeLimit = 10 * time.Second
)

// Open uses the file at path, which Record makes when it is needed, with its
// directory. It touches no disk.
func Open(path string) *Store { return &Store{path} }

// Path is where the decisions are.
func (s *Store) Path() string { return s.path }

// Load reads the decisions. A file or a directory that is not there has none.
// With an error the Book is empty.
func (s *Store) Load(ctx context.Context) (Book, error) {
	return s.await(ctx, loadLimit, func(context.Context) (Book, error) {
		_, doc, err := s.read()
		return newBook(doc.Decisions), err
	})
}

// Record remembers decisions, each in place of an earlier one about the same
// project, server and hash, and gives all that there are then. It is all of
// them or, with an error, none. A file that cannot be understood is moved aside
// before (Book.Aside); nothing is recorded in one that must not be believed,
// cannot be read or was written by a later version.
func (s *Store) Record(ctx context.Context, entries ...Entry) (Book, error) {
	return s.put(ctx, record, entries)
}

// RecordUndecided is Record, but what has been decided already stays: somebody
// else may have decided while the user was being asked.
func (s *Store) RecordUndecided(ctx context.Context, entries ...Entry) (Book, error) {
	return s.put(ctx, recordUndecided, entries)
}

func (s *Store) put(ctx context.Context, how func([]row, []Entry) []row, entries []Entry) (Book, error) {
	for i := range entries {
		if err := entries[i].Check(); err != nil {
			return Book{}, fmt.Errorf("record the decision about server %q: %w", entries[i].Server, err)
		}
	}
	entries = slices.Clone(entries) // the caller may use its own again
	return s.await(ctx, changeLimit, func(ctx context.Context) (Book, error) {
		return s.update(ctx, true, func(rows []row) ([]row, bool) {
			return how(rows, entries), len(entries) > 0
		})
	})
}

// Revoke forgets decisions about a project's server, so that the user is asked
// again: about one entry of it, or about all if hash is "", of all servers of
// the project if server is "" too. It gives what is left and what was
// forgotten. It changes no file that has no such decision.
func (s *Store) Revoke(ctx context.Context, project, server, hash string) (left Book, revoked []Entry, err error) {
	// What the goroutine finds goes over a channel: it may be left behind.
	found := make(chan []Entry, 1)
	left, err = s.await(ctx, changeLimit, func(ctx context.Context) (Book, error) {
		return s.update(ctx, false, func(rows []row) ([]row, bool) {
			rows, out := revoke(rows, key{project, server, hash})
			found <- out
			return rows, len(out) > 0
		})
	})
	if err != nil {
		return Book{}, nil, err
	}
	return left, <-found, nil
}

// await runs f and returns its outcome or, when ctx ends before or limit has
// passed, an error. The goroutine ends with f.
func (s *Store) await(ctx context.Context, limit time.Duration, f func(context.Context) (Book, error)) (Book, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer from the file system within %v", limit))
	defer cancel()
	book, err := timely.Do(ctx, func() (Book, error) { return f(ctx) })
	if err != nil {
		return Book{}, fmt.Errorf("trust file %s: %w", s.path, err)
	}
	return book, nil
}
