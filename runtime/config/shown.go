package config

import (
	"encoding/json"
	"net/url"
	"slices"
	"unicode/utf8"
)

// hiddenText stands where a secret is written.
const hiddenText = "[redacted]"

// maxShown is the length, in bytes, from which a string of an entry is hidden
// whole: nobody reads it, and looking for secrets in it would take long.
const maxShown = 8 << 10

// Shown is the entry as written, in its dialect and the order of its file, for
// people to see: with "[redacted]" in the place of everything that is, or is
// likely to be, a secret. References stay, since they are names.
func (e *Entry) Shown() json.RawMessage {
	shown, _ := e.masked()
	return shown
}

// literals are the values that Shown hides and that have MinSecret characters or
// more: a server that prints one of them must not get it into a log. Plain
// words are left out unless their name says that they are secret, and so are the
// names of variables that are set, where they stand for these.
func (e *Entry) literals(getenv func(string) (string, bool)) []string {
	_, hidden := e.masked()
	hidden = append(hidden, e.composed()...)
	var literals []string
	for _, text := range hidden {
		for _, form := range []string{text, unescapedURL(text)} {
			if utf8.RuneCountInString(form) < MinSecret || slices.Contains(literals, form) {
				continue
			}
			if e.forms&formWhole != 0 && isVariableName(form) && getenv != nil {
				if _, set := getenv(form); set {
					continue
				}
			}
			literals = append(literals, form)
		}
	}
	return literals
}

// composed are the secrets in what the dialect itself puts together from parts
// of the entry, of which none needs to sound secret by itself.
func (e *Entry) composed() []string {
	k := &mask{forms: e.forms}
	for name, value := range e.Headers {
		k.text(value, guardTable.of(name, &node{kind: text}))
	}
	k.text(e.URL, guardOpen)
	if e.Auth != nil {
		k.text(e.Auth.ClientSecret, guardSecret)
	}
	return k.hidden
}

func unescapedURL(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// ShownText is one string of an entry as Shown has it.
func ShownText(s string) string { return (&mask{}).text(s, guardOpen) }

func (e *Entry) masked() (shown json.RawMessage, hidden []string) {
	root, problem := parseJSONC(&document{unplaced: true}, e.Raw)
	if problem != nil {
		return json.RawMessage("null"), nil // an entry that was not decoded from anything
	}
	k := &mask{forms: e.forms}
	return k.value(root, guardOpen).json(), k.hidden
}

// guard is how much of a value is hidden.
type guard uint8

const (
	// guardOpen hides what looks like a secret.
	guardOpen guard = iota
	// guardName hides what is no name of a variable.
	guardName
	// guardAccount is guardTable, but for members that are public.
	guardAccount
	// guardTable hides what is not plainly harmless.
	guardTable
	// guardSecret hides everything that is written out.
	guardSecret
)

// of is how a member of an object that is under this guard is guarded.
func (g guard) of(name string, v *node) guard {
	own := guardOpen
	switch {
	case g == guardAccount && isPublic(name):
		return guardOpen
	case g == guardName:
		return guardName
	case namesVariables(name):
		own = guardName
	case v.kind == object && isAccount(name):
		own = guardAccount
	case v.kind == object && isTable(name):
		own = guardTable
	case soundsSecret(name):
		own = guardSecret
	}
	return max(g, own)
}

// mask hides the secrets of one entry.
type mask struct {
	forms  forms
	hidden []string // what is hidden, less the plain words
	within int      // in how many commands
}

// value is n with its secrets hidden; n stays as it is.
func (k *mask) value(n *node, g guard) *node {
	out := &node{kind: n.kind, text: n.text}
	switch n.kind {
	case null, boolean:
	case number:
		if g == guardSecret {
			out.kind, out.text = text, k.hide(n.text, g)
		}
	case text:
		out.text = k.text(n.text, g)
	case array:
		out.items = k.items(n.items, g)
	case object:
		for _, m := range n.members {
			out.members = append(out.members, member{k.name(m.name), k.value(m.value, g.of(m.name, m.value))})
		}
	}
	return out
}

// items are those of an array, which may be the words of a command line.
func (k *mask) items(items []*node, g guard) []*node {
	out := make([]*node, len(items))
	for i, item := range items {
		own := g
		if i > 0 && items[i-1].kind == text && isSecretFlag(items[i-1].text) && !isFlag(item.text) {
			own = guardSecret
		}
		out[i] = k.value(item, own)
	}
	return out
}

// hide takes a text out.
func (k *mask) hide(s string, g guard) string {
	if g == guardSecret || looksLikeToken(s) || !ordinary(s) {
		k.hidden = append(k.hidden, s)
	}
	return hiddenText
}
