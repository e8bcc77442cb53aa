//go:build unix

package share

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/disktest"
)

// shortDir is a directory for places: what t.TempDir gives is too long for the
// path of a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "share") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// door is an Endpoint under test, with what it has logged.
type door struct {
	*Endpoint
	place string
	log   *journal
}

// journal keeps what is logged.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// openDoor opens a door and sees that it logs no secret.
func openDoor(t *testing.T, serve func(context.Context, *net.UnixConn)) door {
	t.Helper()
	return openIn(t, filepath.Join(shortDir(t), "door"), serve)
}

func openIn(t *testing.T, place string, serve func(context.Context, *net.UnixConn)) door {
	t.Helper()
	log := &journal{}
	e, err := Open(Options{Places: []string{place}, Serve: serve, Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Close()
		if strings.Contains(log.String(), e.Token()[:8]) {
			t.Errorf("the log has the token:\n%s", log)
		}
	})
	return door{e, place, log}
}

// echo says what it hears.
func echo(ctx context.Context, conn *net.UnixConn) {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	_, _ = io.Copy(conn, conn)
}

func nobodyComes(t *testing.T) func(context.Context, *net.UnixConn) {
	return func(context.Context, *net.UnixConn) { t.Error("Serve was called") }
}

// join is Dial with the invitation.
func (d door) join(t *testing.T) *net.UnixConn {
	t.Helper()
	conn, err := Dial(t.Context(), d.Invitation())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// knock connects and says nothing.
func (d door) knock(t *testing.T) *net.UnixConn {
	t.Helper()
	return connect(t, strings.TrimPrefix(d.String(), scheme))
}

func connect(t *testing.T, path string) *net.UnixConn {
	t.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func say(t *testing.T, conn *net.UnixConn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Error(err)
	}
}

// hears is what comes from a connection until it ends. Its end is a reset when not
// all was read that was said.
func hears(t *testing.T, conn *net.UnixConn) string {
	t.Helper()
	all, err := io.ReadAll(conn)
	if err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Error(err)
	}
	return string(all)
}

// mustEcho sees that a guest is served.
func mustEcho(t *testing.T, conn *net.UnixConn) {
	t.Helper()
	const text = "are you there?\n"
	say(t, conn, text)
	got := make([]byte, len(text))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != text {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAnEndpointThatIsPrintedShowsNoSecret(t *testing.T) {
	d := openDoor(t, echo)
	if d.Invitation() != d.String()+"#"+d.Token() || strings.Contains(d.String(), d.Token()) {
		t.Errorf("%s, %s", d.Endpoint, d.Invitation())
	}
	slog.New(slog.NewTextHandler(d.log, nil)).Info("shared", "endpoint", d.Endpoint) // the log is looked at in the end
}

func TestWhoHasTheInvitationIsLetInAndBytesPassBothWays(t *testing.T) {
	d := openDoor(t, echo)
	conn := d.join(t)
	mustEcho(t, conn)
	// More than any buffer has, and the end of what is said is not the end of what
	// is heard.
	text := strings.Repeat("0123456789abcdef", 1<<16)
	go func() {
		say(t, conn, text)
		_ = conn.CloseWrite()
	}()
	if got := hears(t, conn); got != text {
		t.Errorf("%d bytes of %d", len(got), len(text))
	}
}

func TestWhatFollowsTheGreetingIsServes(t *testing.T) {
	for what, size := range map[string]int{"in one write": 1000, "a byte at a time": 1, "in pieces": 20} {
		t.Run(what, func(t *testing.T) {
			d := openDoor(t, echo)
			conn := d.knock(t)
			for piece := range slices.Chunk([]byte(greeting+d.Token()+"\nfirst\n"), size) {
				say(t, conn, string(piece))
			}
			_ = conn.CloseWrite()
			if got := hears(t, conn); got != "welcome\nfirst\n" {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestWhoDoesNotKnowTheTokenIsRefusedWithASentence(t *testing.T) {
	const stranger, mute = "not the session's token", "did not say who it is"
	d := openDoor(t, nobodyComes(t))
	token := d.Token()
	for what, tc := range map[string]struct{ say, why string }{
		"another token":            {greeting + strings.Repeat("A", len(token)) + "\n", stranger},
		"a beginning of it":        {greeting + token[:len(token)-1] + "\n", stranger},
		"more than it":             {greeting + token + "A\n", stranger},
		"no token":                 {greeting + "\n", stranger},
		"an empty line":            {"\n", stranger},
		"in lower case":            {greeting + strings.ToLower(token) + "\n", stranger},
		"with a carriage return":   {greeting + token + "\r\n", stranger},
		"with a zero":              {greeting + token + "\x00\n", stranger},
		"no greeting":              {token + "\n", stranger},
		"on the second line":       {"\n" + greeting + token + "\n", stranger},
		"a request of the session": {`{"jsonrpc":"2.0","id":1,"method":"runtime/initialize"}` + "\n", stranger},
		"a browser":                {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", stranger},
		"garbage":                  {"\xff\xfe\x00\x80\n", stranger},
		"a line without an end":    {strings.Repeat("x", wordSize+100), "too long"},
		"a line that is too long":  {greeting + token + strings.Repeat(" ", wordSize) + "\n", "too long"},
		"nothing":                  {"", mute},
		"half a greeting":          {greeting[:5], mute},
		"no end of the line":       {greeting + token, mute},
	} {
		t.Run(what, func(t *testing.T) {
			conn := d.knock(t)
			say(t, conn, tc.say)
			_ = conn.CloseWrite()
			got := hears(t, conn)
			sentence, ok := strings.CutPrefix(got, refused)
			if !ok || !strings.Contains(sentence, tc.why) || strings.Index(sentence, "\n") != len(sentence)-1 {
				t.Errorf("%q", got)
			}
			if strings.Contains(got, token[:8]) {
				t.Errorf("it tells the token: %q", got)
			}
		})
	}
}

func TestWhoIsRefusedAtDialKnowsWhy(t *testing.T) {
	d := openDoor(t, nobodyComes(t))
	_, err := Dial(t.Context(), d.String()+"#"+strings.Repeat("A", 26))
	if err == nil || errors.Is(err, ErrGone) || !strings.Contains(err.Error(), "not let in: this is not the session's token") {
		t.Error(err)
	}
}

func TestStrangersWhoSayNothingDoNotKeepOthersOut(t *testing.T) {
	d := openDoor(t, echo)
	const more = 5
	heard := make(chan string, strangerLimit+more)
	for range strangerLimit + more {
		conn := d.knock(t)
		go func() { heard <- hears(t, conn) }() // ends with the door
	}
	for range more { // so many are too many, and by then all have come
		if got := <-heard; got != refused+"too many are at the door: try again\n" {
			t.Errorf("%q", got)
		}
	}
	mustEcho(t, d.join(t))
	d.Close()
	for range strangerLimit {
		<-heard // each has ended
	}
}

func TestAsManyGuestsAsThereMayBeComeAtOnceAndNoMore(t *testing.T) {
	d := openDoor(t, echo)
	joined := make(chan *net.UnixConn, guestLimit)
	for range guestLimit {
		go func() {
			conn, err := Dial(t.Context(), d.Invitation())
			if err != nil {
				t.Error(err)
			}
			joined <- conn
		}()
	}
	var all []*net.UnixConn
	for range guestLimit {
		all = append(all, <-joined)
	}
	if t.Failed() {
		return
	}
	if _, err := Dial(t.Context(), d.Invitation()); err == nil || !strings.Contains(err.Error(), "64 guests already") {
		t.Error(err)
	}
	// Who has left is no guest any more when its connection has ended.
	_ = all[0].CloseWrite()
	hears(t, all[0])
	mustEcho(t, d.join(t))
	for _, conn := range all[1:] {
		mustEcho(t, conn)
		conn.Close()
	}
	all[0].Close()
}

func TestCloseEndsGuestsAndStrangersAndLeavesNothing(t *testing.T) {
	var serving atomic.Int32
	d := openDoor(t, func(ctx context.Context, conn *net.UnixConn) {
		serving.Add(1)
		defer serving.Add(-1)
		stop := context.AfterFunc(ctx, func() { conn.Close() })
		defer stop()
		for { // a guest that does not read holds this up for good
			if _, err := conn.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	})
	guest := d.join(t)
	stranger, half := d.knock(t), d.knock(t)
	say(t, half, greeting)
	var closing sync.WaitGroup
	for range 3 {
		closing.Go(func() {
			d.Close()
			if n := serving.Load(); n != 0 {
				t.Errorf("Close returned while %d were served", n)
			}
		})
	}
	closing.Wait()
	if all := disktest.Names(t, d.place); len(all) != 0 {
		t.Errorf("left behind: %q", all)
	}
	for _, conn := range []*net.UnixConn{stranger, half} {
		if got := hears(t, conn); got != "" {
			t.Errorf("a stranger was not hung up on: %q", got)
		}
	}
	hears(t, guest) // ends
	if _, err := Dial(t.Context(), d.Invitation()); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
	if d.log.String() != "" {
		t.Errorf("that is nothing to warn of:\n%s", d.log)
	}
}

// A process that ends waits for its guests only so long, and is to leave nothing.
func TestAGuestThatTakesItsTimeKeepsNothingOnDisk(t *testing.T) {
	t.Parallel()
	serving, release := make(chan struct{}), make(chan struct{})
	d := openDoor(t, func(ctx context.Context, _ *net.UnixConn) {
		close(serving)
		<-ctx.Done()
		<-release
	})
	d.join(t)
	<-serving
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		d.Close()
	}()
	for len(disktest.Names(t, d.place)) > 0 { // or the test times out
		goruntime.Gosched()
	}
	close(release)
	<-closed
}

func TestWhoComesWhileTheDoorCloses(t *testing.T) {
	for range 20 {
		d := openDoor(t, echo)
		var guests sync.WaitGroup
		came := make(chan struct{}, 8)
		for range cap(came) {
			guests.Go(func() {
				conn, err := Dial(t.Context(), d.Invitation())
				came <- struct{}{}
				switch {
				case err == nil:
					hears(t, conn) // ends
					conn.Close()
				case !errors.Is(err, ErrGone):
					t.Error(err)
				}
			})
		}
		<-came
		d.Close()
		guests.Wait()
	}
}

func TestAPanicOfServeEndsThatGuestOnly(t *testing.T) {
	d := openDoor(t, func(ctx context.Context, conn *net.UnixConn) {
		r := bufio.NewReader(conn)
		if line, _ := r.ReadString('\n'); line == "panic\n" {
			panic("oh")
		}
		echo(ctx, conn)
	})
	other := d.join(t)
	say(t, other, "\n")
	for range guestLimit + 1 { // none of them remains a guest
		conn := d.join(t)
		say(t, conn, "panic\n")
		if got := hears(t, conn); got != "" {
			t.Errorf("%q", got)
		}
	}
	mustEcho(t, other)
	if log := d.log.String(); !strings.Contains(log, "panic=oh") || !strings.Contains(log, "share_test.go") {
		t.Errorf("the log does not say where:\n%s", log)
	}
}

func TestAGuestThatLeavesWhileItIsSpokenTo(t *testing.T) {
	ended := make(chan error, 1)
	d := openDoor(t, func(_ context.Context, conn *net.UnixConn) {
		for {
			if _, err := conn.Write(make([]byte, 1<<16)); err != nil {
				ended <- err
				return
			}
		}
	})
	d.join(t).Close()
	if err := <-ended; !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) { // and no SIGPIPE
		t.Error(err)
	}
}

func TestDialSaysWhatItHasFound(t *testing.T) {
	for what, tc := range map[string]struct {
		peer func(conn *net.UnixConn) // nil: nobody listens
		gone bool
		want string
	}{
		"nobody":              {nil, true, "nobody listens at "},
		"it hangs up":         {func(*net.UnixConn) {}, true, "hung up"},
		"it hangs up later":   {func(c *net.UnixConn) { _, _ = readLine(c) }, true, "hung up"},
		"it hangs up halfway": {func(c *net.UnixConn) { _, _ = readLine(c); _, _ = io.WriteString(c, "wel") }, true, "hung up"},
		"another program":     {func(c *net.UnixConn) { _, _ = io.WriteString(c, "220 mail\r\n") }, false, "no mcp-sidecar"},
		"one that talks much": {func(c *net.UnixConn) { _, _ = io.WriteString(c, strings.Repeat("x", 5000)) }, false, "no mcp-sidecar"},
		"an echo":             {func(c *net.UnixConn) { line, _ := readLine(c); _, _ = io.WriteString(c, line+"\n") }, false, "no mcp-sidecar"},
		"nearly":              {func(c *net.UnixConn) { _, _ = io.WriteString(c, "welcome\r\n") }, false, "no mcp-sidecar"},
		"it refuses at once":  {func(c *net.UnixConn) { _, _ = io.WriteString(c, refused+"not today\n") }, false, "not let in: not today"},
	} {
		t.Run(what, func(t *testing.T) {
			path := filepath.Join(shortDir(t), "x.sock")
			listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
			if err != nil {
				t.Fatal(err)
			}
			if tc.peer == nil {
				listener.SetUnlinkOnClose(false) // as that of a process which was killed
				listener.Close()
			} else {
				defer listener.Close()
				go func() { // ends with the one connection
					if conn, err := listener.AcceptUnix(); err == nil {
						tc.peer(conn)
						conn.Close()
					}
				}()
			}
			_, err = Dial(t.Context(), "unix:"+path+"#TOKEN")
			if err == nil || errors.Is(err, ErrGone) != tc.gone || !strings.Contains(err.Error(), tc.want) {
				t.Error(err)
			}
			if err != nil && (!strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "TOKEN")) {
				t.Errorf("it should name the path and not the token: %v", err)
			}
		})
	}
	if _, err := Dial(t.Context(), "unix:"+filepath.Join(shortDir(t), "x.sock")+"#T"); !errors.Is(err, ErrGone) {
		t.Errorf("no file: %v", err)
	}
	// Somebody has added to it: what was the token is part of the path now.
	for _, path := range []string{"/x#TOKEN#y", "/" + strings.Repeat("x", 200) + "#TOKEN#y"} {
		if _, err := Dial(t.Context(), "unix:"+path); err == nil || strings.Contains(err.Error(), "TOKEN") {
			t.Errorf("it should not show the token: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Dial(ctx, "unix:/x#T"); err == nil || errors.Is(err, ErrGone) {
		t.Errorf("cancelled: %v", err)
	}
}
