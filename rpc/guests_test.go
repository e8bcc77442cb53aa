package rpc

import (
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
