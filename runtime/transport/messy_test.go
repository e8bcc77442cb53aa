//go:build linux || darwin

package transport

import (
	"os"
	"strings"
)

// runMessy are the scripts of servers that do not know what belongs on stdout.
func (p *peer) runMessy(name string) {
	switch name {
	case "noisy":
		p.noisy()
	case "huge":
		p.serve(p.huge)
	case "asks":
		p.asks()
	case "refuses-version":
		p.refusesVersion()
	case "null-error":
		p.until("server/discover")
		p.write(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}` + "\n")
		p.serve(p.tool)
	case "empty":
		p.empty(p.until("server/discover"))
		p.serve(p.unusable)
	case "shuts":
		p.greet(p.until("initialize"))
		p.until("notifications/initialized")
		_ = os.Stdin.Close()
		_, _ = os.Stderr.WriteString("shut\n")
		select {}
	case "mute":
		p.greet(p.until("initialize"))
		p.until("notifications/initialized")
		os.Stdout.Close()
		select {}
	case "changes":
		p.greet(p.until("initialize"))
		p.until("notifications/initialized")
		p.write(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"db","data":{"a":1}}}` + "\n")
		p.write(changedLine)
		p.serve(p.tool)
	default:
		os.Exit(5)
	}
}

// noisy prints noiseLines lines of noise around its answers.
const noiseLines = 9

func (p *peer) noisy() {
	p.write("\uFEFF\r\n")                   // a BOM alone
	p.write("Server v1 starting… 🚀\n")      // 1
	p.write("{\"level\":\"info\"}\n")       // 2
	p.write("42\n\n   \n\t\r\n")            // 3
	p.write("[1,2]\nnull\n\"text\"\n")      // 4 5 6
	p.write("{\"jsonrpc\":\"2.0\",\"id\":") // 7: cut short
	p.write("\n")
	m := p.until("initialize")
	p.write("\uFEFF  {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":null}}   \r\n", m.ID)
	for {
		m, ok := p.next()
		if !ok {
			return
		}
		switch m.Params.Name {
		case "two":
			other := p.until("tools/call")
			p.write(`{"jsonrpc":"2.0","id":%s,"result":{"n":2}}`+"\n"+`{"jsonrpc":"2.0","id":%s,"result":{"n":1}}`+"\n", other.ID, m.ID)
		case "bytes":
			for _, b := range []byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"é":"✓"}}` + "\n") {
				os.Stdout.Write([]byte{b})
			}
		case "big":
			p.result(m, `{"text":"%s"}`, strings.Repeat("x", 20<<20))
		case "latin1":
			p.result(m, "{\"text\":\"caf\xe9\"}") // 8
		case "deep":
			p.write(`{"jsonrpc":"2.0","method":"x","params":%s%s}`+"\n", strings.Repeat("[", 1500), strings.Repeat("]", 1500)) // 9
			p.result(m, `{}`)
		case "batch":
			p.write(`[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":%s,"result":{}}]`+"\n", m.ID)
		case "joined":
			p.write(`{"jsonrpc":"2.0","method":"n"} {"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", m.ID)
		}
	}
}

// huge answers with one line of 65 MiB and some.
func (p *peer) huge(m incoming) {
	if m.Params.Name == "echo" {
		p.tool(m)
		return
	}
	text := []byte(strings.Repeat("0123456789abcdef", 1<<16)) // 1 MiB
	p.write(`{"jsonrpc":"2.0","id":%s,"result":"`, m.ID)
	for range 65 {
		os.Stdout.Write(text)
	}
	p.write("\"}\n")
}

// asks puts questions of its own, and tells on stderr what it gets.
func (p *peer) asks() {
	m := p.until("initialize")
	p.write(`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}` + "\n")
	p.echoAnswer()
	p.greet(m)
	p.until("notifications/initialized")
	for _, request := range []string{
		`{"jsonrpc":"2.0","id":"p","method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"no/such"}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"roots/list"}`,
	} {
		p.write("%s\n", request)
		p.echoAnswer()
	}
	p.serve(p.tool)
}

func (p *peer) echoAnswer() {
	m, _ := p.next()
	os.Stderr.Write(append([]byte("got "), append(m.raw, '\n')...))
}

func (p *peer) refusesVersion() {
	m := p.until("initialize")
	p.write(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no","data":{"supported":["1999-01-01","2024-11-05"],"requested":"x"}}}`+"\n", m.ID)
	m = p.until("initialize")
	p.result(m, `{"protocolVersion":"2024-11-05"}`)
	p.serve(p.tool)
}

func (p *peer) empty(m incoming) { p.write(`{"jsonrpc":"2.0","id":%s}`+"\n", m.ID) }

// unusable answers with what is no answer.
func (p *peer) unusable(m incoming) {
	switch m.Params.Name {
	case "empty":
		p.empty(m)
	case "deep":
		p.result(m, "%s%s", strings.Repeat("[", 1500), strings.Repeat("]", 1500))
	case "huge":
		text := []byte(strings.Repeat("0123456789abcdef", 1<<16)) // 1 MiB
		p.write(`{"jsonrpc":"2.0","result":"`)
		for range 65 {
			os.Stdout.Write(text)
		}
		p.write(`","id":%s,"more":"%s"}`+"\n", m.ID, text)
	default:
		p.tool(m)
	}
}
