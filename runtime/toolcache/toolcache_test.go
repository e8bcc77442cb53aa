package toolcache

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/disktest"
)

const month = 30 * 24 * time.Hour

func noon() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 123456789, time.UTC) }

// logged is what a cache wrote to its log.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) expect(t *testing.T, lines int, words ...string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.b.String()
	if n := strings.Count(text, "\n"); n != lines {
		t.Errorf("%d lines, want %d: %s", n, lines, text)
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in: %s", w, text)
		}
	}
}

func open(dir string) (*Cache, *logged) {
	l := &logged{}
	return Open(dir, slog.New(slog.NewTextHandler(l, nil))), l
}

func list() List {
	return List{
		Tools: []json.RawMessage{
			json.RawMessage("{ \"name\" : \"a\",\r\n\t\"n\":12345678901234567890.0,\"x\":\"\u00e9\\u00e9\" }"),
			json.RawMessage(`{"name":"b"}`),
		},
		ServerInfo:      json.RawMessage(`{"name": "s" }`),
		ProtocolVersion: "2025-11-25", Era: "2025-11-25", Instructions: "be\nkind \x00 <b>",
		Time: noon(),
	}
}

// sameBytes compares raw values as what they are; nil is not empty.
func sameBytes() cmp.Option {
	return cmp.Comparer(func(a, b json.RawMessage) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) })
}

func TestARoundTripChangesNoByte(t *testing.T) {
	for _, tc := range []struct {
		what string
		list List
	}{
		{"everything", list()},
		{"nothing", List{Time: noon(), Tools: []json.RawMessage{}}},
		{"no server info", List{Time: noon(), Tools: list().Tools}},
		{"line breaks around", List{Time: noon(), Tools: []json.RawMessage{json.RawMessage("\n\n{}\n"), json.RawMessage("  null ")}}},
		{"not UTF-8", List{Time: noon(), Tools: []json.RawMessage{json.RawMessage("\"\xff\xfe\"")}}},
		{"twice a member", List{Time: noon(), Tools: []json.RawMessage{json.RawMessage(`{"a":1,"a":2}`)}}},
		{"2 MB", List{Time: noon(), Tools: []json.RawMessage{json.RawMessage(`"` + strings.Repeat("x", 2<<20) + `"`)}}},
	} {
		t.Run(tc.what, func(t *testing.T) {
			c, log := open(filepath.Join(t.TempDir(), "deep", "er"))
			key := NewKey("s", "identity")
			if err := c.Save(key, tc.list); err != nil {
				t.Fatal(err)
			}
			got, ok := c.Load(key, month, noon())
			if !ok {
				t.Fatal("a miss")
			}
			if diff := cmp.Diff(tc.list, got, sameBytes()); diff != "" {
				t.Error(diff)
			}
			log.expect(t, 0)
		})
	}
}

func TestKeysTellIdentitiesApart(t *testing.T) {
	keys := map[Key]bool{}
	for _, parts := range [][]string{nil, {""}, {"", ""}, {"a", "b"}, {"ab"}, {"ab", ""}, {"", "ab"}, {"b", "a"}} {
		k := NewKey(parts...)
		if keys[k] || !k.valid() {
			t.Errorf("%q: %s", parts, k)
		}
		keys[k] = true
	}
	if first, again := NewKey("a", "b"), NewKey("a", "b"); first != again {
		t.Error("a key is not always the same")
	}
}

func TestAgeDecides(t *testing.T) {
	c, log := open(t.TempDir())
	key := NewKey("s")
	if _, ok := c.Load(key, month, noon()); ok {
		t.Error("a hit before the first save")
	}
	log.expect(t, 0)
	if err := c.Save(key, list()); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		maxAge, age time.Duration
		hit         bool
	}{
		{month, 0, true},
		{month, month - 1, true},
		{month, -time.Hour, true},
		{month, month, false},
		{0, 0, false},
		{-1, 0, false},
		{month, -25 * time.Hour, false},
	} {
		if _, ok := c.Load(key, tc.maxAge, noon().Add(tc.age)); ok != tc.hit {
			t.Errorf("age %v, limit %v: hit %v", tc.age, tc.maxAge, ok)
		}
	}
	log.expect(t, 1, "INFO", "too old")
}

func TestDropForgets(t *testing.T) {
	c, log := open(t.TempDir())
	key, other := NewKey("s"), NewKey("t")
	for _, k := range []Key{key, other} {
		if err := c.Save(k, list()); err != nil {
			t.Fatal(err)
		}
	}
	c.Drop(key)
	c.Drop(key)
	if _, ok := c.Load(key, month, noon()); ok {
		t.Error("still there")
	}
	if _, ok := c.Load(other, month, noon()); !ok {
		t.Error("the other one is gone")
	}
	log.expect(t, 0)
}

func TestWhatIsNoKeyReachesNoFile(t *testing.T) {
	dir := t.TempDir()
	c, _ := open(filepath.Join(dir, "cache"))
	victim := filepath.Join(dir, "victim"+extension)
	if err := os.WriteFile(victim, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, key := range []Key{"", "../victim", Key(victim), Key(strings.ToUpper(string(NewKey()))), NewKey() + "0"} {
		if err := c.Save(key, list()); !errors.Is(err, errNoKey) {
			t.Errorf("Save(%q): %v", key, err)
		}
		if _, ok := c.Load(key, month, noon()); ok {
			t.Errorf("Load(%q) is a hit", key)
		}
		c.Drop(key)
	}
	if info, err := os.Stat(victim); err != nil || info.Size() != 0 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestFilesThatCannotBeUsedAreAMissAndOneLine(t *testing.T) {
	good, err := encode(list())
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)-3] ^= 1
	for _, tc := range []struct {
		what, level, word string
		data              []byte
	}{
		{"empty", "INFO", "not a tool cache", nil},
		{"foreign", "INFO", "not a tool cache", []byte(`{"tools":[]}`)},
		{"another version", "INFO", "not a tool cache", bytes.Replace(good, []byte("tools 1 "), []byte("tools 2 "), 1)},
		{"only the start", "WARN", "checksum", good[:40]},
		{"truncated", "WARN", "checksum", good[:len(good)-1]},
		{"longer", "WARN", "checksum", append(bytes.Clone(good), '\n')},
		{"one bit", "WARN", "checksum", flipped},
		{"huge", "WARN", "larger", make([]byte, maxFile+1)},
	} {
		t.Run(tc.what, func(t *testing.T) {
			c, log := open(t.TempDir())
			key := NewKey("s")
			if err := os.WriteFile(c.path(key), tc.data, 0o600); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if got, ok := c.Load(key, month, noon()); ok || got.Tools != nil {
					t.Errorf("a hit: %v", got)
				}
			}
			log.expect(t, 1, tc.level, tc.word)
			if err := c.Save(key, list()); err != nil {
				t.Error(err)
			}
			if _, ok := c.Load(key, month, noon()); !ok {
				t.Error("a miss after saving")
			}
		})
	}
}

func TestAListTooLargeIsNotKept(t *testing.T) {
	c, log := open(t.TempDir())
	key := NewKey("s")
	if err := c.Save(key, list()); err != nil {
		t.Fatal(err)
	}
	huge := list()
	huge.Tools = append(huge.Tools, json.RawMessage(`"`+strings.Repeat("x", maxFile)+`"`))
	if err := c.Save(key, huge); !errors.Is(err, errTooLarge) {
		t.Errorf("got %v", err)
	}
	if _, ok := c.Load(key, month, noon()); ok {
		t.Error("the list before is still offered")
	}
	log.expect(t, 1, "larger")
}

func TestADirectoryThatCannotBeMadeIsOneWarning(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, log := open(filepath.Join(file, "cache"))
	for _, k := range []Key{NewKey("a"), NewKey("b"), NewKey("c")} {
		if c.Save(k, list()) == nil {
			t.Error("saved into a file")
		}
	}
	log.expect(t, 1, "tools are not cached")
}

func TestADirectoryInPlaceOfAFileIsAMiss(t *testing.T) {
	c, log := open(t.TempDir())
	key := NewKey("s")
	if err := os.MkdirAll(filepath.Join(c.path(key), "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Load(key, month, noon()); ok {
		t.Error("a hit")
	}
	if c.Save(key, list()) == nil {
		t.Error("saved over a directory")
	}
	log.expect(t, 2, "not a regular file", "tools are not cached")
	if left := disktest.Names(t, c.dir); len(left) != 1 {
		t.Errorf("left behind: %q", left)
	}
}

func TestSweepTakesOnlyWhatIsOldAndOurs(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	key := func(s string) string { return string(NewKey(s)) }
	for name, age := range map[string]time.Duration{
		key("fresh") + extension:                        0,
		key("old") + extension:                          2*month - time.Hour,
		key("older") + extension:                        2*month + time.Hour,
		key("writing") + extension + ".123" + temporary: time.Minute,
		key("killed") + extension + ".123" + temporary:  2 * time.Hour,
		"notes.txt":                                              10 * month,
		"x" + extension:                                          10 * month,
		key("backup") + extension + ".bak":                       10 * month,
		strings.ToUpper(key("upper")) + extension:                10 * month,
		key("another program's") + ".json":                       10 * month,
		key("longer") + key("longer") + extension + temporary:    10 * month,
		key("no dot") + extension + "123" + temporary:            10 * month,
		strings.Repeat("g", 64) + extension:                      10 * month,
		strings.Repeat("0", 64) + extension + ".bak" + ".config": 10 * month,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	before := disktest.Names(t, dir)
	c, _ := open(dir)
	c.Sweep(0, now)
	if after := disktest.Names(t, dir); len(after) != len(before) {
		t.Errorf("without an age %d of %d stay", len(after), len(before))
	}
	c.Sweep(month, now)
	after := strings.Join(disktest.Names(t, dir), "\n")
	for _, name := range before {
		gone := name == key("older")+extension || name == key("killed")+extension+".123"+temporary
		if strings.Contains(after, name) == gone {
			t.Errorf("%s: gone %v", name, !gone)
		}
	}
	c.Sweep(time.Nanosecond, now.Add(10*month))
	if again := strings.Join(disktest.Names(t, dir), "\n"); again != after {
		t.Error("swept twice")
	}
	missing, log := open(filepath.Join(dir, "missing"))
	missing.Sweep(month, now)
	log.expect(t, 0)
}

func TestASilentCacheNeedsNoLog(t *testing.T) {
	c := Open(filepath.Join(t.TempDir(), "x"), nil)
	if _, ok := c.Load("bad", month, noon()); ok {
		t.Error("a hit")
	}
}

// FuzzLoad reads files as they may be found, and bodies with a checksum that
// holds.
func FuzzLoad(f *testing.F) {
	good, err := encode(list())
	if err != nil {
		f.Fatal(err)
	}
	body := good[bytes.IndexByte(good, '\n')+1:]
	f.Add(good)
	f.Add(body)
	f.Add([]byte("{\"tools\":[2,-1,9223372036854775807]}\n{}"))
	f.Add([]byte("{\"time\":\"2026-05-04T12:00:00Z\",\"serverInfo\":0,\"tools\":null}\n"))
	f.Add([]byte(signature))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := decode(data); err == nil && !bytes.HasPrefix(data, []byte(signature)) {
			t.Error("read a file of another kind")
		}
		got, err := decodeBody(data)
		if err != nil {
			return
		}
		for _, raw := range append(got.Tools, got.ServerInfo) {
			if raw != nil && len(bytes.TrimSpace(raw)) == 0 {
				t.Errorf("%q is no JSON value", raw)
			}
		}
		again, err := encode(got)
		if err != nil {
			t.Fatal(err)
		}
		back, err := decode(again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, back, sameBytes()); diff != "" {
			t.Error(diff)
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	c := Open(b.TempDir(), nil)
	l := list()
	for range 100 {
		l.Tools = append(l.Tools, json.RawMessage(`{"name":"x","description":"`+strings.Repeat("word ", 100)+`","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`))
	}
	key := NewKey("s")
	if err := c.Save(key, l); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, ok := c.Load(key, month, noon()); !ok {
			b.Fatal("a miss")
		}
	}
}
