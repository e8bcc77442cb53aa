package transport

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdioSilence is how long a server may be silent on server/discover before it
// is taken for one of the older era that ignores what it does not know.
const stdioSilence = 3 * time.Second

// initializedFrame ends the handshake of the older era. The link sends it, before
// anything else.
const initializedFrame = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// greeting is how a handshake went.
type greeting struct {
	era     Era
	version string          // in the server's own word
	result  json.RawMessage // of server/discover or initialize
}

// greeter greets a server through the lane, in the same process whatever the
// era turns out to be. The SDK gets what it found (sdkConn), and so never sees
// an answer it could choke on. It belongs to one goroutine.
type greeter struct {
	lane   *lane
	client identity
	// probing is true while server/discover is all that has been sent.
	probing bool
}

// run finds out the era unless it is known to be the older one.
func (h *greeter) run(ctx context.Context, era Era) (greeting, error) {
	if era == EraStateful {
		return h.initialize(ctx, string(EraStateful), nil)
	}
	h.probing = true
	probe, err := h.lane.start(ctx, question{stage: StageInitialize, method: "server/discover", meta: h.client.requestMeta()})
	if err != nil {
		return greeting{}, err
	}
	var silence <-chan time.Time
	if era == EraUnknown {
		timer := time.NewTimer(stdioSilence)
		defer timer.Stop()
		silence = timer.C
	}
	select {
	case a := <-probe.answer:
		if g, ok := discovered(a); ok {
			return g, nil
		}
		if a.err != nil && !isAnswered(a.err) {
			return greeting{}, during(a.err, StageInitialize, "initialize", false)
		}
		h.probing = false
		return h.initialize(ctx, olderVersion(a), nil)
	case <-silence:
		h.probing = false
		return h.initialize(ctx, string(EraStateful), probe)
	case <-ctx.Done():
		h.lane.forget(probe)
		return greeting{}, interrupted(ctx, StageInitialize, "initialize", false)
	}
}

// initialize makes the handshake of the older era. A late result of the probe,
// if there is one, overrules it; a late error means nothing. A server that
// refuses the version and lists others is asked once more.
func (h *greeter) initialize(ctx context.Context, version string, probe *laneRequest) (greeting, error) {
	x, err := h.sendInitialize(ctx, version)
	if err != nil {
		return greeting{}, err
	}
	var late <-chan answer
	if probe != nil {
		late = probe.answer
		defer h.lane.forget(probe)
	}
	retried := false
	for {
		select {
		case a := <-late:
			late = nil
			if g, ok := discovered(a); ok {
				h.lane.forget(x)
				return g, nil
			}
		case a := <-x.answer:
			if a.err == nil {
				return h.initialized(a.result, version)
			}
			other := listedVersion(a.err, version)
			if retried || other == "" {
				_, err := h.lane.finish(x, question{stage: StageInitialize, method: "initialize"}, a)
				return greeting{}, err
			}
			retried, version = true, other
			if x, err = h.sendInitialize(ctx, version); err != nil {
				return greeting{}, err
			}
		case <-ctx.Done():
			// initialize must not be cancelled (MCP: basic/utilities/cancellation).
			h.lane.forget(x)
			return greeting{}, interrupted(ctx, StageInitialize, "initialize", false)
		}
	}
}

func (h *greeter) sendInitialize(ctx context.Context, version string) (*laneRequest, error) {
	params := appendString([]byte(`{"protocolVersion":`), version)
	params = append(params, `,"capabilities":`+declaredCapabilities+`,"clientInfo":`...)
	params = append(append(params, h.client.info()...), '}')
	return h.lane.start(ctx, question{stage: StageInitialize, method: "initialize", params: params})
}

// isAnswered: the server has answered, if only with an error or something that
// is no answer, as opposed to having gone.
func isAnswered(err error) bool {
	var (
		refusal *RPCError
		failure *Error
	)
	return errors.As(err, &refusal) || errors.As(err, &failure) && failure.Code == CodeProtocol
}

// initialized takes a server that names no version at its word: it speaks the
// one it was asked for.
func (h *greeter) initialized(result json.RawMessage, asked string) (greeting, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(result, &members); err != nil || members == nil {
		return greeting{}, &Error{
			Code: CodeProtocol, Stage: StageInitialize, Err: err,
			Message: "the result of initialize is no object: " + h.lane.redact.shorten(result, maxSample),
		}
	}
	g := greeting{era: EraStateful, version: asked, result: result}
	var version string
	if json.Unmarshal(members["protocolVersion"], &version) == nil && version != "" {
		g.version = version
	}
	return g, nil
}

// discovered is true for a server that speaks the stateless era. Some servers
// answer whatever they do not know with an empty result: they do not.
func discovered(a answer) (greeting, bool) {
	if a.err != nil || !slices.Contains(supportedVersions(a), string(EraStateless)) {
		return greeting{}, false
	}
	return greeting{era: EraStateless, version: string(EraStateless), result: a.result}, true
}

// olderVersion is the version to initialize with after an answer to the probe:
// the newest it lists, else the newest there is.
func olderVersion(a answer) string {
	if v := pickOlder(supportedVersions(a), ""); v != "" {
		return v
	}
	return string(EraStateful)
}

// listedVersion is a version to try after a refusal that lists some, or "".
func listedVersion(err error, refused string) string {
	return pickOlder(supportedVersions(answer{err: err}), refused)
}

// supportedVersions is what a server says it speaks: in the result of
// server/discover, or in the data of a refusal.
func supportedVersions(a answer) []string {
	raw := a.result
	var refusal *RPCError
	if errors.As(a.err, &refusal) {
		raw = refusal.Data
	}
	var listed struct {
		SupportedVersions, Supported json.RawMessage
	}
	if json.Unmarshal(raw, &listed) != nil {
		return nil
	}
	for _, member := range []json.RawMessage{listed.SupportedVersions, listed.Supported} {
		var versions []string
		if json.Unmarshal(member, &versions) == nil && len(versions) > 0 {
			return versions
		}
	}
	return nil
}

// pickOlder is the newest listed version of the older era that we know, else
// one that we do not: the messages we need have been the same in all of them.
func pickOlder(listed []string, refused string) string {
	best := ""
	for _, v := range listed {
		if v == refused || v >= string(EraStateless) {
			continue
		}
		if best == "" || isKnown(v) && (!isKnown(best) || v > best) {
			best = v
		}
	}
	return best
}

func isKnown(version string) bool {
	return slices.Contains(mcp.SupportedProtocolVersions(), version)
}
