package config

import "path/filepath"

func vscodePlaces(s *site) []place {
	editor := vscodeDialect()
	places := s.inProject(
		projectFile{path: ".vscode/mcp.json", dialect: editor, read: readVSCode},
		projectFile{path: "*.code-workspace", dialect: editor, read: readCodeWorkspace},
		projectFile{path: ".vscode/settings.json", dialect: editor, read: readVSCodeSettings},
	)
	for _, product := range []string{"Code", "Code - Insiders", "VSCodium"} {
		places = append(places, s.ofUser(filepath.Join(s.appConfig(), product, "User", "mcp.json"), editor, readVSCode))
	}
	copilot := filepath.Join(s.dirFrom("COPILOT_HOME", ".copilot"), "mcp-config.json")
	return append(places, s.ofUser(copilot, copilotDialect(), readMCPServers))
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
