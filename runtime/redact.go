package runtime

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/config"
)

// redacted stands where a secret was.
const redacted = "[redacted]"

// redactor takes values that must not be seen out of text. Its zero value is
// ready, and a nil one hides nothing. All methods may be called concurrently.
type redactor struct {
	mu    sync.Mutex               // held by add
	forms atomic.Pointer[[]string] // written under mu, never changed once stored; longest first
}

// add makes later cleans hide these values. Values of fewer than config.MinSecret
// characters are left out.
func (r *redactor) add(values ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var forms []string
	if known := r.forms.Load(); known != nil {
		forms = slices.Clone(*known)
	}
	before := len(forms)
	for _, v := range values {
		forms = append(forms, secretForms(v)...)
	}
	if len(forms) == before {
		return
	}
	slices.SortFunc(forms, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	forms = slices.Compact(forms)
	r.forms.Store(&forms)
}

// secretForms is a value in every way it may be written in a log.
func secretForms(value string) []string {
	// Logs come line by line, so the lines of a key file count on their own.
	parts := append([]string{value}, strings.FieldsFunc(value, func(c rune) bool { return c == '\n' || c == '\r' })...)
	var forms []string
	for _, part := range parts {
		part = strings.TrimSpace(part)
		if utf8.RuneCountInString(part) < config.MinSecret {
			continue
		}
		forms = append(forms, writtenForms(part)...)
		// One that was escaped for a URL is understood without that.
		if plain, err := url.PathUnescape(part); err == nil && plain != part && utf8.RuneCountInString(plain) >= config.MinSecret {
			forms = append(forms, writtenForms(plain)...)
		}
	}
	return forms
}

func writtenForms(text string) []string {
	query, path := url.QueryEscape(text), url.PathEscape(text)
	return []string{
		text, jsonEscaped(text, false), jsonEscaped(text, true), query, path, lowerEscapes(query), lowerEscapes(path),
	}
}

// jsonEscaped is s as it stands between the quotes of a JSON string.
func jsonEscaped(s string, html bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if enc.Encode(s) != nil {
		return s
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// lowerEscapes is s with %2F written as %2f.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], bytes.ToLower(b[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// clean replaces every occurrence of every value. Values that overlap in the
// text are hidden together, so that no end of one is left over.
func (r *redactor) clean(text string) string {
	if r == nil {
		return text
	}
	forms := r.forms.Load()
	if forms == nil {
		return text
	}
	var found []span
	for _, form := range *forms {
		for at := 0; ; {
			i := strings.Index(text[at:], form)
			if i < 0 {
				break
			}
			found = append(found, span{at + i, at + i + len(form)})
			at += i + 1
		}
	}
	if found == nil {
		return text
	}
	return replaceSpans(text, found)
}

// span is a half-open range of bytes.
type span struct{ from, to int }

func replaceSpans(text string, spans []span) string {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	end := 0
	for i := 0; i < len(spans); {
		b.WriteString(text[end:spans[i].from])
		b.WriteString(redacted)
		end = spans[i].to
		for i++; i < len(spans) && spans[i].from < end; i++ {
			end = max(end, spans[i].to)
		}
	}
	b.WriteString(text[end:])
	return b.String()
}
