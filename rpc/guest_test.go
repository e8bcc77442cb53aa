package rpc

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
)

func TestAGuestIsRefusedWhatIsTheOwners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &scripted{}, Options{Guest: true})
		p.session.Publish(Update{View: view(1, "a")})
		p.initialize()
		p.expect("0=@1")
		p.send(request(1, MethodConfigure, `{}`), request(2, MethodReload, `{}`), request(3, MethodConnect, `{"server":"a"}`),
			request(4, MethodDisconnect, `{"server":"a"}`), request(5, MethodTrustList, `{}`))
		p.expect("1!1008 | 2!1008 | 3!1008 | 4!1008 | 5!-32601") // scripted has no trust
		// A refused reload keeps no push back.
		p.session.Publish(Update{View: view(2, "b"), Reason: ReasonConnected})
		p.expect("tools 1→2")
		p.send(request(6, MethodSnapshot, `{}`))
		p.expect("6=@2")
		p.send(request(7, MethodShutdown, `{}`))
		p.expect("7=ok")
		p.send(request(8, MethodServers, `{}`))
		p.expect("8!1006")
	})
}

func TestAnOwnersMethodsAreThoseOfAGuestAndMore(t *testing.T) {
	all, some := Methods(&scripted{}), GuestMethods(&scripted{})
	if len(all)-len(some) != 4 { // configure, reload, connect, disconnect
		t.Errorf("an owner has %v\na guest %v", all, some)
	}
	for _, method := range some {
		if forOwners(method) {
			t.Errorf("%s is offered to guests, and refused", method)
		}
	}
}

func TestAGuestAsksASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		session := NewSession(theirs, theirs, Options{Guest: true})
		session.Publish(Update{View: view(1, "a")})
		ended := make(chan Outcome, 1)
		go func() { ended <- session.Run(t.Context(), &scripted{}) }()
		g := NewGuest(ours, slog.New(slog.DiscardHandler))
		var hello InitializeResult
		params := &InitializeParams{ProtocolVersion: ProtocolVersion, Client: ClientInfo{Name: "t", Version: "0"}, Cwd: "/"}
		if err := g.Ask(t.Context(), MethodInitialize, params, &hello); err != nil || hello.Snapshot.Revision != 1 {
			t.Fatalf("got %+v, %v", hello, err)
		}
		err := g.Ask(t.Context(), MethodReload, &ReloadParams{}, &SnapshotResult{})
		if !errors.Is(err, ErrNotPermitted(MethodReload)) || err.Error() != ErrNotPermitted(MethodReload).Message {
			t.Errorf("a refusal is %v", err)
		}
		g.Close()
		if out := <-ended; out.Code != 0 || out.Err != nil {
			t.Errorf("the session ended with %+v", out)
		}
		if err := g.Ask(t.Context(), MethodDoctor, &DoctorParams{}, &DoctorReport{}); !errors.Is(err, ErrClosed) {
			t.Errorf("asked after its end, it says %v", err)
		}
	})
}

// broken is a connection whose other end has gone.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error)  { return 0, b.err }
func (b broken) Write([]byte) (int, error) { return 0, b.err }
func (b broken) Close() error              { return nil }

func TestAGuestIsToldThatItsSessionHasGoneHoweverThatShows(t *testing.T) {
	for _, err := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.EPIPE, syscall.ECONNRESET} {
		g := NewGuest(broken{err}, slog.New(slog.DiscardHandler))
		if got := g.Ask(t.Context(), MethodDoctor, &DoctorParams{}, &DoctorReport{}); !errors.Is(got, ErrClosed) {
			t.Errorf("when the connection says %v, it says %v", err, got)
		}
		g.Close()
	}
}
