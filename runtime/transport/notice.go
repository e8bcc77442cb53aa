package transport

import "encoding/json"

// notice tells the hooks of a notification that is theirs, and reports whether
// it was: a changed tool list, a log message.
func (h *Hooks) notice(e envelope) bool {
	if e.method == nil || e.isRequest() {
		return false
	}
	switch e.name() {
	case "notifications/tools/list_changed":
		if h.ToolsChanged != nil {
			h.ToolsChanged()
		}
		return true
	case "notifications/message":
		h.logged(e.params)
		return true
	default:
		return false
	}
}

// logged reports the params of notifications/message. Its data is a string or
// anything else in JSON (MCP: server/utilities/logging).
func (h *Hooks) logged(params json.RawMessage) {
	var p struct {
		Level, Logger string
		Data          json.RawMessage
	}
	if h.Log == nil || json.Unmarshal(params, &p) != nil {
		return
	}
	text := plainText(p.Data)
	if p.Logger != "" {
		text = p.Logger + ": " + text
	}
	h.Log(p.Level, text)
}
