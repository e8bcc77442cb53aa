package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// Identity is what makes the server this server, whatever its name: SHA-256, in
// hex, of how it is reached, as written and with its ${…} replaced. Commands
// are not run and files not read for it. Whether it is enabled, its timeouts
// and its filters are no part of it.
func (e *Entry) Identity(x Expander) string {
	sum := sha256.Sum256(canonical(struct {
		Written reach
		Target  string
	}{e.written(), e.target(x)}))
	return hex.EncodeToString(sum[:])
}

// reach is how a server is reached.
type reach struct {
	Kind          string            `json:",omitempty"`
	Command       string            `json:",omitempty"`
	Args          []string          `json:",omitempty"`
	Env           map[string]string `json:",omitempty"`
	UnsetEnv      []string          `json:",omitempty"`
	EnvFile       string            `json:",omitempty"`
	Cwd           string            `json:",omitempty"`
	URL           string            `json:",omitempty"`
	Headers       map[string]string `json:",omitempty"`
	EnvHeaders    map[string]string `json:",omitempty"`
	TokenVariable string            `json:",omitempty"`
	Auth          *Auth             `json:",omitempty"`
}

// account is the part of auth that decides as whom a server is reached: at
// which port a login comes back does not.
func (a *Auth) account() *Auth {
	if a == nil {
		return nil
	}
	who := *a
	who.CallbackPort = 0
	if who.ClientID == "" && who.ClientSecret == "" && len(who.Scopes) == 0 && who.Flow == "" {
		return nil
	}
	return &who
}

// written is the entry as its file has it; what the transport does not use is
// left out.
func (e *Entry) written() reach {
	if e.Kind == "stdio" {
		return reach{
			Kind: e.Kind, Command: e.Command, Args: e.Args, Env: e.Env,
			UnsetEnv: e.UnsetEnv, EnvFile: e.EnvFile, Cwd: e.Cwd,
		}
	}
	return reach{
		Kind: e.Kind, URL: e.URL, Headers: e.Headers, EnvHeaders: e.EnvHeaders, TokenVariable: e.TokenVariable,
		Auth: e.Auth.account(),
	}
}

// target is what the entry leads to, in a form that is equal for two entries
// of whatever dialects if they lead to the same. An HTTP server is found by SSE
// too, so its kind does not count. A process without a cwd runs in e.RunsIn.
func (e *Entry) target(x Expander) string {
	x.Run, x.Inputs = nil, nil
	out, envFile := (&expansion{e: e, x: x}).entry(context.Background())
	if e.Kind == "stdio" {
		if out.Cwd == "" {
			out.Cwd = e.RunsIn(x.Folder)
		}
		return string(canonical(reach{
			Command: out.Command, Args: out.Args, Env: out.Env,
			UnsetEnv: out.UnsetEnv, EnvFile: envFile, Cwd: out.Cwd,
		}))
	}
	headers := make(map[string]string, len(out.Headers))
	for name, value := range out.Headers {
		headers[strings.ToLower(name)] = value
	}
	return string(canonical(reach{URL: out.URL, Headers: headers, Auth: out.Auth.account()}))
}

// canonical is JSON with sorted keys.
func canonical(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings, and lists and maps of them, always marshal
	}
	return b
}
