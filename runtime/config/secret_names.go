package config

import (
	"regexp"
	"strings"
	"unicode"
)

// soundsSecret says whether what has this name is likely to be a secret: the
// name of a variable, a header, a flag, a parameter or a member.
func soundsSecret(name string) bool {
	lower := strings.ToLower(name)
	for _, part := range []string{"token", "secret", "passw", "passphrase", "passcode", "apikey", "credential", "bearer", "cookie"} {
		if strings.Contains(lower, part) {
			return true
		}
	}
	for _, word := range nameWords(name) {
		switch word {
		case "pass", "pwd", "pat", "key", "keys", "auth", "oauth", "authorization", "authentication",
			"private", "session", "sessid", "sig", "signature", "jwt", "creds", "otp", "pin":
			return true
		}
	}
	return false
}

// nameWords are the words of a name, in lower case, however it joins them:
// API_KEY, api-key, apiKey.
func nameWords(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}

// isTable says whether an object of this name has variables or headers.
func isTable(name string) bool {
	words := nameWords(name)
	if len(words) == 0 {
		return false
	}
	switch words[len(words)-1] {
	case "env", "envs", "environment", "header", "headers":
		return true
	}
	return false
}

// isAccount says whether an object of this name says as whom a server is
// reached.
func isAccount(name string) bool {
	switch strings.ToLower(name) {
	case "auth", "oauth", "oauth2", "authorization", "authentication":
		return true
	}
	return false
}

// isPublic says whether a member of such an object is for everybody to see.
func isPublic(name string) bool {
	switch strings.ToLower(name) {
	case "clientid", "client_id", "scope", "scopes", "flow", "type", "callbackport", "callback_port", "provider":
		return true
	}
	return false
}

// namesVariables says whether a member of this name holds names of variables
// rather than values.
func namesVariables(name string) bool {
	lower := strings.ToLower(name)
	for _, end := range []string{"env_var", "env_vars", "envvar", "envvars", "env_keys", "env_http_headers"} {
		if strings.HasSuffix(lower, end) {
			return true
		}
	}
	return false
}

// tokenLength is how short a token may be that nothing else gives away.
const tokenLength = 20

var (
	// tokenPrefix is how tokens of well-known services begin.
	tokenPrefix = regexp.MustCompile(`^(sk|pk|rk)[-_]|^gh[oprsu]_|^github_pat_|^glpat-|^xox[a-z]-|^xapp-|^AIza|^ya29\.|^A[KS]IA[0-9A-Z]` +
		`|^eyJ[A-Za-z0-9_-]+\.|^(npm|hf|pypi|ntn|shpat|lin_api|dop_v1)[-_]|^SG\.`)
	tokenText = regexp.MustCompile(`^[A-Za-z0-9_+=~%-]+$`)
	uuid      = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)
)

// looksLikeToken says whether a text without spaces is likely to be a secret
// by its looks alone: letters and digits mixed as no word mixes them.
func looksLikeToken(s string) bool {
	switch {
	case len(s) >= 12 && tokenPrefix.MatchString(s), uuid.MatchString(s):
		return true
	case len(s) < tokenLength || !tokenText.MatchString(s):
		return false
	}
	changes := 0
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("-_+=~%", r) }) {
		n := 0
		for i := 1; i < len(part); i++ {
			if isDigit(part[i]) != isDigit(part[i-1]) {
				n++
			}
		}
		if n > 0 && len(part) >= 16 {
			return true
		}
		changes += n
	}
	return changes >= 3
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

var plainWord = regexp.MustCompile(`^[A-Za-z]+([-_. ,:/][A-Za-z]+)*$`)

// ordinary says whether a text is made of plain words, such as "production":
// they are in every second log, and hiding them there would hide the log.
func ordinary(s string) bool { return len(s) <= 40 && plainWord.MatchString(s) }

// isEverybodys says whether a variable's value is no secret, whatever refers to it:
// those that every program has. Their values are parts of paths that people must
// be able to read.
func isEverybodys(variable string) bool {
	switch variable {
	case "HOME", "PATH", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "HOSTNAME", "TZ",
		"TMPDIR", "TMP", "TEMP", "EDITOR", "PAGER", "DISPLAY", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA",
		"PROGRAMDATA", "SYSTEMROOT", "COMSPEC", "VIRTUAL_ENV", "NODE_PATH", "PYTHONPATH", "GOPATH", "JAVA_HOME":
		return true
	}
	return strings.HasPrefix(variable, "XDG_") || strings.HasPrefix(variable, "LC_")
}
