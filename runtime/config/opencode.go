package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// opencodeContent is the variable whose value is a configuration.
const opencodeContent = "OPENCODE_CONFIG_CONTENT"

func opencodePlaces(s *site) []place {
	own := opencodeDialect()
	// Of the two files of a directory .jsonc is the stronger.
	both := func(dir string) []place {
		return []place{
			s.ofUser(filepath.Join(dir, "opencode.jsonc"), own, readOpenCode),
			s.ofUser(filepath.Join(dir, "opencode.json"), own, readOpenCode),
		}
	}
	var places []place
	if text := s.env(opencodeContent); text != "" {
		inline := s.ofUser("$"+opencodeContent, own, readOpenCode)
		inline.inline = text
		places = append(places, inline)
	}
	if !slices.ContainsFunc([]string{"OPENCODE_DISABLE_PROJECT_CONFIG", "OPENCODE_CONFIG_PROJECT_DISABLE"}, s.isOn) {
		// Every .opencode directory, also one far up, before any file beside it.
		for _, dir := range []string{".opencode/", ""} {
			places = append(places, s.inProject(
				projectFile{path: dir + "opencode.jsonc", dialect: own, read: readOpenCode},
				projectFile{path: dir + "opencode.json", dialect: own, read: readOpenCode},
			)...)
		}
	}
	if file := s.pathFrom("OPENCODE_CONFIG"); file != "" {
		places = append(places, s.ofUser(file, own, readOpenCode))
	}
	if dir := s.pathFrom("OPENCODE_CONFIG_DIR"); dir != "" {
		places = append(places, both(dir)...)
	}
	places = append(places, both(s.home(".opencode"))...)
	return append(places, both(filepath.Join(s.configHome(), "opencode"))...)
}

// isOn says that a variable switches something on.
func (s *site) isOn(name string) bool {
	value := s.env(name)
	return value == "1" || strings.EqualFold(value, "true")
}

func opencodeDialect() *dialect {
	return &dialect{
		forms:  formSingleBraces | formUnsetEmpty,
		decode: decodeOpenCode,
		silent: []string{"codemode"},
	}
}

// readOpenCode reads "mcp", which holds servers by name (version 1), or them
// under "servers" and limits for all under "timeout" (version 2). A server may
// have either name.
func readOpenCode(r *reading) {
	r.repeated(r.root, "", nil, "mcp")
	mcp := r.objectIn(r.root, "mcp")
	if mcp == nil {
		if r.root.get("mcp") == nil {
			r.misnamed("mcp", "mcpServers")
		}
		return
	}
	r.repeated(mcp, "", nil)
	for _, m := range mcp.members {
		switch {
		case isOpenCodeServer(m.value):
			r.define(m.name, m.value)
		case m.name == "servers":
			r.openCodeServers(m.value)
		case m.name == "timeout":
			r.warn(m.value, "", "mcp.timeout: limits for all servers are not supported: give each server its own")
		default:
			r.define(m.name, m.value)
		}
	}
}

// isOpenCodeServer says that a member of "mcp" is a server, whatever its name.
func isOpenCodeServer(n *node) bool {
	return slices.ContainsFunc([]string{"type", "enabled"}, func(name string) bool {
		v := n.get(name)
		return v != nil && v.kind != object
	})
}

// openCodeServers reads the servers of version 2. There one that is complete
// replaces a weaker one, where version 1 merges the two.
func (r *reading) openCodeServers(n *node) {
	from := len(r.found)
	r.servers(n)
	for i := range r.found[from:] {
		def := &r.found[from+i]
		def.whole = def.node.get("type") != nil
	}
}

func decodeOpenCode(f *fields) {
	if (f.given("enabled") || f.given("disabled")) && !f.given("type") && !f.given("command") && !f.given("url") {
		f.skip("switches a server that no file here describes: one of an organisation's configuration on the network is not read")
		return
	}
	e := f.e
	f.openCodeCommand()
	e.Env = f.openCodeTable("environment")
	e.Cwd = f.openCodeText(f.get("cwd"))
	e.URL = f.openCodeText(f.get("url"))
	e.Headers = f.openCodeTable("headers")
	f.openCodeTimeout()
	f.openCodeOAuth()
	f.enabled()
	f.transport()
}

// openCodeCommand reads "command", which is the program and its arguments.
func (f *fields) openCodeCommand() {
	n := f.get("command")
	words := f.listOf(n)
	for i := range words {
		words[i] = f.withFiles(words[i], n.items[i])
	}
	if len(words) == 0 {
		if n != nil && n.kind == array && len(n.items) == 0 {
			f.invalid(n, `command: expected the program and its arguments, found nothing`)
		}
		return
	}
	f.e.Command = words[0]
	if len(words) > 1 {
		f.e.Args = words[1:]
	}
}

// openCodeTimeout reads milliseconds: one limit for every request, or one for
// starting the server, one for listing what it has, and one for calls.
func (f *fields) openCodeTimeout() {
	n := f.get("timeout")
	if n == nil || n.kind != object {
		f.e.Timeout = f.milliseconds("timeout")
		f.e.CallTimeout = f.e.Timeout
		return
	}
	start, list := present(n.get("startup")), present(n.get("catalog"))
	if start == nil {
		start = list
	}
	f.e.Timeout = f.millisecondsOf(start)
	f.e.CallTimeout = f.millisecondsOf(n.get("execution"))
}

// openCodeOAuth reads "oauth", with the names of both versions. False switches
// off a login that nobody starts unless the server asks for it.
func (f *fields) openCodeOAuth() {
	n := f.get("oauth")
	if n == nil || n.kind == boolean && n.text == "false" {
		return
	}
	if n.kind != object {
		f.expected(n, "an object or false")
		return
	}
	f.repeated(n, f.e.Name, f.obj)
	either := func(one, other string) *node {
		if m := present(n.get(one)); m != nil {
			return m
		}
		return present(n.get(other))
	}
	f.e.Auth = &Auth{
		ClientID:     f.openCodeText(either("clientId", "client_id")),
		ClientSecret: f.openCodeText(either("clientSecret", "client_secret")),
		Scopes:       strings.Fields(f.textOf(n.get("scope"))),
		CallbackPort: f.port(either("callbackPort", "callback_port")),
	}
	for _, name := range []string{"redirectUri", "redirect_uri", "authorizationEndpoint", "tokenEndpoint"} {
		f.unsupported(n.get(name), "the login is as the server describes it")
	}
}

// openCodeText reads a string in which relative {file:…} become absolute: each
// is relative to the file that the value is in, and those of an entry may come
// from several files.
func (f *fields) openCodeText(n *node) string {
	return f.withFiles(f.textOf(n), n)
}

func (f *fields) openCodeTable(name string) map[string]string {
	table := f.table(name, nil)
	for key, value := range table {
		table[key] = f.withFiles(value, f.obj.get(name).get(key))
	}
	return table
}

// withFiles is a value, which stands at n, with the absolute paths of its files.
func (f *fields) withFiles(value string, n *node) string {
	if !strings.Contains(value, "{file:") {
		return value
	}
	// Text that is in no file is about the working directory.
	dir := f.e.base
	if filepath.IsAbs(n.doc.path) {
		dir = filepath.Dir(n.doc.path)
	}
	var b strings.Builder
	for _, p := range split(value, f.e.forms) {
		if p.kind == contents && !filepath.IsAbs(p.name) && !strings.HasPrefix(p.name, "~/") && !strings.HasPrefix(p.name, "{env:") {
			p.text = "{file:" + filepath.Join(dir, p.name) + "}"
		}
		b.WriteString(p.text)
	}
	return b.String()
}
