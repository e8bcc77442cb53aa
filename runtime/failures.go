package runtime

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-sidecar/mcp-sidecar/rpc"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
	"github.com/mcp-sidecar/mcp-sidecar/runtime/transport"
)

// configError is a failure before anything was started.
type configError struct{ err error }

func (e *configError) Error() string { return e.err.Error() }
func (e *configError) Unwrap() error { return e.err }

// slowError is an attempt that took longer than it may.
type slowError struct {
	stage transport.Stage
	after time.Duration
	err   error // what the transport said when it was stopped
}

func (e *slowError) Error() string {
	return fmt.Sprintf("%s: it took longer than %s", e.stage, seconds(e.after))
}
func (e *slowError) Unwrap() error { return e.err }

// seconds shows a duration as people set it.
func seconds(d time.Duration) string {
	return strings.TrimSuffix(fmt.Sprintf("%.3f", d.Seconds()), ".000") + " s"
}

// classify says what a failed attempt calls for.
func classify(err error) failure {
	var input *config.MissingInputError
	var before *configError
	var te *transport.Error
	switch {
	case errors.As(err, &input):
		return failInput
	case errors.As(err, &before):
		return failFinal
	case errors.As(err, &te) && te.Code == transport.CodeAuth:
		return failAuth
	case errors.As(err, &te) && te.Lasting:
		return failFinal
	}
	return failRetry
}

// describe turns any failure of a server into what hosts see. clean takes
// secrets out.
func describe(server string, err error, clean func(string) string) *rpc.ServerError {
	out := &rpc.ServerError{Code: "internal", Stage: rpc.StageTransport}
	var before *configError
	var slow *slowError
	var te *transport.Error
	if errors.As(err, &te) {
		out.Code, out.Stage, out.Hint = string(te.Code), rpc.Stage(te.Stage), shortened(clean(te.Hint), errorBytes)
		for _, line := range te.Stderr {
			out.Stderr = append(out.Stderr, clean(line))
		}
	}
	switch {
	case errors.As(err, &slow):
		out.Code, out.Stage = "timeout", rpc.Stage(slow.stage)
		if out.Hint == "" {
			out.Hint = `if it needs more time to start, give it more: in its entry ("timeout", in most dialects), or by timeouts.connectMs`
			if slow.after < time.Second {
				out.Hint += "; these are in milliseconds"
			}
		}
	case errors.As(err, &before):
		out.Code, out.Stage = "config", rpc.StageConfig
	}
	out.Message = shortened(clean(fmt.Sprintf("server %q: %s", server, err)), errorBytes)
	return out
}
