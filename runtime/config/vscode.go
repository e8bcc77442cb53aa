package config

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

func vscodePlaces(s *site) []place {
	editor := vscodeDialect()
	places := s.inProject(
		projectFile{path: ".vscode/mcp.json", dialect: editor, read: readVSCode},
		projectFile{path: "*.code-workspace", dialect: editor, read: readCodeWorkspace},
		projectFile{path: ".vscode/settings.json", dialect: editor, read: readVSCodeSettings},
	)
	places = append(places, s.inProject(projectFile{path: copilotProjectFile, dialect: copilotDialect(), read: readMCPServers})...)
	own := s.ownFiles()
	for _, path := range withNew(s.vscodeUserFiles(), own) {
		user := s.ofUser(path, editor, readVSCode)
		user.named = slices.Contains(own, path)
		places = append(places, user)
	}
	copilot := filepath.Join(s.dirFrom("COPILOT_HOME", ".copilot"), copilotUserFile)
	return append(places, s.ofUser(copilot, copilotDialect(), readMCPServers))
}

// vscodeUserFiles are the files of the default profile: on a machine that the
// editor works on from another one, that of its server first.
func (s *site) vscodeUserFiles() []string {
	servers := []string{s.home(".vscode-server"), s.home(".vscode-server-insiders"), s.home(".vscode-remote")}
	if dir := s.pathFrom("VSCODE_AGENT_FOLDER"); dir != "" {
		servers = []string{dir}
	}
	var data []string
	for _, dir := range servers {
		data = append(data, filepath.Join(dir, "data"))
	}
	root := cmp.Or(s.pathFrom("VSCODE_APPDATA"), s.appConfig())
	if dir := s.pathFrom("VSCODE_PORTABLE"); dir != "" {
		data = append(data, filepath.Join(dir, "user-data"))
	} else {
		for _, product := range []string{"Code", "Code - Insiders", "VSCodium"} {
			data = append(data, filepath.Join(root, product))
		}
	}
	files := make([]string, len(data))
	for i, dir := range data {
		files[i] = filepath.Join(dir, "User", "mcp.json")
	}
	return files
}

// vscodeDialect is that of the editor, in which a variable that is not set is
// empty.
func vscodeDialect() *dialect {
	return &dialect{
		forms:  formEnv | formInput | formEditor | formUnsetEmpty,
		decode: decodeVSCode,
		silent: []string{"$schema", "description", "name", "gallery", "version"},
	}
}

func decodeVSCode(f *fields) {
	e := f.e
	f.words = map[string]string{"type": "transport"}
	f.reach(func(name string) { e.UnsetEnv = append(e.UnsetEnv, name) })
	if scheme, _, ok := strings.Cut(e.URL, "://"); ok && (scheme == "unix" || scheme == "pipe") {
		f.invalid(f.get("url"), "url: %s:// addresses are not supported: use http:// or https://", scheme)
	}
	if n := f.object("oauth"); n != nil {
		e.Auth = &Auth{ClientID: f.textOf(n.get("clientId"))}
	}
	f.unsupported(f.get("sandbox"), "the server runs without a sandbox")
	if f.flag("sandboxEnabled", false) {
		f.unsupported(f.get("sandboxEnabled"), "the server runs without a sandbox")
	}
	f.note(f.get("dev"), "for developing the server in VS Code: it has no effect here")
	f.enabled()
	f.transport()
	f.envFile()
}

func readVSCode(r *reading) {
	r.readVSCodeObject(r.root)
	if r.root.get("servers") == nil {
		r.misnamed("servers", "mcpServers")
	}
}

// readCodeWorkspace reads a workspace file: its own "mcp", as in mcp.json, and
// the older one among its settings.
func readCodeWorkspace(r *reading) {
	if n := r.objectIn(r.root, "mcp"); n != nil {
		r.readVSCodeObject(n)
	}
	if n := r.objectIn(r.root, "settings"); n != nil {
		r.readMCPSetting(n)
	}
}

func readVSCodeSettings(r *reading) { r.readMCPSetting(r.root) }

// readMCPSetting reads the setting "mcp.servers", written with a dot or nested.
func (r *reading) readMCPSetting(settings *node) {
	if n := r.objectIn(settings, "mcp"); n != nil {
		r.readVSCodeObject(n)
	}
	if n := settings.get("mcp.servers"); n != nil {
		r.inputs = readInputs(r.report, settings.get("mcp.inputs"))
		r.servers(n)
	}
}

func (r *reading) readVSCodeObject(n *node) {
	r.repeated(n, "", nil, "servers", "inputs")
	r.inputs = readInputs(r.report, n.get("inputs"))
	r.servers(n.get("servers"))
}

// readInputs reads the definitions of ${input:…}. One that makes no sense is
// left out with a warning: the id alone is enough to ask for a value.
func readInputs(r *report, n *node) map[string]Input {
	if present(n) == nil {
		return nil
	}
	if n.kind != array {
		r.warn(n, "", "%s: expected an array, found %v", n.label(nil), n.kind)
		return nil
	}
	inputs := make(map[string]Input, len(n.items))
	for _, item := range n.items {
		id := item.get("id")
		if id == nil || id.kind != text {
			r.warn(item, "", `%s: expected an object with a string "id"`, item.label(nil))
			continue
		}
		in := Input{
			ID: id.text, Type: stringIn(item, "type"), Description: stringIn(item, "description"),
			Default: stringIn(item, "default"),
		}
		if password := item.get("password"); password != nil {
			in.Password = password.text == "true"
		}
		if options := item.get("options"); options != nil {
			for _, option := range options.items {
				// An option is its value, or an object of label and value.
				value := option.text
				if option.kind == object {
					value = stringIn(option, "value")
				}
				in.Options = append(in.Options, value)
			}
		}
		inputs[in.ID] = in
	}
	return inputs
}

func stringIn(n *node, name string) string {
	if v := n.get(name); v != nil && v.kind == text {
		return v.text
	}
	return ""
}
