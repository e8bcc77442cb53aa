//go:build unix

package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// conversation is the host's side of one session, which answers what it is
// asked and keeps all that it is told.
type conversation struct {
	*cage
	s    *sidecar
	asks map[string]string // methods of the requests that are open, by id
	last int               // id of the last request
}

// session says everything a host can say, and has every server fail.
func (c *cage) session() {
	t := c.w.t
	log := c.w.path("state/sidecar.log")
	talk := &conversation{cage: c, asks: map[string]string{}}
	settings := c.settings()
	talk.s = c.w.start(headers, []string{"--log-level", "debug", "--log-file", log}, c.variables())
	talk.ask("runtime/initialize", c.w.expand(`{$INIT,"capabilities":{"approve":true,"input":true},"settings":`+settings+`}`))
	talk.ask("mcp/wait", `{"timeoutMs":20000}`)
	c.lookAtProcesses()
	talk.survey()
	talk.fail()
	talk.survey()
	talk.change()
	talk.survey()
	must(t, talk.s.stop())
	delete(c.environment, "CANARY_HOST_VARIABLE") // nothing but the host's settings says that it is one
	c.hear("stderr", talk.s.stderr.String())
}

// settings are a host's, with servers of its own.
func (c *cage) settings() string {
	var files []string
	for path := range c.planted {
		if strings.HasPrefix(path, c.w.path("home/odd/")) {
			files = append(files, path)
		}
	}
	list, err := json.Marshal(files)
	must(c.w.t, err)
	return c.fill(`{"reconnect":"manual","startup":{"gateMs":0,"uncached":"background"},"timeouts":{"connectMs":20000},
		"discovery":{"files":` + string(list) + `},"servers":{
		"host": {"command": "$FAKE", "args": ["$SCRIPT(leaks)", "--token", "%{weak:host-flag}"], "env": {"LEAK_TOKEN": "%{odd:host-literal}", "LEAK_A": "${%{env:host-variable}}"}},
		"host-http": {"url": "$ECHO/401?api_key=%{weak:host-query}", "headers": {"Authorization": "Bearer %{host-bearer}"}},
		"host-odd": {"command": "true", "env": "%{inert host-odd}", "secret": "%{inert host-unknown}"},
		"host-string": "%{inert host-string}"}}`)
}

// hearMessage sorts a message by what it is, and answers a question.
func (v *conversation) hearMessage(raw json.RawMessage) (id, method string, result json.RawMessage) {
	var m struct {
		ID             json.RawMessage
		Method         string
		Params, Result json.RawMessage
		Error          json.RawMessage
	}
	must(v.w.t, json.Unmarshal(raw, &m))
	id, method = strings.Trim(string(m.ID), `"`), m.Method
	if method == "" {
		method = v.asks[id]
		delete(v.asks, id)
		if method != "tell" {
			v.hear(method, string(raw))
		}
		return id, "", m.Result
	}
	v.hear(method, string(raw))
	switch method {
	case "trust/approve":
		must(v.w.t, v.s.say(fmt.Sprintf(`{"id":%s,"result":{"decisions":{"project-allowed":"allow","project-vscode":"allow","project-waits":"later","project-denied":"deny"}}}`, m.ID)))
	case "input/request":
		var p struct{ ID string }
		must(v.w.t, json.Unmarshal(m.Params, &p))
		answer := fmt.Sprintf("%q", v.inputs[p.ID])
		if strings.HasPrefix(p.ID, "odd") {
			answer = "[" + answer + "]"
		}
		must(v.w.t, v.s.say(fmt.Sprintf(`{"id":%s,"result":{"value":%s}}`, m.ID, answer)))
	}
	return id, method, nil
}

// ask makes a request and hears everything until its answer.
func (v *conversation) ask(method, params string) json.RawMessage {
	return v.request(method, method, params)
}

func (v *conversation) request(name, method, params string) json.RawMessage {
	v.w.t.Helper()
	v.last++
	mine := fmt.Sprint(v.last)
	v.asks[mine] = name
	must(v.w.t, v.s.say(fmt.Sprintf(`{"id":%s,"method":%q,"params":%s}`, mine, method, params)))
	for {
		raw, err := v.s.next()
		must(v.w.t, err)
		if id, asked, result := v.hearMessage(raw); id == mine && asked == "" {
			return result
		}
	}
}

// servers are the names of all there are.
func (v *conversation) servers() []string {
	var all struct {
		Servers []struct{ Name string }
	}
	must(v.w.t, json.Unmarshal(v.ask("mcp/servers", "{}"), &all))
	var names []string
	for _, s := range all.Servers {
		names = append(names, s.Name)
	}
	return names
}

// survey asks for everything that shows how things are.
func (v *conversation) survey() {
	for _, name := range v.servers() {
		v.ask("mcp/logs", fmt.Sprintf(`{"server":%q,"lines":1000}`, name))
	}
	v.ask("mcp/doctor", "{}")
	v.ask("mcp/doctor", `{"server":"native-env"}`)
	v.ask("trust/list", "{}")
	v.ask("tools/search", `{"query":"tell fail"}`)
	v.ask("tools/snapshot", "{}")
}

// fail has every server answer with an error, report progress, and end.
func (v *conversation) fail() {
	for _, name := range v.servers() {
		for _, tool := range []string{"fail", "slow", "die", "none"} {
			v.ask("tools/call", fmt.Sprintf(`{"server":%q,"tool":%q,"progressToken":%q,"arguments":{"secret":1}}`, name, tool, name+tool))
		}
		v.ask("mcp/connect", fmt.Sprintf(`{"server":%q,"restart":true}`, name))
	}
}

// change has the configuration changed in every way, for better and for worse.
func (v *conversation) change() {
	files := map[string][]byte{}
	for _, name := range []string{"home/.cursor/mcp.json", "home/.gemini/settings.json"} {
		data, err := os.ReadFile(v.w.path(name))
		must(v.w.t, err)
		files[name] = data
	}
	v.write("home/.cursor/mcp.json", `{"mcpServers": {"cursor": {"command": "true", "env": {"TOKEN": %{inert changed-to-worse}}}`)
	v.write("home/.gemini/settings.json", `{"mcpServers": {"gemini": {"command": "$FAKE", "args": ["$SCRIPT(leaks)"], "env": {"LEAK_TOKEN": "%{weak:changed-token}"}}}}`)
	v.ask("mcp/reload", `{"mode":"changed"}`)
	v.ask("mcp/wait", `{"timeoutMs":20000}`)
	v.ask("runtime/configure", v.fill(`{"settings":{"servers":{"host":{"command":"$FAKE","args":["$SCRIPT(leaks)"],"env":{"LEAK_TOKEN":"%{configured-token}"}},
		"later":{"command":"true","args":"%{inert configured-args}"}},"apiKey":"%{inert configured-unknown}"}}`))
	v.ask("runtime/configure", v.fill(`{"settings":{"servers":"%{inert configured-servers}"}}`))
	v.ask("runtime/configure", v.fill(`{"settings":{"servers":["%{inert configured-array}"],"reconnect":"%{token:inert configured-reconnect}"}}`))
	v.ask("runtime/configure", v.fill(`{"settings":{"timeouts":{"connectMs":"%{inert configured-timeout}"}}}`))
	v.ask("runtime/configure", v.fill(`{"settings":"%{inert configured-settings}"}`))
	v.ask("runtime/configure", v.fill(`{"settings":{"servers":%{number:inert configured-servers-number}}}`))
	v.ask("tools/call", v.fill(`{"server":"native-env","tool":"fail","arguments":"%{inert call-arguments}"}`))
	body := v.fill(`{"jsonrpc":"2.0","id":1,"method":"runtime/configure","params":{"settings":{"servers":{"x":{"env":{"TOKEN":%{inert configured-no-quotes}}}}}}}`)
	must(v.w.t, v.s.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)))
	v.ask("runtime/configure", `{"settings":{"reconnect":"auto"}}`)
	for name, data := range files {
		v.w.write(v.w.path(name), data)
	}
	v.ask("mcp/reload", `{"mode":"full"}`)
	v.ask("mcp/wait", `{"timeoutMs":300}`)
	v.ask("tools/call", `{"server":"claude","tool":"die"}`)
	v.ask("mcp/wait", `{"servers":["claude"],"timeoutMs":300}`)
	v.ask("mcp/disconnect", `{"server":"zed"}`)
	var list struct {
		Servers []struct{ Name, Hash string }
	}
	must(v.w.t, json.Unmarshal(v.ask("trust/list", "{}"), &list))
	for _, s := range list.Servers {
		if s.Name == "project-vscode" {
			v.ask("trust/revoke", fmt.Sprintf(`{"server":%q,"hash":%q}`, s.Name, s.Hash))
			v.ask("trust/allow", fmt.Sprintf(`{"server":%q,"hash":%q}`, s.Name, s.Hash))
		}
	}
}

// lookAtProcesses hears the command lines of the sidecar and of its guard, which
// everybody on the machine can read. Those of servers are as entries have them.
func (c *cage) lookAtProcesses() {
	lines, seen := commandLines(), 0
	for _, line := range lines {
		program, _, _ := strings.Cut(line, " ")
		if program == binaries.sidecar || program == "mcp-sidecar-guard" {
			c.hear("command line", line)
			seen++
		}
	}
	if seen < 2 && len(lines) > 0 {
		c.w.t.Errorf("saw %d processes of the sidecar, want it and its guard", seen)
	}
}
