package config

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// assignment is NAME=VALUE, --flag=VALUE or Header: VALUE.
	assignment = regexp.MustCompile(`(?s)^(-{0,2}[A-Za-z][A-Za-z0-9_.-]*)(\s*[=:]\s*)(.+)$`)
	// address is the beginning of a URL.
	address = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)
	// authScheme is how the value of an Authorization header begins.
	authScheme = regexp.MustCompile(`(?i)^\s*(bearer|basic|token|bot|digest|apikey)\s+`)
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

func isFlag(s string) bool { return strings.HasPrefix(s, "-") }

// isSecretFlag says whether the next word of a command line is a secret.
func isSecretFlag(s string) bool {
	return isFlag(s) && !strings.ContainsAny(s, "=: ") && soundsSecret(s)
}

// text is a string of an entry with its secrets hidden.
func (k *mask) text(s string, g guard) string {
	if len(s) > maxShown {
		return k.hide(s, guardSecret)
	}
	if command, ok := shellCommand(s, k.forms); ok && g != guardName {
		return s[:len(s)-len(strings.TrimLeft(s[1:], " \t"))] + k.command(command)
	}
	switch g {
	case guardOpen:
		return k.loose(s, true)
	case guardName:
		if identifier.MatchString(s) && !isValueForName(s) {
			return s
		}
		return k.pieces(s, guardSecret)
	case guardAccount, guardTable:
		if utf8.RuneCountInString(s) < MinSecret || k.harmlessPath(s) {
			return s
		}
		if address.MatchString(s) {
			return k.address(s, true)
		}
	case guardSecret:
	}
	return k.pieces(s, g)
}

func (k *mask) harmlessPath(s string) bool {
	if !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "~") && !strings.HasPrefix(s, "./") && !strings.HasPrefix(s, "../") {
		return false
	}
	return !strings.ContainsAny(s, "=@") && !slices.ContainsFunc(strings.Split(s, "/"), looksLikeToken)
}

// loose hides what looks like a secret in a text that is likely to be none.
// Assigned says whether it may be NAME=VALUE.
func (k *mask) loose(s string, assigned bool) string {
	if address.MatchString(s) && !strings.ContainsFunc(s, unicode.IsSpace) {
		return k.address(s, false)
	}
	if m := assignment.FindStringSubmatch(s); assigned && m != nil && !address.MatchString(s) {
		switch {
		case soundsSecret(m[1]):
			return m[1] + m[2] + k.text(m[3], guardSecret)
		case !strings.ContainsFunc(s, unicode.IsSpace):
			return m[1] + m[2] + k.loose(m[3], false)
		}
	}
	if strings.ContainsFunc(s, unicode.IsSpace) {
		return k.line(s)
	}
	return k.pieces(s, guardOpen)
}

// command is a command with its secrets hidden.
func (k *mask) command(s string) string {
	if k.within == maxFallbacks {
		return k.hide(s, guardSecret)
	}
	k.within++
	defer func() { k.within-- }()
	return k.line(s)
}

// spaced are the words of a text and the space between them, in turn.
func spaced(s string) []string {
	var parts []string
	from, blank := 0, false
	for i, r := range s {
		if space := unicode.IsSpace(r); i > 0 && space != blank {
			parts = append(parts, s[from:i])
			from, blank = i, space
		} else if i == 0 {
			blank = space
		}
	}
	return append(parts, s[from:])
}

// line hides the secrets among the words of a command line, or of a sentence.
func (k *mask) line(s string) string {
	var b strings.Builder
	next := false // the next word is a secret
	for _, word := range spaced(s) {
		bare := strings.Trim(word, `'"`)
		lead := word[:strings.Index(word, bare)]
		tail := word[len(lead)+len(bare):]
		switch {
		case bare == "" || strings.TrimSpace(word) == "":
			b.WriteString(word)
			continue
		case next && authScheme.MatchString(bare+" "):
			b.WriteString(word)
			continue
		case next && !isFlag(bare):
			bare = k.pieces(bare, guardSecret)
			next = false
		default:
			label := strings.TrimRight(bare, ":=")
			next = isSecretFlag(bare) || label != bare && soundsSecret(label)
			bare = k.loose(bare, true)
		}
		b.WriteString(lead + bare + tail)
	}
	return b.String()
}

// pieces keeps the references of a text and hides what is written out, as far
// as the guard says.
func (k *mask) pieces(s string, g guard) string {
	var b strings.Builder
	for _, p := range k.references(s) {
		if p.reference {
			b.WriteString(p.text)
		} else {
			b.WriteString(k.literal(p.text, g))
		}
	}
	return b.String()
}

// literal is text between references.
func (k *mask) literal(s string, g guard) string {
	kept := ""
	if g == guardSecret || g == guardTable {
		kept = authScheme.FindString(s)
		s = s[len(kept):]
	}
	switch {
	case s == "", !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r > unicode.MaxASCII }) && len(s) < MinSecret:
		return kept + s // punctuation
	case g == guardOpen:
		// What a shell or a sentence puts around it is no part of a token.
		bare := strings.Trim(s, "$()[]{}<>.,:;!?&|*`'\"")
		if !looksLikeToken(bare) {
			return s
		}
		before, after, _ := strings.Cut(s, bare)
		return before + k.hide(bare, g) + after
	case (g == guardTable || g == guardAccount) && kept == "" && utf8.RuneCountInString(s) < MinSecret:
		return kept + s
	}
	return kept + k.hide(s, g)
}

// address hides the secrets of a URL. Strict hides every value of its query.
func (k *mask) address(s string, strict bool) string {
	start := len(address.FindString(s))
	rest, query, asked := strings.Cut(s[start:], "?")
	mark := "?"
	if !asked {
		rest, query, asked = strings.Cut(s[start:], "#")
		mark = "#"
	}
	authority, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		authority = k.account(authority[:at]) + authority[at:]
	} else if _, port, colon := strings.Cut(authority, ":"); colon && strings.Trim(port, "0123456789") != "" && strings.Contains(path, "@") {
		// A password with a slash that should have been escaped.
		at := strings.LastIndex(rest, "@")
		authority, path, _ = strings.Cut(rest[at:], "/")
		authority = hiddenText + authority
		k.hide(rest[:at], guardSecret)
	}
	out := s[:start] + authority
	if strings.Contains(rest, "/") {
		elements := strings.Split(path, "/")
		for i, element := range elements {
			elements[i] = k.pieces(element, guardOpen)
		}
		out += "/" + strings.Join(elements, "/")
	}
	if asked {
		out += mark + k.query(query, strict)
	}
	return out
}

// account hides user and password, each of which may turn up alone.
func (k *mask) account(userinfo string) string {
	user, password, both := strings.Cut(userinfo, ":")
	if !both {
		return k.pieces(user, guardSecret)
	}
	return k.pieces(user, guardSecret) + ":" + k.pieces(password, guardSecret)
}

func (k *mask) query(query string, strict bool) string {
	parts := strings.SplitAfter(strings.ReplaceAll(query, "#", "&#"), "&")
	for i, part := range parts {
		end := strings.TrimSuffix(part, "&")
		name, value, ok := strings.Cut(end, "=")
		switch {
		case !ok:
			end = k.pieces(end, guardOpen)
		case strict, soundsSecret(name):
			end = name + "=" + k.pieces(value, guardSecret)
		default:
			end = name + "=" + k.pieces(value, guardOpen)
		}
		parts[i] = end + part[len(strings.TrimSuffix(part, "&")):]
	}
	return strings.ReplaceAll(strings.Join(parts, ""), "&#", "#")
}
