package transport

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// redactMargin is how much more of a text is redacted than is shown, in bytes,
// so that a secret up to this size is whole where the text is cut.
const redactMargin = 16 << 10

// redactor is Spec.Redact, which may be nil.
type redactor func(string) string

func (r redactor) text(s string) string {
	if r == nil {
		return s
	}
	return r(s)
}

// begin is the beginning of a text, redacted, and whether that is not all. It
// has about limit bytes at most; a text that is not cut may have become longer.
func (r redactor) begin(text []byte, limit int) (shown string, cut bool) {
	if len(text) <= limit+redactMargin {
		return r.text(string(text)), false
	}
	shown = r.text(string(text[:limit+redactMargin]))
	// The end may be the beginning of a secret that was not known by it, even
	// where what was redacted before has made the text shorter than the limit.
	return shown[:max(0, len(shown)-redactMargin)], true
}

// shorten cuts text for a report, at a character, and makes it valid UTF-8.
func (r redactor) shorten(text []byte, limit int) string {
	shown, cut := r.begin(text, limit)
	if len(shown) > limit {
		for limit > 0 && !utf8.RuneStart(shown[limit]) {
			limit--
		}
		shown, cut = shown[:limit], true
	}
	shown = strings.ToValidUTF8(shown, "\uFFFD")
	if cut {
		shown += "…"
	}
	return shown
}

// excerpt is the beginning of a text, on one line and valid UTF-8.
func (r redactor) excerpt(body []byte) string {
	shown, cut := r.begin(body, 4*maxExcerpt)
	shown = strings.Join(strings.Fields(strings.ToValidUTF8(shown, "")), " ")
	if len(shown) > maxExcerpt {
		shown, cut = strings.ToValidUTF8(shown[:maxExcerpt], ""), true
	}
	if cut {
		shown += "…"
	}
	return shown
}

// failure redacts the text of an error that leaves the package. The original may
// be shared and stays as it is; what it wraps was redacted where it was made.
func (r redactor) failure(err error) error {
	var failure *Error
	if r == nil || !errors.As(err, &failure) {
		return err
	}
	redacted := *failure
	redacted.Message, redacted.Hint = r(failure.Message), r(failure.Hint)
	return &redacted
}

// refusal is an error of the server with its words redacted. The data is for
// programs and stays.
func (r redactor) refusal(e *RPCError) *RPCError {
	redacted := *e
	redacted.Message = r.text(e.Message)
	return &redacted
}
