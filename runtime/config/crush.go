package config

import (
	"cmp"
	"path/filepath"
	"slices"
)

// crushPlaces has first what Crush itself writes about a project, which is
// stronger than what the project says.
func crushPlaces(s *site) []place {
	own := crushDialect()
	file := func(path string) projectFile { return projectFile{path: path, dialect: own, read: readCrush} }
	script := func(path string) projectFile {
		return projectFile{path: path, read: readCrushScript, language: parseNothing}
	}
	places := s.inProject(file(".crush/crush.json"))
	places = append(places, s.inProject(script(".crushrc"), script("crushrc"), file(".crush.json"), file("crush.json"))...)
	config := s.crushConfig()
	places = append(
		places,
		s.ofUser(filepath.Join(s.crushData(), "crush.json"), own, readCrush),
		s.ofUser(filepath.Join(config, "crushrc"), nil, readCrushScript).in(parseNothing),
		s.ofUser(filepath.Join(config, "crush.json"), own, readCrush))
	if s.os == "windows" {
		return places
	}
	return append(places, s.ofUser("/etc/crush/crush.json", own, readCrush))
}

func (s *site) crushConfig() string {
	return cmp.Or(s.pathFrom("CRUSH_GLOBAL_CONFIG"), filepath.Join(s.configHome(), "crush"))
}

// crushData is where Crush keeps what it writes itself.
func (s *site) crushData() string {
	if dir := s.pathFrom("CRUSH_GLOBAL_DATA"); dir != "" {
		return dir
	}
	data := s.home(".local", "share")
	if s.os == "windows" {
		data = s.dirFrom("LOCALAPPDATA", "AppData", "Local")
	}
	return filepath.Join(cmp.Or(s.pathFrom("XDG_DATA_HOME"), data), "crush")
}

// parseNothing is the parser of what is not read.
func parseNothing(doc *document, _ []byte) (*node, *syntaxError) {
	return &node{kind: object, doc: doc, line: 1, column: 1}, nil
}

func readCrushScript(r *reading) {
	r.warn(r.root, "", "a shell script, which is never run here: servers that it adds are not known")
}

// readCrush leaves out the tokens of logins: they are Crush's, and change with
// every refresh. What has nothing else is no server.
func readCrush(r *reading) {
	r.readServersAt("mcp", "mcpServers", "servers")
	r.found = slices.DeleteFunc(r.found, func(def definition) bool {
		return len(def.node.members) == 1 && def.node.get(crushToken) != nil
	})
	for i, def := range r.found {
		if def.node.get(crushToken) != nil {
			r.found[i].node = def.node.without(crushToken)
		}
	}
}

const crushToken = "oauth_token"

func crushDialect() *dialect {
	return &dialect{
		forms: formBare | formVariable | formDefaultEmpty | formWord | formSubstitution |
			formUnsetEmpty | formEmptyHeader,
		decode: decodeCrush,
		silent: []string{"$schema", "description", "oauth"},
	}
}

func decodeCrush(f *fields) {
	e := f.e
	e.Command = f.str("command")
	e.Args = f.list("args")
	e.Env = f.table("env", nil)
	e.URL = f.str("url")
	e.Headers = f.table("headers", nil)
	e.Timeout = f.seconds("timeout")
	if names := f.exactNames("enabled_tools"); len(names) > 0 {
		e.Include = names
	}
	e.Exclude = f.exactNames("disabled_tools")
	auth := Auth{
		ClientID:     f.str("oauth_client_id"),
		ClientSecret: f.str("oauth_client_secret"),
		CallbackPort: f.port(f.get("oauth_callback_port")),
	}
	if auth.ClientID != "" || auth.CallbackPort != 0 {
		e.Auth = &auth
	}
	f.enabled()
	f.transport()
}
