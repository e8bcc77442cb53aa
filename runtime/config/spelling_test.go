package config

import (
	"strings"
	"testing"
)

func TestAMisspeltWordFindsTheOneThatWasMeant(t *testing.T) {
	known := []string{"command", "args", "env", "cwd", "url", "headers", "enabled", "timeout", "tools"}
	for word, want := range map[string]string{
		"comand": "command", "Command": "command", "commnad": "command", "agrs": "args", "evn": "env", "environment": "env", "arguments": "args", "arg": "args",
		"header": "headers", "uri": "url", "enable": "enabled", "timeoutMs": "timeout", "tool": "tools", "xyz": "", "x": "", "": "",
		"description": "", "type": "", strings.Repeat("x", 1000): "",
	} {
		if got := nearestWord(word, known); got != want {
			t.Errorf("%q gives %q, want %q", word, got, want)
		}
	}
}
