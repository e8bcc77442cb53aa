// Package share is the door of a session: a socket by which other programs of
// the same user join it, and a token without which nobody is let in. Servers run
// as the same user, and so does whatever they start: to find the socket must not
// be enough.
//
//	Open ─▶ Endpoint ─ accept ─ admit (user, token) ─▶ Options.Serve, a connection each
//	Dial ─────────────────────────────────────────────▶ the other end of it
//
// The socket lies in a directory of the user's that nobody else can enter. Beside
// it lies a lock file, held for as long as the process lives: what a process that
// was killed has left behind is known by its lock being free, and swept by the
// next one that opens an Endpoint.
//
// Absent on purpose: what is said on a connection once it is let in.
package share

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// Variable is the environment variable in which an Invitation is handed on. It is
// for guests only: whoever has it can get in.
const Variable = "MCP_SIDECAR_ENDPOINT"

const (
	// guestLimit is how many guests there are at once.
	guestLimit = 64
	// introduction is how long a stranger may take to say who it is, and a session to
	// let it in.
	introduction = 5 * time.Second
	// acceptPause is the pause after an accept that failed, for want of files, say.
	acceptPause = 100 * time.Millisecond
)

// Options of an Endpoint.
type Options struct {
	// Places are directories for the socket, in order of preference: the first that
	// can be used is. Places gives the usual ones.
	Places []string
	// Serve has a guest's connection until it returns; the Endpoint closes it then.
	// ctx ends when the Endpoint is closed: Serve, which may have something left to
	// say, returns soon. A panic of its ends the guest, and nobody else.
	Serve func(ctx context.Context, conn *net.UnixConn)
	Log   *slog.Logger
}

// Endpoint is an open door. Close ends it.
type Endpoint struct {
	opt      Options
	token    string
	listener *net.UnixListener
	release  func() // of the lock and its file

	ctx       context.Context //nolint:containedctx // the lifetime of the connections
	cancel    context.CancelFunc
	guests    chan struct{} // has a token for each of them
	strangers *lobby
	running   sync.WaitGroup
}

// Open opens a door in the first of the places that will do.
func Open(opt Options) (*Endpoint, error) {
	listener, release, err := listen(opt.Places)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	e := &Endpoint{
		opt: opt, token: rand.Text(), listener: listener, release: release, ctx: ctx, cancel: cancel,
		guests: make(chan struct{}, guestLimit), strangers: &lobby{},
	}
	e.running.Go(e.accept)
	return e, nil
}

// String is where the door is. It holds no secret, so that it may be logged.
func (e *Endpoint) String() string { return scheme + e.listener.Addr().String() }

// Invitation is what a guest needs to get in: see Dial. It holds the secret.
func (e *Endpoint) Invitation() string { return e.String() + "#" + e.token }

// Token is the secret by itself.
func (e *Endpoint) Token() string { return e.token }

// Close lets nobody in any more, hangs up on strangers, ends the context of each
// Serve, and returns when all have returned.
func (e *Endpoint) Close() {
	e.cancel()
	e.listener.Close() // removes the socket, too
	e.release()        // before we wait: the process may end meanwhile, and leaves nothing
	e.running.Wait()
}

// accept ends with the listener.
func (e *Endpoint) accept() {
	for failing := false; ; {
		conn, err := e.listener.AcceptUnix()
		switch {
		case err == nil:
			failing = false
			e.running.Go(func() { e.meet(conn) }) // ends with the connection, or with e
		case errors.Is(err, net.ErrClosed):
			return
		default:
			if !failing { // once: it may go on for long
				e.opt.Log.Warn("guests cannot be let in at the moment", "err", err)
			}
			failing = true
			select {
			case <-time.After(acceptPause):
			case <-e.ctx.Done():
			}
		}
	}
}

// meet has one connection from its beginning to its end.
func (e *Endpoint) meet(conn *net.UnixConn) {
	defer conn.Close()
	if err := e.admit(conn); err != nil {
		if e.ctx.Err() != nil {
			return // the stranger has been hung up on
		}
		e.opt.Log.Warn("somebody was not let into the session", "why", err)
		_ = conn.SetWriteDeadline(time.Now().Add(introduction)) // who does not read this learns less
		_, _ = fmt.Fprintf(conn, "%s%v\n", refused, err)
		return
	}
	defer func() { <-e.guests }()
	defer func() {
		if v := recover(); v != nil {
			e.opt.Log.Error("this is a bug in mcp-sidecar; please report it",
				"in", "the session of a guest", "panic", v, "stack", string(debug.Stack()))
		}
	}()
	e.opt.Serve(e.ctx, conn)
}

// errStranger does not say what was wrong: who knows the token makes no mistake.
var errStranger = errors.New("this is not the session's token: it is another session's, or the session was started again")

// admit lets a connection in, or says why not.
func (e *Endpoint) admit(conn *net.UnixConn) error {
	if err := sameUser(conn); err != nil {
		return err
	}
	stop := context.AfterFunc(e.ctx, func() { conn.Close() })
	defer stop()
	if err := e.hear(conn); err != nil {
		return err
	}
	return e.receive(conn)
}

// receive makes a connection that may come in a guest's, if there is room.
func (e *Endpoint) receive(conn net.Conn) error {
	select {
	case e.guests <- struct{}{}:
	default:
		return fmt.Errorf("the session has %d guests already, which is as many as there may be", guestLimit)
	}
	_, err := fmt.Fprintln(conn, welcome)
	if err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	if err != nil {
		<-e.guests
	}
	return err
}

// hear has a stranger say who it is, in the time that there is for that.
func (e *Endpoint) hear(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(introduction)); err != nil {
		return err
	}
	e.strangers.enter(conn)
	word, err := readLine(conn)
	stayed := e.strangers.leave(conn)
	switch {
	case err != nil && !stayed:
		return errors.New("too many are at the door: try again")
	case err != nil:
		return fmt.Errorf("it did not say who it is: %w", err)
	case !equal(word, greeting+e.token):
		return errStranger
	}
	return nil
}

// ErrGone is what Dial fails with when the session of an endpoint has ended.
var ErrGone = errors.New("the session has ended")

// Dial joins a session by its Invitation.
func Dial(ctx context.Context, invitation string) (*net.UnixConn, error) {
	path, token, err := parse(invitation)
	if err != nil {
		return nil, err
	}
	dialed, err := new(net.Dialer).DialContext(ctx, "unix", path)
	shown := withoutToken(path)
	var op *net.OpError // its text has the path
	switch {
	case err != nil && gone(err):
		return nil, fmt.Errorf("%w: nobody listens at %s any more", ErrGone, shown)
	case errors.As(err, &op):
		return nil, fmt.Errorf("%s: %w", shown, op.Err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	conn, ok := dialed.(*net.UnixConn)
	if !ok {
		dialed.Close()
		return nil, fmt.Errorf("%s is no socket", shown)
	}
	// Where our directory was removed, say, another user may have made one.
	err = sameUser(conn)
	if err == nil {
		err = introduce(ctx, conn, token)
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	return conn, nil
}

// withoutToken is the path of a socket, to be shown: if somebody has added to the
// endpoint, the token may be in it.
func withoutToken(path string) string {
	if before, _, cut := strings.Cut(path, "#"); cut {
		return before + "#…"
	}
	return path
}

var errSilent = fmt.Errorf("it has said nothing for %v", introduction)

// introduce says who we are, and hears whether that is enough.
func introduce(ctx context.Context, conn net.Conn, token string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, introduction, errSilent)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	_, _ = fmt.Fprintln(conn, greeting+token) // who refuses us before that has said why
	answer, err := readLine(conn)
	switch why, no := strings.CutPrefix(answer, refused); {
	case !stop():
		return context.Cause(ctx)
	case err != nil && gone(err):
		return fmt.Errorf("%w: it hung up", ErrGone)
	case no:
		return errors.New("not let in: " + why)
	case err != nil || answer != welcome:
		return errors.New("this is no mcp-sidecar")
	}
	return nil
}

// scheme is how an invitation begins; the absolute path of the socket follows, and
// after "#" the token.
const scheme = "unix:"

func parse(invitation string) (path, token string, err error) {
	rest, ok := strings.CutPrefix(invitation, scheme)
	at := strings.LastIndexByte(rest, '#')
	if !ok || at < 0 || at == len(rest)-1 || !filepath.IsAbs(rest[:at]) {
		return "", "", errors.New("it should be unix:PATH#TOKEN, as runtime/share answered, with an absolute PATH")
	}
	return rest[:at], rest[at+1:], nil
}

// Places are where a socket is put: the directory of the login session, which the
// system removes, or else one for the user among the temporary files.
func Places(getenv func(string) (string, bool)) []string {
	var all []string
	if dir, _ := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		all = append(all, filepath.Join(dir, "mcp-sidecar"))
	}
	own := fmt.Sprintf("mcp-sidecar-%d", os.Geteuid())
	if dir := os.TempDir(); filepath.IsAbs(dir) {
		all = append(all, filepath.Join(dir, own))
	}
	if dir := "/tmp/" + own; !slices.Contains(all, dir) { // the other may be too deep for the path of a socket
		all = append(all, dir)
	}
	return all
}
