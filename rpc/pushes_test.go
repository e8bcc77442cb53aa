package rpc

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
)

func TestAReloadDuringInitializeIsAcceptedAtOnceAndBothLearnTheSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened, reloaded := make(chan struct{}), make(chan struct{})
		p := start(t, &scripted{
			initialize: func(context.Context, *InitializeParams) (Pending[InitializeResult], error) {
				return when(opened, initialized), nil
			},
			reload: func(context.Context, *ReloadParams) (Pending[SnapshotResult], error) {
				return when(reloaded, snapshotResult), nil
			},
		}, Options{})
		p.initialize()
		p.send(request(1, MethodReload, `{}`))
		p.session.Publish(Update{View: view(1, "a")})
		close(opened)
		p.expect("0=@1")
		p.session.Publish(Update{View: view(2, "b"), Reason: ReasonReload, Concludes: true})
		p.expect("")
		close(reloaded)
		p.expect("1=@2")
		p.session.Publish(Update{View: view(3, "c")})
		p.expect("tools 2→3")
	})
}

func TestTheRequesterOfAReloadLearnsFromTheAnswerOthersFromOnePush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := make(chan struct{})
		impl := &scripted{reload: func(context.Context, *ReloadParams) (Pending[SnapshotResult], error) {
			return when(done, snapshotResult), nil
		}}
		a, b := start(t, impl, Options{}), start(t, impl, Options{})
		publish := func(u Update) {
			a.session.Publish(u)
			b.session.Publish(u)
		}
		publish(Update{View: view(1, "a")})
		a.initialize()
		b.initialize()
		a.expect("0=@1")
		b.expect("0=@1")
		a.send(request(1, MethodReload, `{}`))
		synctest.Wait()
		publish(Update{View: view(2, "a", "b"), Reason: ReasonReload, Concludes: true})
		close(done)
		a.expect("1=@2")
		b.expect("tools 1→2")
	})
}

// A reload may wait for long. What happens meanwhile and is not its doing is
// told at once, and a step that ends an earlier wait holds nothing back either.
func TestAReloadThatWaitsHoldsNoOtherPushBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := make(chan struct{})
		p := start(t, &scripted{reload: func(context.Context, *ReloadParams) (Pending[SnapshotResult], error) {
			return when(done, snapshotResult), nil
		}}, Options{})
		p.session.Publish(Update{View: view(1, "a"), Concludes: true})
		p.initialize()
		p.expect("0=@1")
		p.session.Publish(Update{View: view(1, "a"), Concludes: true})
		p.send(request(1, MethodReload, `{}`))
		synctest.Wait()
		p.session.Publish(Update{View: view(2), Reason: ReasonDisconnected})
		p.send(request(2, MethodSearch, `{"query":"x"}`))
		p.expect("tools 1→2 | 2=ok")
		p.session.Publish(Update{View: view(3, "b"), Reason: ReasonReload, Concludes: true})
		p.session.Publish(Update{View: view(4, "c"), Reason: ReasonConnected})
		p.expect("")
		close(done)
		p.expect("1=@4")
	})
}

func TestAFailedReloadIsFollowedByThePushItHeldBack(t *testing.T) {
	for _, how := range []string{"error", "panic", "cancel"} {
		synctest.Test(t, func(t *testing.T) {
			done := make(chan struct{})
			p := start(t, &scripted{reload: func(context.Context, *ReloadParams) (Pending[SnapshotResult], error) {
				return func(context.Context) (Answer[SnapshotResult], error) {
					<-done
					if how == "panic" {
						return func(*Snapshot) *SnapshotResult { panic("in the answer") }, nil
					}
					return nil, errors.New("no")
				}, nil
			}}, Options{})
			p.session.Publish(Update{View: view(1, "a")})
			p.initialize()
			p.send(request(1, MethodReload, `{}`))
			p.expect("0=@1")
			p.session.Publish(Update{View: view(2, "b"), Reason: ReasonReload, Concludes: true})
			if how == "cancel" {
				p.send(notification(MethodCancelRequest, `{"id":1}`))
				p.expect("1!-32800")
				close(done)
				p.expect("tools 1→2")
				return
			}
			close(done)
			p.expect("1!-32603 | tools 1→2")
		})
	}
}

func TestAConnectsPushPrecedesItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *peer
		p = start(t, &scripted{connect: func(context.Context, *ConnectParams) (Answer[Server], error) {
			p.session.Publish(Update{
				View: view(2, "a", "b"), Reason: ReasonConnected,
				Statuses: []Server{{Name: "s", Phase: PhaseReady}},
			})
			return func(v *Snapshot) *Server { return &Server{Name: fmt.Sprint(v.Revision)} }, nil
		}}, Options{})
		p.session.Publish(Update{View: view(1, "a")})
		p.initialize()
		p.send(request(1, MethodConnect, `{"server":"s"}`))
		p.expect("0=@1 | status s ready | tools 1→2 | 1=ok")
	})
}

func TestBeforeTheFirstAnswerOnlyStatusesDiagnosticsAndLogsGoOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &scripted{}, Options{Framing: FramingHeaders})
		p.session.Publish(Update{View: view(1, "a"), Statuses: []Server{{Name: "s", Phase: PhaseListing}}, Diagnostics: true})
		_ = p.session.Log(t.Context(), &LogParams{Message: "m"})
		p.session.Publish(Update{View: view(2, "b")})
		p.expect("status s listing | diagnostics 0 | log m")
		p.initialize()
		p.expect("0=@2")
	})
}
