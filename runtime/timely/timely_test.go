package timely

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var (
	errNone    = errors.New("none")
	errTooLong = errors.New("too long")
)

func TestTheOutcomeIsThatOfTheFunction(t *testing.T) {
	if n, err := Do(t.Context(), func() (int, error) { return 7, nil }); n != 7 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if n, err := Do(t.Context(), func() (int, error) { return 7, errNone }); n != 7 || !errors.Is(err, errNone) {
		t.Errorf("got %d, %v", n, err)
	}
	if err := Run(t.Context(), func() error { return errNone }); !errors.Is(err, errNone) {
		t.Errorf("got %v", err)
	}
}

func TestWhatTakesTooLongIsLeftAndToldWhenItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errTooLong)
		defer cancel()
		begun := time.Now()
		n, err := Do(ctx, func() (int, error) {
			time.Sleep(time.Minute)
			return 7, nil
		})
		var left *LeftError
		if !errors.As(err, &left) || !errors.Is(err, errTooLong) || err.Error() != errTooLong.Error() || n != 0 {
			t.Fatalf("got %d, %v", n, err)
		}
		if waited := time.Since(begun); waited != time.Second {
			t.Errorf("it was waited for %v", waited)
		}
		select {
		case <-left.Ended:
			t.Error("it is said to have ended")
		default:
		}
		<-left.Ended
		if took := time.Since(begun); took != time.Minute {
			t.Errorf("it is said to have ended after %v", took)
		}
	})
}

func TestAPanicIsAnErrorThatSaysWhere(t *testing.T) {
	err := Run(t.Context(), func() error { panic("boom") })
	var panicked *PanicError
	if !errors.As(err, &panicked) || err.Error() != "a bug in mcp-sidecar: boom" || !strings.Contains(string(panicked.Stack), "timely_test.go") {
		t.Errorf("got %v", err)
	}
}
