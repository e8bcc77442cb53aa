package config

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// goosePlaces are the user's file, those that a variable adds, of which the last
// is the strongest, and the system's.
func goosePlaces(s *site) []place {
	d := gooseDialect()
	separator, system := ":", "/etc/goose"
	if s.os == "windows" {
		separator = ";"
		system = filepath.Join(cmp.Or(s.env("PROGRAMDATA"), `C:\ProgramData`), "goose")
	}
	paths := []string{filepath.Join(s.gooseConfig(), "config.yaml")}
	added := strings.Split(s.env("GOOSE_ADDITIONAL_CONFIG_FILES"), separator)
	slices.Reverse(added)
	paths = append(paths, added...)
	paths = append(paths, filepath.Join(system, "config.yaml"))
	places := make([]place, len(paths))
	for i, path := range paths {
		places[i] = s.ofUser(path, d, readGoose).in(parseYAML)
	}
	return places
}

func (s *site) gooseConfig() string {
	if root := s.pathFrom("GOOSE_PATH_ROOT"); root != "" {
		return filepath.Join(root, "config")
	}
	if s.os == "windows" {
		return filepath.Join(s.appConfig(), "Block", "goose", "config")
	}
	return filepath.Join(s.configHome(), "goose")
}

func readGoose(r *reading) { r.readServersAt("extensions", "mcpServers") }

func gooseDialect() *dialect {
	return &dialect{
		forms:  formEnv | formKeyring,
		decode: decodeGoose,
		silent: []string{"name", "description", "display_name", "bundled"},
	}
}

func decodeGoose(f *fields) {
	e := f.e
	switch stringIn(f.obj, "type") {
	case "builtin", "platform", "frontend", "inline_python":
		f.skipped = true
		return
	}
	f.words = map[string]string{"command": "cmd", "env": "envs", "url": "uri"}
	f.reach(nil)
	e.Timeout = f.seconds("timeout")
	// One for all that is asked of the server.
	e.CallTimeout = e.Timeout
	if names := f.exactNames("available_tools"); len(names) > 0 {
		e.Include = names
	}
	if n := f.get("socket"); n != nil {
		f.invalid(n, "socket: Unix sockets are not supported: remove it and let uri lead to the server")
	}
	f.gooseKeys()
	f.gooseAuth()
	f.enabled()
	f.transport()
}

// gooseKeys reads the names of variables whose values are secrets, and puts
// values into the address and the headers: Goose takes them from these two alone.
func (f *fields) gooseKeys() {
	e := f.e
	keys := f.list("env_keys")
	if len(keys) == 0 {
		e.forms = 0
	}
	for _, key := range keys {
		if _, own := e.Env[key]; own {
			continue
		}
		if e.Env == nil {
			e.Env = make(map[string]string)
		}
		e.Env[key] = "${env:" + key + "}"
	}
	e.URL = f.gooseText(f.get("url"), e.URL)
	for name, value := range e.Headers {
		e.Headers[name] = f.gooseText(f.get("headers"), value)
	}
}

// gooseText puts the values of env into s, which n has. What else looks like a
// variable is plain text.
func (f *fields) gooseText(n *node, s string) string {
	var b strings.Builder
	for _, p := range split(s, formBare|formVariable) {
		value, own := f.e.Env[p.name]
		if p.kind != variable || !own {
			value = p.text
		}
		if b.WriteString(value); b.Len() > maxFile {
			f.invalid(n, "%s: too long with the values of envs in it", n.label(f.obj))
			return s
		}
	}
	return b.String()
}

func (f *fields) gooseAuth() {
	auth := Auth{ClientID: f.str("client_id"), Scopes: f.list("scopes")}
	if key := f.str("client_secret_key"); key != "" {
		auth.ClientSecret = f.e.Env[key]
	}
	if auth.ClientID != "" {
		f.e.Auth = &auth
	}
}
