// Package toolcache remembers the tool lists of servers between sessions, one
// file a server, so that they can be offered before the server has started.
// Everything here is best effort: a miss is never an error.
//
// A disk that does not answer, such as a network drive that is gone, is waited
// for diskLimit at most, and not again until it has answered; what was asked of it
// then may still happen.
//
// Many sidecars share one directory. A file appears by rename, complete, and
// the last writer wins; nobody locks. A file is trusted only if its checksum
// holds. No secrets are in it: what makes up a server's identity is only in the
// key, which is a hash.
package toolcache

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/natefinch/atomic"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/timely"
)

const (
	// maxFile is the most bytes of one file, read or written. It is more than
	// any server's list should be, and little enough to read at every start.
	maxFile = 16 << 20
	// maxAhead is how far in the future a list may have been made: clocks are
	// set back, and a list must not live until they have caught up.
	maxAhead = 24 * time.Hour
	// abandoned is the age at which a temporary file has lost its writer.
	abandoned = time.Hour
	// diskLimit is the longest that one operation waits for the disk: tools that
	// are not there in time would come sooner from their server.
	diskLimit = 2 * time.Second
	// maxSwept is how many directory entries one sweep looks at.
	maxSwept = 4096

	extension = ".tools"
	temporary = ".tmp"
)

// Key names a server's identity: SHA-256, in hex. It is made by NewKey.
type Key string

// NewKey hashes what makes up a server's identity. The borders between parts
// count.
func NewKey(parts ...string) Key {
	var b []byte
	for _, p := range parts {
		b = append(binary.AppendUvarint(b, uint64(len(p))), p...)
	}
	sum := sha256.Sum256(b)
	return Key(hex.EncodeToString(sum[:]))
}

// valid says whether k was made by NewKey, and so is fit for a file name.
func (k Key) valid() bool {
	if len(k) != hex.EncodedLen(sha256.Size) {
		return false
	}
	for _, c := range []byte(k) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// List is what is remembered of one server.
type List struct {
	Tools           []json.RawMessage // definitions, byte for byte, in the server's order
	ServerInfo      json.RawMessage   // or nil
	ProtocolVersion string
	Era             string
	Instructions    string
	Time            time.Time // when the server listed them
}

// Cache is one directory of lists. All methods may be called concurrently, by
// any number of processes. The zero value is not usable: see Open.
type Cache struct {
	dir   string
	log   *slog.Logger
	swept sync.Once

	mu   sync.Mutex
	told map[string]bool // guarded by mu; what the log has been told of
	// hanging is closed when the operation has ended that was last given up. nil:
	// none was. Guarded by mu.
	hanging <-chan struct{}
}

// Open uses dir, which Save makes when it is needed. It touches no disk. A nil
// log is silent.
func Open(dir string, log *slog.Logger) *Cache {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Cache{dir: dir, log: log, told: make(map[string]bool)}
}

var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = fmt.Errorf("larger than %d bytes", maxFile)
	errTooOld     = errors.New("too old")
	errFuture     = errors.New("from the future")
	errNoKey      = errors.New("not a key made by NewKey")
	errSilent     = fmt.Errorf("no answer from the disk within %v", diskLimit)
)

// onDisk does what takes the disk. With errSilent it has been given up, and may
// still happen.
func (c *Cache) onDisk(f func() error) error {
	if c.silent() {
		return errSilent
	}
	err := inTime(f)
	var left *timely.LeftError
	if errors.As(err, &left) {
		c.mu.Lock()
		c.hanging = left.Ended
		c.mu.Unlock()
	}
	return err
}

// inTime gives f's error, or errSilent if f takes too long.
func inTime(f func() error) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), diskLimit, errSilent)
	defer cancel()
	return timely.Run(ctx, f)
}

// silent says whether the disk has yet to answer something that was given up.
func (c *Cache) silent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.hanging: // a nil channel is never ready
		c.hanging = nil
	default:
	}
	return c.hanging != nil
}

// Load is the list saved under key, if there is one no older than maxAge. A
// file that cannot be used is a miss, and a warning in the log.
func (c *Cache) Load(key Key, maxAge time.Duration, now time.Time) (List, bool) {
	list, err := c.load(key)
	if err == nil {
		switch age := now.Sub(list.Time); {
		case age >= maxAge:
			err = errTooOld
		case age < -maxAhead:
			err = errFuture
		default:
			return list, true
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // Save says it, once
	case errors.Is(err, errTooOld), errors.Is(err, errForeign): // as it goes, with time and new versions
		c.logOnce(slog.LevelInfo, "load "+string(key), "cached tools are not used", c.path(key), err)
	default:
		c.logOnce(slog.LevelWarn, "load "+string(key), "cached tools are not used", c.path(key), err)
	}
	return List{}, false
}

func (c *Cache) load(key Key) (List, error) {
	if !key.valid() {
		return List{}, errNoKey
	}
	var read []byte
	err := c.onDisk(func() (err error) {
		read, err = readRegular(c.path(key))
		return err
	})
	if err != nil {
		return List{}, err // read may still be written
	}
	return decode(read)
}

// readRegular reads a file of at most maxFile bytes, and waits for nobody: a
// FIFO or a device is refused.
func readRegular(path string) ([]byte, error) {
	// Opening a device may do something, so look first; what is opened after
	// all may have come in between, so look again.
	if info, err := os.Lstat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openWithoutWaiting, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it is only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	case info.Size() > maxFile:
		return nil, errTooLarge
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data[:n], nil // one that became shorter fails its checksum
}

// Save replaces the list under key. What goes wrong is also a warning in the
// log, once, so a caller may ignore the error.
func (c *Cache) Save(key Key, list List) error {
	err := c.save(key, list)
	if err != nil {
		err = fmt.Errorf("save the tool cache: %w", err)
		c.logOnce(slog.LevelWarn, "save", "tools are not cached", c.path(key), err)
	}
	return err
}

func (c *Cache) save(key Key, list List) error {
	if !key.valid() {
		return errNoKey
	}
	data, err := encode(list)
	if err == nil && len(data) > maxFile {
		err = errTooLarge
	}
	if err != nil {
		c.Drop(key) // rather none than one that is out of date
		return err
	}
	return c.onDisk(func() error {
		if err := os.MkdirAll(c.dir, 0o700); err != nil {
			return err
		}
		return replace(c.path(key), data)
	})
}

// replace writes data beside path and renames it into place. The file is not
// flushed to the disk: after a crash its checksum tells whether it is whole.
func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*"+temporary) // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = atomic.ReplaceFile(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Drop forgets the list under key.
func (c *Cache) Drop(key Key) {
	if !key.valid() {
		return
	}
	err := c.onDisk(func() error { return os.Remove(c.path(key)) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.logOnce(slog.LevelWarn, "drop "+string(key), "cached tools could not be forgotten", c.path(key), err)
	}
}

// path is where key's list is, relative to nothing a key can change.
func (c *Cache) path(key Key) string {
	return filepath.Join(c.dir, filepath.Base(string(key))+extension)
}

// Sweep removes lists that have not been saved for twice maxAge, and what
// writers that were killed have left behind. It works once, the first time it
// is called; nothing depends on it.
func (c *Cache) Sweep(maxAge time.Duration, now time.Time) {
	if maxAge <= 0 {
		return // then nothing is used here, but other sidecars may use it
	}
	c.swept.Do(func() {
		if c.silent() {
			return
		}
		// There may be much to look at, so that a long time says nothing about the
		// disk: it goes on, and nobody waits.
		_ = inTime(func() error {
			c.sweep(maxAge, now)
			return nil
		})
	})
}

func (c *Cache) sweep(maxAge time.Duration, now time.Time) {
	d, err := os.Open(c.dir)
	if err != nil {
		return
	}
	defer func() { _ = d.Close() }() // it is only read
	entries, err := d.ReadDir(maxSwept)
	if err != nil {
		return
	}
	for _, e := range entries {
		limit := 2 * maxAge
		key, isTemporary, ok := fileKind(e.Name())
		if isTemporary {
			limit = abandoned
		}
		if !ok || !key.valid() || !e.Type().IsRegular() {
			continue // not one of ours
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > limit {
			_ = os.Remove(filepath.Join(c.dir, e.Name())) // if not now, then by the next session
		}
	}
}

// fileKind takes apart the names that path and replace make.
func fileKind(name string) (key Key, isTemporary, ok bool) {
	stem, rest, ok := strings.Cut(name, extension)
	isTemporary = strings.HasPrefix(rest, ".") && strings.HasSuffix(rest, temporary)
	return Key(stem), isTemporary, ok && (rest == "" || isTemporary)
}

// logOnce logs, the first time for what.
func (c *Cache) logOnce(level slog.Level, what, message, path string, err error) {
	if errors.Is(err, errSilent) {
		what = "silent" // for all files of all servers
	}
	c.mu.Lock()
	told := c.told[what]
	c.told[what] = true
	c.mu.Unlock()
	if !told {
		c.log.Log(context.Background(), level, message, "path", path, "error", err)
	}
}
