package trust

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/natefinch/atomic"
)

var (
	errTooLarge   = fmt.Errorf("it is larger than %d MiB: move it away", maxFile>>20)
	errNotRegular = errors.New("it is not a regular file: move it away")
)

// maxLinks is how many symbolic links may lead from one to the next.
const maxLinks = 32

// read gives what is in the file, if it can be believed, and where that is: at
// the Store's path or where a link there leads. A file that is not there is an
// empty document.
func (s *Store) read() (path string, doc document, err error) {
	path, err = follow(s.path)
	var data []byte
	if err == nil {
		data, err = contents(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, document{Version: version}, nil
	case err != nil:
		return path, document{}, fmt.Errorf("%w; until then no server from a project file is trusted", err)
	}
	doc, err = decode(data)
	if errors.Is(err, errBroken) {
		err = fmt.Errorf("%w: correct it or remove it; until then no server from a project file is trusted", err)
	}
	return path, doc, err
}

// follow is where the file at path is, or would be made: path itself or, if it
// is a symbolic link, what it points to, whether that is there or not.
func follow(path string) (string, error) {
	for range maxLinks {
		// Whoever can write into the directory can replace the link or the file.
		dir, err := os.Stat(filepath.Dir(path))
		if err == nil {
			err = checkDirectory(dir)
		}
		if err != nil {
			return path, err
		}
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, err
		}
		to, err := os.Readlink(path)
		if err != nil {
			return path, err
		}
		if !filepath.IsAbs(to) {
			// A link is relative to where its directory really is.
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return path, err
			}
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return path, errors.New("too many symbolic links lead on from it: remove them")
}

// contents reads the file at path, which is no link.
func contents(path string) ([]byte, error) {
	// Opening a device can do things, so look first; look again at what was
	// opened, which may have come in between.
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := openNow(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	if err := checkFile(info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errTooLarge
	}
	return data, err
}

// update reads, edits and replaces the file, under the lock. It writes nothing
// if edit says that it has changed nothing. With aside it first moves away a
// file that cannot be understood.
func (s *Store) update(ctx context.Context, aside bool, edit func([]row) (rows []row, changed bool)) (Book, error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return Book{}, err
	}
	unlock, err := lock(ctx, s.path+".lock")
	if err != nil {
		return Book{}, err
	}
	defer unlock()
	path, doc, err := s.read()
	var moved string
	if aside && errors.Is(err, errBroken) {
		doc = document{Version: version}
		moved, err = moveAside(path)
	}
	if err != nil {
		return Book{}, err
	}
	rows, changed := edit(doc.Decisions)
	if changed {
		doc.Decisions = rows
		var data []byte
		if data, rows, err = encode(doc, maxFile); err == nil {
			err = replace(ctx, path, data)
		}
		if err != nil {
			return Book{}, err
		}
	}
	book := newBook(rows)
	book.aside = moved
	return book, nil
}

// moveAside renames the file at path to a name that is free.
func moveAside(path string) (string, error) {
	name := path + ".broken-" + time.Now().UTC().Format("20060102T150405Z")
	to := name
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); err != nil {
			return to, os.Rename(path, to)
		}
		to = name + "." + strconv.Itoa(n)
	}
}

// replace puts data in the place of the file at path, as one for its owner
// only. It is flushed to the disk before: a decision must not be lost.
func replace(ctx context.Context, path string, data []byte) error {
	// The directory is another one if the file is a link.
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	// The lock makes this name ours; what is there is of a writer that was killed.
	temporary := path + ".tmp"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := write(temporary, data)
	for err == nil {
		if err = atomic.ReplaceFile(temporary, path); err == nil || !busy(err) {
			break
		}
		// Somebody is reading the file, which takes a moment.
		select {
		case <-ctx.Done():
		case <-time.After(retryDelay):
			err = nil
		}
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return nil
}

func write(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
