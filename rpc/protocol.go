// Package rpc is the wire: what can be said to a sidecar, in this file and
// errors.go, and how it travels, in the rest of the package. It knows no MCP.
//
//	stdin ─ stream ─ Session ─ dispatch ─▶ Sidecar (implemented elsewhere)
//	stdout ◀─ outbox ◀─ Session ◀─ Publish, Notify, Call ◀──────┘
//
// Promises: nothing a host sends ends the connection but an unreadable header
// block; nothing the sidecar says blocks on a host that does not read; a host
// sees revisions that never go back, because an answer or a push that tells the
// tool set is finished in the same step that queues it.
//
// Client is the other end, for hosts and guests in Go.
//
// Absent on purpose: MCP types (definitions and results are raw JSON here),
// batches (LSP has none either), and any state about servers.
package rpc

import (
	"context"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

//go:generate go run ./internal/gen

// ProtocolVersion is the version of the wire. A host that names another one in
// runtime/initialize gets an error that names both.
const ProtocolVersion = 1

// Answer finishes a result from the snapshot that is current when the result
// is queued, so that answers and pushes on one connection never contradict
// each other. It runs under the connection's lock: it must not block.
type Answer[T any] func(view *Snapshot) *T

// Pending is the second half of an ordered method. The first half, the method
// itself, has validated and accepted the request in arrival order; Pending
// waits. It holds up only the pushes that its answer will make needless (from
// Update.Concludes on) and what waits for the answer to initialize: these wait
// until it has returned, also when the request was cancelled, and so answered,
// before. Ending ctx ends the wait, not the work.
type Pending[T any] func(ctx context.Context) (Answer[T], error)

// Sidecar is what a host may ask of every sidecar. A method without a result
// is a notification. A method that returns a Pending is ordered: the call
// itself runs in the reader, in arrival order.
//
//rpc:side host
type Sidecar interface {
	// Initialize takes the settings, discovers and connects the servers, and
	// answers with the first snapshot when the gate opens (startup.gateMs). It
	// is the first request and succeeds once. A guest gets the snapshot of that
	// moment, without exaApiKeys; settings and workspaceFolders are the owner's,
	// and refused.
	//
	//rpc:method runtime/initialize
	Initialize(context.Context, *InitializeParams) (Pending[InitializeResult], error)

	// Configure replaces each member given in settings whole, leaves the
	// others, reconciles, and answers with the new snapshot.
	//
	//rpc:method runtime/configure
	//rpc:errors 1008
	Configure(context.Context, *ConfigureParams) (Pending[SnapshotResult], error)

	// Shutdown stops every server and then answers. Afterwards only
	// runtime/exit is taken; other requests get 1006. A guest's ends its own
	// connection, and stops nothing.
	//
	//rpc:method runtime/shutdown
	Shutdown(context.Context, *ShutdownParams) (Pending[ShutdownResult], error)

	// Reload reads all configuration again. Mode "full" disconnects and
	// reconnects every server, "changed" only those whose entry changed. What
	// it changes in the tool set comes with the answer, in one step. Calls that run
	// on a server it restarts end with an error result; after a changed file that
	// the sidecar notices by itself, they come to their end first.
	//
	//rpc:method mcp/reload
	//rpc:errors 1008
	Reload(context.Context, *ReloadParams) (Pending[SnapshotResult], error)

	// Snapshot is the whole current truth: revision, tools, servers, errors.
	//
	//rpc:method tools/snapshot
	Snapshot(context.Context, *SnapshotParams) (Answer[SnapshotAnswer], error)

	// Call runs a tool, by its exposed name or by server and tool. A deferred
	// tool waits for its server. Failures of the server or its transport are
	// results with isError and details.error; only the caller's own mistakes
	// are JSON-RPC errors. This version does not apply maxBytes yet: results
	// come whole.
	//
	//rpc:method tools/call
	//rpc:errors 1001 1002 1003 1004 1005 1006 1007
	Call(context.Context, *CallParams) (*CallResult, error)

	// Search ranks tools by name and description, live and deferred alike.
	//
	//rpc:method tools/search
	Search(context.Context, *SearchParams) (*SearchResult, error)

	// Servers lists every configured server.
	//
	//rpc:method mcp/servers
	Servers(context.Context, *ServersParams) (Answer[ServersResult], error)

	// Connect connects one server now and answers when it has settled. It does
	// nothing for a ready server unless restart is set, and starts a disabled
	// one for this session. An untrusted one is refused with 1004.
	//
	//rpc:method mcp/connect
	//rpc:errors 1002 1004 1008
	Connect(context.Context, *ConnectParams) (Answer[Server], error)

	// Disconnect stops one server and removes its tools. The server stays
	// listed, in phase "stopped".
	//
	//rpc:method mcp/disconnect
	//rpc:errors 1002 1008
	Disconnect(context.Context, *DisconnectParams) (Answer[Server], error)

	// Wait waits until none of the named servers (default: all of them) is
	// connecting or in backoff, or until the time is up.
	//
	//rpc:method mcp/wait
	//rpc:errors 1002
	Wait(context.Context, *WaitParams) (Answer[WaitResult], error)

	// Logs are the last lines of one server: what it wrote to stderr and what
	// it logged by MCP's notifications/message.
	//
	//rpc:method mcp/logs
	//rpc:errors 1002
	Logs(context.Context, *LogsParams) (*LogsResult, error)

	// Doctor examines the session as it is: every file that was looked at and
	// why it counts, every server with what its entry needs, and what is wrong,
	// each with the likely fix. It starts nothing, runs no command, and tells no
	// secret: names and what is likely to be none are shown.
	//
	//rpc:method mcp/doctor
	//rpc:errors 1002
	Doctor(context.Context, *DoctorParams) (*DoctorReport, error)
}

// Resources relays MCP resources (MCP: server/resources). Lists without server
// merge those of all servers.
//
//rpc:side host
type Resources interface {
	// ListResources lists resources.
	//
	//rpc:method resources/list
	//rpc:errors 1002 1004 1005 1009
	ListResources(context.Context, *ListParams) (*ListResult, error)

	// ListResourceTemplates lists resource templates.
	//
	//rpc:method resources/templates
	//rpc:errors 1002 1004 1005 1009
	ListResourceTemplates(context.Context, *ListParams) (*ListResult, error)

	// ReadResource reads one resource.
	//
	//rpc:method resources/read
	//rpc:errors 1002 1004 1005 1009
	ReadResource(context.Context, *ResourceParams) (*RelayResult, error)

	// SubscribeResource asks for resources/updated about one resource. It holds
	// across reconnects.
	//
	//rpc:method resources/subscribe
	//rpc:errors 1002 1004 1005 1009
	SubscribeResource(context.Context, *ResourceParams) (*Empty, error)

	// UnsubscribeResource ends a subscription.
	//
	//rpc:method resources/unsubscribe
	//rpc:errors 1002 1004 1005 1009
	UnsubscribeResource(context.Context, *ResourceParams) (*Empty, error)
}

// Prompts relays MCP prompts and completion (MCP: server/prompts,
// server/utilities/completion).
//
//rpc:side host
type Prompts interface {
	// ListPrompts lists prompts.
	//
	//rpc:method prompts/list
	//rpc:errors 1002 1004 1005 1009
	ListPrompts(context.Context, *ListParams) (*ListResult, error)

	// GetPrompt renders one prompt.
	//
	//rpc:method prompts/get
	//rpc:errors 1002 1004 1005 1009
	GetPrompt(context.Context, *GetPromptParams) (*RelayResult, error)

	// Complete proposes values for an argument of a prompt or a template.
	//
	//rpc:method completion/complete
	//rpc:errors 1002 1004 1005 1009
	Complete(context.Context, *CompleteParams) (*RelayResult, error)
}

// Auth signs in to remote servers (MCP: basic/authorization).
//
//rpc:side host
type Auth interface {
	// Login runs the authorization flow for one server and connects it.
	//
	//rpc:method auth/login
	//rpc:errors 1002 1008
	Login(context.Context, *LoginParams) (Answer[Server], error)

	// Logout forgets the tokens of one server.
	//
	//rpc:method auth/logout
	//rpc:errors 1002 1008
	Logout(context.Context, *LogoutParams) (Answer[Server], error)
}

// Trust manages which project servers may run.
//
//rpc:side host
type Trust interface {
	// TrustList lists the project servers and what was decided about them.
	//
	//rpc:method trust/list
	//rpc:errors 1008
	TrustList(context.Context, *TrustListParams) (*TrustListResult, error)

	// TrustAllow allows one server as it was shown, remembers that, and starts
	// the server. An entry that has changed since has another hash, and is refused
	// with -32602.
	//
	//rpc:method trust/allow
	//rpc:errors 1002 1008
	TrustAllow(context.Context, *TrustDecisionParams) (*TrustListResult, error)

	// TrustDeny refuses one server as it was shown, and remembers that: it stops,
	// and is left out from now on, as if its file did not have it.
	//
	//rpc:method trust/deny
	//rpc:errors 1002 1008
	TrustDeny(context.Context, *TrustDecisionParams) (*TrustListResult, error)

	// TrustRevoke forgets what was decided about one server, be it allowed or
	// denied: it stops, and waits untrusted (or runs, if trust.project is "allow").
	//
	//rpc:method trust/revoke
	//rpc:errors 1002 1008
	TrustRevoke(context.Context, *TrustDecisionParams) (*TrustListResult, error)
}

// Sharing lets other clients join the session.
//
//rpc:side host
type Sharing interface {
	// Share opens the endpoint by which guests join, and gives the same one when
	// it is asked again. It is open until the session ends. Where none can be
	// opened, the error (−32603) says why.
	//
	//rpc:method runtime/share
	//rpc:errors 1008
	Share(context.Context, *ShareParams) (*ShareResult, error)
}

// Lifecycle is what a host says to its connection; the session itself answers
// it.
//
//rpc:side session
type Lifecycle interface {
	// Exit ends the sidecar: exit code 0 after runtime/shutdown, 1 otherwise.
	//
	//rpc:method runtime/exit
	Exit(context.Context, *ExitParams) error

	// CancelRequest abandons a request of the same side; it ends with −32800.
	//
	//rpc:method $/cancelRequest
	CancelRequest(context.Context, *CancelParams) error
}

// Host is everything the sidecar may say unasked.
//
//rpc:side sidecar
type Host interface {
	// ToolsChanged carries full definitions, so a host rebinds without a round
	// trip. Ignore it if revision is not above yours, apply it if
	// previousRevision is yours, else ask tools/snapshot.
	//
	//rpc:method tools/changed
	ToolsChanged(context.Context, *ToolsChanged) error

	// Status is the whole record of one server; unsent ones are merged per
	// server. Phase "removed" is a server's last.
	//
	//rpc:method mcp/status
	Status(context.Context, *Server) error

	// Diagnostics is the whole list of errors, whenever it changes.
	//
	//rpc:method config/diagnostics
	Diagnostics(context.Context, *DiagnosticsParams) error

	// Log is a message for the user's log. Some may be dropped; the next one
	// says how many.
	//
	//rpc:method runtime/log
	Log(context.Context, *LogParams) error

	// Progress of a call that gave a progressToken. All of it precedes the
	// result; unsent ones are merged per token.
	//
	//rpc:method $/progress
	Progress(context.Context, *ProgressParams) error

	// ResourcesChanged says that a server's list of resources changed.
	// This version does not send it yet.
	//
	//rpc:method resources/changed
	ResourcesChanged(context.Context, *ServerNotice) error

	// ResourceUpdated says that a subscribed resource changed.
	// This version does not send it yet.
	//
	//rpc:method resources/updated
	ResourceUpdated(context.Context, *ResourceParams) error

	// PromptsChanged says that a server's list of prompts changed.
	// This version does not send it yet.
	//
	//rpc:method prompts/changed
	PromptsChanged(context.Context, *ServerNotice) error

	// Approve asks whether project servers may run: one request for all that wait.
	// Sent only to a host with capability approve, while trust.project is "ask".
	// It is withdrawn when none of them waits any more. An error, or no decision
	// about a server, is "later".
	//
	//rpc:method trust/approve
	Approve(context.Context, *ApproveParams) (*ApproveResult, error)

	// Input asks for the value of an ${input:id}, one at a time. Sent only to a host
	// with capability input. The value is remembered for the session, for all
	// servers of that file.
	//
	//rpc:method input/request
	Input(context.Context, *InputParams) (*InputResult, error)

	// Elicit relays a server's elicitation (MCP: client/elicitation). Sent only
	// to a host with capability elicitation.
	// This version does not send it yet.
	//
	//rpc:method elicitation/create
	Elicit(context.Context, *RelayParams) (*RelayResult, error)

	// ElicitComplete says that what a server asked for by URL is done (MCP:
	// notifications/elicitation/complete).
	// This version does not send it yet.
	//
	//rpc:method elicitation/complete
	ElicitComplete(context.Context, *ElicitCompleteParams) error

	// Sample relays a server's request for a model's answer (MCP:
	// client/sampling). Sent only to a host with capability sampling.
	// This version does not send it yet.
	//
	//rpc:method sampling/createMessage
	Sample(context.Context, *RelayParams) (*RelayResult, error)

	// OpenURL asks to open an https: URL (or a loopback http: one) in the
	// user's browser. Sent only to a host with capability openUrl.
	// This version does not send it yet.
	//
	//rpc:method auth/openUrl
	OpenURL(context.Context, *OpenURLParams) (*OpenURLResult, error)
}

// Empty is a result without members.
type Empty struct{}

// ClientInfo names the host program.
type ClientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// WorkspaceFolder is a root of the user's project (LSP: WorkspaceFolder).
type WorkspaceFolder struct {
	// URI is a file: URI.
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// InitializeParams opens a session.
type InitializeParams struct {
	// ProtocolVersion is the version the host speaks: 1.
	ProtocolVersion int        `json:"protocolVersion"`
	Client          ClientInfo `json:"client"`
	// Cwd is absolute: the project root for discovery, spawn and roots.
	Cwd string `json:"cwd"`
	// WorkspaceFolders are read for project files in order. Default: cwd alone.
	WorkspaceFolders []WorkspaceFolder `json:"workspaceFolders,omitempty"`
	// ProcessID is the host's own process: the sidecar exits when it is gone.
	ProcessID    int           `json:"processId,omitempty"`
	Capabilities *Capabilities `json:"capabilities,omitempty"`
	Settings     *Settings     `json:"settings,omitempty"`
}

// Unknown are the members of an object that this version does not know. They are
// read, to tell the host that they have no effect, and never sent.
type Unknown map[string]jsontext.Value

// Capabilities says which requests the host answers. Of unknown ones a warning
// in errors tells, as of unknown settings.
type Capabilities struct {
	// Approve: trust/approve. A host that declares it has trust.project "ask" by
	// default.
	Approve bool `json:"approve,omitempty"`
	// Input: input/request.
	Input bool `json:"input,omitempty"`
	// OpenURL: auth/openUrl.
	OpenURL bool `json:"openUrl,omitempty"`
	// Elicitation: elicitation/create.
	Elicitation *ElicitationCapability `json:"elicitation,omitempty"`
	// Sampling: sampling/createMessage.
	Sampling *SamplingCapability `json:"sampling,omitempty"`
	Unknown  Unknown             `json:",embed"`
}

// ElicitationCapability says which kinds of elicitation the host can show.
type ElicitationCapability struct {
	Form    bool    `json:"form,omitempty"`
	URL     bool    `json:"url,omitempty"`
	Unknown Unknown `json:",embed"`
}

// SamplingCapability says how the host samples.
type SamplingCapability struct {
	// Tools: the host's model can call tools while sampling.
	Tools   bool    `json:"tools,omitempty"`
	Unknown Unknown `json:",embed"`
}

// Settings are the host's wishes. Every member is optional; runtime/configure
// replaces the members it gives and leaves the others. A member that this
// version does not know has no effect, and a warning in errors says so.
type Settings struct {
	// Enabled false: no discovery, no servers, an empty snapshot. Default true.
	Enabled *bool `json:"enabled,omitempty"`
	// Servers given by the host itself win over every file.
	//
	//rpc:as map[string]ServerConfig
	Servers map[string]json.RawMessage `json:"servers,omitempty"`
	// Disabled is what the host's user switched off: "server" or "server/tool".
	Disabled  []string           `json:"disabled,omitempty"`
	Discovery *DiscoverySettings `json:"discovery,omitempty"`
	Startup   *StartupSettings   `json:"startup,omitempty"`
	Timeouts  *TimeoutSettings   `json:"timeouts,omitempty"`
	// Reconnect says whether lost servers are connected again unasked. Default
	// "auto".
	Reconnect Reconnect      `json:"reconnect,omitempty"`
	Cache     *CacheSettings `json:"cache,omitempty"`
	// ToolNames is the form of exposed names. Default "mcp_server_tool".
	ToolNames ToolNames      `json:"toolNames,omitempty"`
	Trust     *TrustSettings `json:"trust,omitempty"`
	Unknown   Unknown        `json:",embed"`
}

// ServerConfig is one server in the native dialect.
type ServerConfig struct {
	// Type is "stdio", "http" or "sse". It is inferred from command or url when absent.
	Type string `json:"type,omitempty"`
	// Command is the program to start: a name that is looked for in PATH, or a path.
	Command string `json:"command,omitempty"`
	// Args are its arguments.
	Args []string `json:"args,omitempty"`
	// Env is added to the environment of the program. In values, here and everywhere
	// in an entry, ${NAME} and ${NAME:-default} stand for variables.
	Env map[string]string `json:"env,omitempty"`
	// Cwd is the directory to start it in. Default: the project's.
	Cwd string `json:"cwd,omitempty"`
	// URL is the address of a server that runs already.
	URL string `json:"url,omitempty"`
	// Headers are sent with every request to the url.
	Headers map[string]string `json:"headers,omitempty"`
	// Enabled false: listed, never connected. Default true.
	Enabled *bool `json:"enabled,omitempty"`
	// Timeout bounds each attempt to connect, in milliseconds and as
	// timeouts.connectMs does, which is the default.
	Timeout int `json:"timeout,omitempty"`
	// CallTimeout bounds silence during a call, in milliseconds. Default
	// timeouts.callMs.
	CallTimeout int         `json:"callTimeout,omitempty"`
	Tools       *ToolFilter `json:"tools,omitempty"`
	Auth        *AuthConfig `json:"auth,omitempty"`
}

// ToolFilter chooses tools by glob over the server's own tool names.
type ToolFilter struct {
	// Include, when given, keeps only what matches.
	Include []string `json:"include,omitempty"`
	// Exclude drops what matches, also when included.
	Exclude []string `json:"exclude,omitempty"`
}

// AuthConfig is what the user registered with an authorization server. Not yet
// applied by this version, which has no login.
type AuthConfig struct {
	ClientID     string   `json:"clientId,omitempty"`
	ClientSecret string   `json:"clientSecret,omitempty"`
	Scopes       []string `json:"scopes,omitempty"`
	CallbackPort int      `json:"callbackPort,omitempty"`
	// Flow is "browser" (default) or "client-credentials".
	Flow string `json:"flow,omitempty"`
}

// DiscoverySettings choose which files are read.
type DiscoverySettings struct {
	// ProjectConfig false leaves out project files, before names compete.
	// Default true.
	ProjectConfig *bool `json:"projectConfig,omitempty"`
	// Include, when given, reads only these providers.
	Include []string `json:"include,omitempty"`
	// Exclude leaves these providers out.
	Exclude []string `json:"exclude,omitempty"`
	// Own are the providers whose servers the user has without the sidecar, as an
	// editor starts those of its own files: they are left out, and so is whatever has
	// the name of one or starts the same, but for settings.servers.
	Own []string `json:"own,omitempty"`
	// OwnFiles are further files whose servers the user has without the sidecar, in the
	// dialect of VS Code's mcp.json: the one of the user's profile lies where only the
	// editor knows. What own says of the servers of its providers is true of theirs.
	OwnFiles []string `json:"ownFiles,omitempty"`
	// Files are further files in the native dialect.
	Files []string `json:"files,omitempty"`
	// FilterExa takes Exa servers out and returns their keys. Default true.
	FilterExa *bool `json:"filterExa,omitempty"`
	// Watch notices changes of the files that are read and of those that could
	// be, and restarts the servers whose entries have changed. Default true.
	Watch   *bool   `json:"watch,omitempty"`
	Unknown Unknown `json:",embed"`
}

// StartupSettings say when runtime/initialize and mcp/reload answer.
type StartupSettings struct {
	// GateMs is how long servers are waited for that have not connected or
	// failed yet; beyond it, only those without cached tools, and only if uncached
	// is "wait". Default 250; 0 waits for no server with cached tools.
	GateMs *int `json:"gateMs,omitempty"`
	// Uncached says whether servers without cached tools are waited for beyond
	// the gate. Default "wait".
	Uncached Uncached `json:"uncached,omitempty"`
	Unknown  Unknown  `json:",embed"`
}

// Uncached is what to do at the gate about a server without cached tools.
type Uncached string

// Values of Uncached.
const (
	UncachedWait       Uncached = "wait"       // answer when it has settled
	UncachedBackground Uncached = "background" // answer at the gate; its tools arrive by push
)

// TimeoutSettings are in milliseconds.
type TimeoutSettings struct {
	// ConnectMs bounds each attempt to connect, in two parts: expanding the
	// entry, opening the connection and the handshake must end within it, and
	// then the listing of tools within as much again. Default 30000.
	ConnectMs int `json:"connectMs,omitempty"`
	// CallMs bounds silence during a call; progress resets it. Default 300000.
	CallMs int `json:"callMs,omitempty"`
	// CallMaxMs bounds a call whatever its progress. Default 3600000.
	CallMaxMs int `json:"callMaxMs,omitempty"`
	// ShutdownMs bounds the stopping of a server. Default 2000.
	ShutdownMs int     `json:"shutdownMs,omitempty"`
	Unknown    Unknown `json:",embed"`
}

// Reconnect says whether lost servers are connected again unasked.
type Reconnect string

// Values of Reconnect.
const (
	ReconnectAuto   Reconnect = "auto"   // by a ladder of delays
	ReconnectManual Reconnect = "manual" // only by mcp/connect or mcp/reload
)

// CacheSettings say how tool lists are remembered between sessions.
type CacheSettings struct {
	// Enabled false neither reads nor writes the cache. Default true.
	Enabled *bool `json:"enabled,omitempty"`
	// MaxAgeDays makes older lists a miss. Default 30.
	MaxAgeDays *int    `json:"maxAgeDays,omitempty"`
	Unknown    Unknown `json:",embed"`
}

// ToolNames is the form of exposed tool names.
type ToolNames string

// Values of ToolNames.
const (
	ToolNamesSingle ToolNames = "mcp_server_tool"   // parts joined by one underscore
	ToolNamesDouble ToolNames = "mcp__server__tool" // parts joined by two
)

// TrustSettings say what may run without asking.
type TrustSettings struct {
	// Project is about servers from project files. Default "ask" if the host
	// has capability approve, else "allow".
	Project ProjectTrust `json:"project,omitempty"`
	Unknown Unknown      `json:",embed"`
}

// ProjectTrust is what to do about servers from project files.
type ProjectTrust string

// Values of ProjectTrust.
const (
	TrustAsk   ProjectTrust = "ask"   // wait in phase "untrusted" for trust/approve
	TrustAllow ProjectTrust = "allow" // start them
	TrustDeny  ProjectTrust = "deny"  // leave them out, as if projectConfig were false
)

// InitializeResult opens the session.
type InitializeResult struct {
	ProtocolVersion int         `json:"protocolVersion"`
	Sidecar         SidecarInfo `json:"sidecar"`
	// Methods are the requests this sidecar answers.
	Methods  []string  `json:"methods"`
	Snapshot *Snapshot `json:"snapshot"`
}

// SidecarInfo names the sidecar.
type SidecarInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// ConfigureParams change settings or roots.
type ConfigureParams struct {
	Settings *Settings `json:"settings,omitempty"`
	// WorkspaceFolders, when given, replace the former ones.
	WorkspaceFolders []WorkspaceFolder `json:"workspaceFolders,omitempty"`
}

// SnapshotResult answers runtime/configure and mcp/reload.
type SnapshotResult struct {
	Snapshot *Snapshot `json:"snapshot"`
}

// ShutdownParams is empty.
type ShutdownParams struct{}

// ShutdownResult is empty.
type ShutdownResult struct{}

// ExitParams is empty.
type ExitParams struct{}

// CancelParams names a request of the same side.
type CancelParams struct {
	// ID is a number or a string.
	ID json.RawMessage `json:"id"`
}

// ReloadParams choose what is restarted.
type ReloadParams struct {
	// Mode defaults to "full".
	Mode ReloadMode `json:"mode,omitempty"`
}

// ReloadMode says which servers a reload restarts.
type ReloadMode string

// Values of ReloadMode.
const (
	ReloadFull    ReloadMode = "full"    // all of them
	ReloadChanged ReloadMode = "changed" // those whose entry changed
)

// SnapshotParams may name the revision the host has.
type SnapshotParams struct {
	// IfRevision, when it is the current one, is answered with unchanged.
	IfRevision int `json:"ifRevision,omitempty"`
}

// SnapshotAnswer is a Snapshot, or only its revision when nothing changed.
type SnapshotAnswer struct {
	Revision int `json:"revision"`
	// Unchanged is set, and everything else absent, if the tools are those of
	// ifRevision.
	Unchanged  bool         `json:"unchanged,omitempty"`
	Hash       string       `json:"hash,omitempty"`
	Tools      []Tool       `json:"tools,omitzero"`
	Servers    []Server     `json:"servers,omitzero"`
	Errors     []Diagnostic `json:"errors,omitzero"`
	ExaAPIKeys []string     `json:"exaApiKeys,omitempty"`
}

// Snapshot is the whole truth at one instant. It is never changed once made.
type Snapshot struct {
	// Revision counts tool sets: it grows by one exactly when hash changes. It
	// is 1 at the first answer and means nothing after a restart.
	Revision int `json:"revision"`
	// Hash is the SHA-256, in hex, over the sorted tools without their state:
	// an equal hash means there is nothing to rebind.
	Hash string `json:"hash"`
	// Tools are sorted by name.
	Tools []Tool `json:"tools"`
	// Servers are sorted by name.
	Servers []Server     `json:"servers"`
	Errors  []Diagnostic `json:"errors"`
	// ExaAPIKeys are told to the session's owner only.
	ExaAPIKeys []string `json:"exaApiKeys,omitempty"`
}

// Tool is one tool a model can call.
type Tool struct {
	// Name is what a model calls.
	Name string `json:"name"`
	// Label is "server/tool": the raw identity, for people.
	Label  string `json:"label"`
	Server string `json:"server"`
	// State follows the server's tools.from; a change of it alone is a status,
	// not a push.
	State ToolState `json:"state"`
	// Path is "mcp:<server> via <providerName>", or "mcp:<server>" when the
	// provider is unknown.
	Path         string `json:"path"`
	Provider     string `json:"provider,omitempty"`
	ProviderName string `json:"providerName,omitempty"`
	// Definition is the server's own object, byte for byte.
	Definition json.RawMessage `json:"definition"`
}

// ToolState says whether a call would find the server connected.
type ToolState string

// Values of ToolState.
const (
	ToolLive     ToolState = "live"     // the server is connected
	ToolDeferred ToolState = "deferred" // known from before: a call waits for the server
)

// Status is the one of three states that hosts branch on.
type Status string

// Values of Status.
const (
	StatusConnected    Status = "connected"    // tools can be called
	StatusConnecting   Status = "connecting"   // an attempt runs
	StatusDisconnected Status = "disconnected" // no attempt runs; phase says why
)

// Phase is the detail of a server's state, for people.
type Phase string

// Values of Phase.
const (
	PhaseStarting     Phase = "starting"     // the process or connection is being opened
	PhaseInitializing Phase = "initializing" // the MCP handshake runs
	PhaseListing      Phase = "listing"      // tools are being listed
	PhaseReady        Phase = "ready"        // connected
	PhaseBackoff      Phase = "backoff"      // the next attempt is scheduled
	PhaseFailed       Phase = "failed"       // no further attempt is scheduled
	PhaseSuspended    Phase = "suspended"    // lost too often; waits for mcp/connect or a reload
	PhaseNeedsAuth    Phase = "needs-auth"   // waits for auth/login, which this version does not answer yet
	PhaseNeedsInput   Phase = "needs-input"  // waits for the value of an ${input:…}
	PhaseUntrusted    Phase = "untrusted"    // waits for the user's approval
	PhaseDisabled     Phase = "disabled"     // switched off in its file or by the host's user
	PhaseInvalid      Phase = "invalid"      // its entry cannot be used
	PhaseStopped      Phase = "stopped"      // stopped by mcp/disconnect
	PhaseRemoved      Phase = "removed"      // gone from the configuration: its last status
)

// TransportKind is how a server is reached.
type TransportKind string

// Values of TransportKind.
const (
	TransportStdio TransportKind = "stdio" // a child process
	TransportHTTP  TransportKind = "http"  // MCP streamable HTTP
	TransportSSE   TransportKind = "sse"   // MCP HTTP+SSE of 2024-11-05
)

// Server is the whole record of one server.
type Server struct {
	Name string `json:"name"`
	// Status is what hosts branch on.
	Status Status `json:"status"`
	// Phase is what people read.
	Phase           Phase         `json:"phase"`
	Transport       TransportKind `json:"transport"`
	ProtocolVersion string        `json:"protocolVersion,omitempty"`
	// ServerInfo is the server's own object.
	ServerInfo   json.RawMessage `json:"serverInfo,omitempty"`
	Instructions string          `json:"instructions,omitempty"`
	Tools        ServerTools     `json:"tools"`
	// Activity is the last line that the process wrote to stderr, while it
	// connects: what a slow start is doing.
	Activity string `json:"activity,omitempty"`
	// Error is the last attempt's and stays until one succeeds.
	Error  *ServerError `json:"error,omitempty"`
	Source Source       `json:"source"`
	// Attempt counts attempts to connect since the server was last ready.
	Attempt int `json:"attempt"`
	// NextRetryMs is how long until the next attempt, when the phase is backoff.
	NextRetryMs int     `json:"nextRetryMs,omitempty"`
	PID         int     `json:"pid,omitempty"`
	Timings     Timings `json:"timings"`
}

// ServerTools says how many tools a server has and where they are from.
type ServerTools struct {
	// Count is how many of them are listed in the snapshot.
	Count int       `json:"count"`
	From  ToolsFrom `json:"from"`
	// CachedAt is when the cached list was read from the server (RFC 3339).
	CachedAt string `json:"cachedAt,omitempty"`
	// Off are the server's tools that settings.disabled takes out, by their own
	// names.
	Off []string `json:"off,omitempty"`
}

// ToolsFrom is where a server's listed tools are from.
type ToolsFrom string

// Values of ToolsFrom.
const (
	ToolsFromLive  ToolsFrom = "live"  // the connected server
	ToolsFromCache ToolsFrom = "cache" // an earlier connection, of this session or another
	ToolsFromNone  ToolsFrom = "none"  // none are listed
)

// Stage is where an error of a server arose.
type Stage string

// Values of Stage.
const (
	StageConfig     Stage = "config"     // the entry or its variables
	StageSpawn      Stage = "spawn"      // starting the process
	StageConnect    Stage = "connect"    // reaching the URL
	StageInitialize Stage = "initialize" // the MCP handshake
	StageList       Stage = "list"       // tools/list
	StageCall       Stage = "call"       // a tool call
	StageTransport  Stage = "transport"  // the connection was lost
)

// ServerError is why something failed.
type ServerError struct {
	// Code is a short stable word: "not-found", "exited", "timeout", "refused",
	// "http", "protocol", "auth", "config", "untrusted", "spawn", "closed",
	// "too-large", "missing-tool", "overloaded" or "internal".
	Code  string `json:"code"`
	Stage Stage  `json:"stage"`
	// Message names the server, the operation and the cause.
	Message string `json:"message"`
	// Hint is the likely fix.
	Hint string `json:"hint,omitempty"`
	// Stderr is the tail of what the process wrote there.
	Stderr []string `json:"stderr,omitempty"`
}

// Level is how near to the user a configuration file is.
type Level string

// Values of Level.
const (
	LevelUser    Level = "user"    // the user's own files
	LevelProject Level = "project" // files inside the project
	LevelHost    Level = "host"    // settings.servers
)

// Source is where a server's entry was found.
type Source struct {
	Provider     string `json:"provider"`
	ProviderName string `json:"providerName"`
	Level        Level  `json:"level"`
	// Path is the file, empty for entries of the host.
	Path string `json:"path"`
	// Line and Column are where the entry begins, as in a Diagnostic.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Aliases are entries of the same identity under other names.
	Aliases []Alias `json:"aliases,omitempty"`
}

// Alias is another entry for the same server.
type Alias struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Line and Column are where the entry begins, as in a Diagnostic.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

// Timings of the last successful attempt, in milliseconds.
type Timings struct {
	// ConnectMs is from the start of the attempt to the end of the handshake.
	ConnectMs int `json:"connectMs,omitempty"`
	// SpawnMs is the first part of it: until the process ran or the URL had
	// answered, with the expansion of the entry.
	SpawnMs int `json:"spawnMs,omitempty"`
	// InitializeMs is the rest of it: the handshake.
	InitializeMs int `json:"initializeMs,omitempty"`
	// ListMs is how long tools/list took, all pages.
	ListMs int `json:"listMs,omitempty"`
}

// Diagnostic is one thing wrong with the configuration or a server.
type Diagnostic struct {
	// Path is the file or directory; "mcp:<server>" for a failing server; or the
	// object of the host's wishes, such as "settings.trust".
	Path   string `json:"path"`
	Server string `json:"server,omitempty"`
	Error  string `json:"error"`
	// Severity is "error" if something does not work because of it.
	Severity Severity `json:"severity"`
	// Line and Column count from 1, in UTF-8 bytes.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Pointer is the JSON pointer (RFC 6901) of the value.
	Pointer string `json:"pointer,omitempty"`
}

// Severity of a diagnostic.
type Severity string

// Values of Severity.
const (
	SeverityError   Severity = "error"   // something does not work
	SeverityWarning Severity = "warning" // it works, perhaps not as meant
)

// ToolsChanged is the difference between two tool sets.
type ToolsChanged struct {
	// PreviousRevision is the last one told on this connection.
	PreviousRevision int          `json:"previousRevision"`
	Revision         int          `json:"revision"`
	Hash             string       `json:"hash"`
	Added            []Tool       `json:"added"`
	Updated          []Tool       `json:"updated"`
	Removed          []string     `json:"removed"`
	Servers          []string     `json:"servers"`
	Reason           ChangeReason `json:"reason"`
}

// ChangeReason is why the tool set changed.
type ChangeReason string

// Values of ChangeReason.
const (
	ReasonConnected    ChangeReason = "connected"    // a server connected
	ReasonListChanged  ChangeReason = "listChanged"  // a connected server changed its list
	ReasonReload       ChangeReason = "reload"       // mcp/reload, or a file changed
	ReasonConfigure    ChangeReason = "configure"    // runtime/configure
	ReasonDisconnected ChangeReason = "disconnected" // mcp/disconnect, or a server failed
	ReasonRemoved      ChangeReason = "removed"      // a server left the configuration
)

// DiagnosticsParams is the whole list, as in the snapshot.
type DiagnosticsParams struct {
	Errors []Diagnostic `json:"errors"`
}

// LogLevel of a message.
type LogLevel string

// Values of LogLevel.
const (
	LogDebug   LogLevel = "debug"   // for developers
	LogInfo    LogLevel = "info"    // worth a line
	LogWarning LogLevel = "warning" // works, perhaps not as meant
	LogError   LogLevel = "error"   // does not work
)

// LogParams is one message for the user's log.
type LogParams struct {
	Level   LogLevel `json:"level"`
	Message string   `json:"message"`
	Server  string   `json:"server,omitempty"`
}

// ProgressParams is progress of one call.
type ProgressParams struct {
	// Token is the progressToken of the call, a string or an integer.
	Token json.RawMessage `json:"token"`
	Value ProgressValue   `json:"value"`
}

// ProgressValue is how far a call is (MCP: basic/utilities/progress).
type ProgressValue struct {
	// Progress and Total are the server's own numbers.
	Progress json.RawMessage `json:"progress"`
	Total    json.RawMessage `json:"total,omitempty"`
	Message  string          `json:"message,omitempty"`
}

// CallParams name a tool, by name or by server and tool. The server may be left
// out when only one server lists a tool of that name (else 1003).
type CallParams struct {
	Name   string `json:"name,omitempty"`
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
	// Arguments is an object, {} by default. It reaches the server byte for
	// byte.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// TimeoutMs bounds silence during the call; progress resets it. Default:
	// the server's callTimeout, else timeouts.callMs.
	TimeoutMs int `json:"timeoutMs,omitempty"`
	// ProgressToken, a string or an integer, asks for $/progress.
	ProgressToken json.RawMessage `json:"progressToken,omitempty"`
	// MaxBytes bounds the result; what is cut lies in details.truncated.file.
	// This version does not apply it yet.
	MaxBytes int `json:"maxBytes,omitempty"`
}

// CallResult wraps the result of a tool.
type CallResult struct {
	// Result is MCP's CallToolResult, byte for byte, or one that tells a
	// failure (isError).
	Result  json.RawMessage `json:"result"`
	Details CallDetails     `json:"details"`
}

// CallDetails say how a call went.
type CallDetails struct {
	Server       string `json:"server"`
	Tool         string `json:"tool"`
	Provider     string `json:"provider,omitempty"`
	ProviderName string `json:"providerName,omitempty"`
	// Deferred: the server was not connected when the call arrived.
	Deferred bool `json:"deferred"`
	// WaitedMs is the time before the call was sent.
	WaitedMs int `json:"waitedMs"`
	// DurationMs is the time from sending the call to its end.
	DurationMs int `json:"durationMs"`
	// Error is the cause when the sidecar made the result.
	Error     *ServerError `json:"error,omitempty"`
	Truncated *Truncated   `json:"truncated,omitempty"`
}

// Truncated says where the whole of a cut result is.
type Truncated struct {
	// Bytes is the size of the whole.
	Bytes int `json:"bytes"`
	// File holds the whole until the session ends.
	File string `json:"file"`
}

// SearchParams is a query in words.
type SearchParams struct {
	Query string `json:"query"`
	// Limit defaults to 15.
	Limit int `json:"limit,omitempty"`
}

// SearchResult is ranked, best first.
type SearchResult struct {
	Tools []SearchHit `json:"tools"`
}

// SearchHit is one tool found.
type SearchHit struct {
	Name   string `json:"name"`
	Server string `json:"server"`
	// Score orders hits of one search and means nothing across searches.
	Score float64 `json:"score"`
}

// ServersParams is empty.
type ServersParams struct{}

// ServersResult lists every server.
type ServersResult struct {
	// Servers are sorted by name.
	Servers []Server `json:"servers"`
}

// ConnectParams name a server.
type ConnectParams struct {
	Server string `json:"server"`
	// Restart also stops a server that is ready, and starts it again.
	Restart bool `json:"restart,omitempty"`
}

// DisconnectParams name a server.
type DisconnectParams struct {
	Server string `json:"server"`
}

// WaitParams name servers.
type WaitParams struct {
	// Servers defaults to all of them.
	Servers []string `json:"servers,omitempty"`
	// TimeoutMs defaults to 30000.
	TimeoutMs *int `json:"timeoutMs,omitempty"`
}

// WaitResult sorts the servers by how they ended up.
type WaitResult struct {
	Connected []string     `json:"connected"`
	Pending   []string     `json:"pending"`
	Failed    []WaitFailed `json:"failed"`
}

// WaitFailed is a server that is neither connected nor pending.
type WaitFailed struct {
	Server string       `json:"server"`
	Error  *ServerError `json:"error"`
}

// LogsParams name a server.
type LogsParams struct {
	Server string `json:"server"`
	// Lines defaults to 200.
	Lines int `json:"lines,omitempty"`
	// After leaves out lines whose seq is not above it: what was seen already.
	After int `json:"after,omitempty"`
}

// LogsResult is the end of a server's log.
type LogsResult struct {
	// Lines are the oldest first.
	Lines []LogLine `json:"lines"`
	Noise Noise     `json:"noise"`
}

// LogLine is one line a server wrote.
type LogLine struct {
	// Seq grows from line to line, through all restarts of the server.
	Seq int `json:"seq"`
	// Time is RFC 3339 with milliseconds.
	Time   string    `json:"time"`
	Source LogSource `json:"source"`
	// Level is MCP's, for source "log".
	Level string `json:"level,omitempty"`
	Text  string `json:"text"`
}

// LogSource is how a line reached the sidecar.
type LogSource string

// Values of LogSource.
const (
	LogFromStderr LogSource = "stderr" // the process wrote it there
	LogFromServer LogSource = "log"    // notifications/message (MCP: server/utilities/logging)
)

// Noise is what a server wrote to stdout that is no JSON-RPC message.
type Noise struct {
	Count int `json:"count"`
	// Samples are the first few lines of it, shortened.
	Samples []string `json:"samples"`
}

// DoctorParams choose what is told.
type DoctorParams struct {
	// Server leaves out the other servers, the files that do not define it, and
	// what is wrong with them.
	Server string `json:"server,omitempty"`
}

// DoctorReport is a session as it is.
type DoctorReport struct {
	Sidecar SidecarInfo `json:"sidecar"`
	Cwd     string      `json:"cwd"`
	// Healthy: no finding is an error.
	Healthy bool `json:"healthy"`
	// Files are those that were looked at, the strongest first (one that is read
	// in parts has the place of its strongest), then those that the settings
	// leave out.
	Files []DoctorFile `json:"files"`
	// Servers are sorted by name.
	Servers []DoctorServer `json:"servers"`
	// Findings are what is wrong: errors first, then by file and place.
	Findings []Finding `json:"findings"`
	// Errors are those of the snapshot at this moment.
	Errors []Diagnostic `json:"errors"`
}

// DoctorFile is one place where servers may be configured.
type DoctorFile struct {
	Path         string    `json:"path"`
	Provider     string    `json:"provider"`
	ProviderName string    `json:"providerName"`
	Level        Level     `json:"level"`
	State        FileState `json:"state"`
	// Why says what is the matter, when it is broken or skipped.
	Why string `json:"why,omitempty"`
	// Servers are those it defines, in its order.
	Servers []Definition `json:"servers"`
}

// FileState is what became of a file.
type FileState string

// Values of FileState.
const (
	FileAbsent  FileState = "absent"  // there is none
	FileRead    FileState = "read"    // what it says counts
	FileBroken  FileState = "broken"  // it could not be read or parsed
	FileSkipped FileState = "skipped" // it was not looked into
)

// Definition is one server as one file has it.
type Definition struct {
	Name   string          `json:"name"`
	Line   int             `json:"line,omitempty"`
	Column int             `json:"column,omitempty"`
	State  DefinitionState `json:"state"`
	// By is what it gives way to: the file of the definition that has the name,
	// or the name of the server that it is an alias of.
	By string `json:"by,omitempty"`
}

// DefinitionState says whether a definition counts.
type DefinitionState string

// Values of DefinitionState.
const (
	DefinitionCounts   DefinitionState = "counts"   // it is the server of that name
	DefinitionShadowed DefinitionState = "shadowed" // a stronger file has the name
	DefinitionAlias    DefinitionState = "alias"    // it starts the same as a server of another name
	DefinitionMerged   DefinitionState = "merged"   // another file of the same tool has the rest of it
	DefinitionLeftOut  DefinitionState = "left-out" // by discovery.filterExa, own or ownFiles or a decision about trust, or it is no server to be started here
)

// DoctorServer is one server, and what its entry needs.
type DoctorServer struct {
	// Server is its record at this moment.
	Server Server `json:"server"`
	// Written is the entry as its file has it, in the dialect of that file, with
	// "[redacted]" for what is, or is likely to be, a secret.
	Written json.RawMessage `json:"written"`
	// Shadows are definitions of the same name that do not count.
	Shadows []Shadow `json:"shadows,omitempty"`
	// OffIn is where a disabled server is switched off, if its own entry does not do
	// that: the file that lists it, or "settings.disabled".
	OffIn string `json:"offIn,omitempty"`
	// Variables are those of the environment that it refers to.
	Variables []Variable `json:"variables,omitempty"`
	// Commands are those it runs for values.
	Commands []string `json:"commands,omitempty"`
	// Inputs are the ids of its ${input:…}.
	Inputs []string `json:"inputs,omitempty"`
	// EnvFiles are the files it takes variables or values from. Those of an
	// untrusted or invalid entry are not looked for.
	EnvFiles []EnvFile `json:"envFiles,omitempty"`
	// Search is where its command is: for processes, unless the entry is untrusted
	// or invalid, what it refers to cannot be had, or the file system does not answer.
	Search *CommandSearch `json:"search,omitempty"`
	Cache  CacheEntry     `json:"cache"`
}

// Shadow is a definition that gives way to another of the same name.
type Shadow struct {
	Path         string `json:"path"`
	Provider     string `json:"provider"`
	ProviderName string `json:"providerName"`
	Level        Level  `json:"level"`
	Line         int    `json:"line,omitempty"`
	Column       int    `json:"column,omitempty"`
	// Same: both start the same, so that nothing is lost.
	Same bool `json:"same,omitempty"`
}

// Variable is one variable of the environment.
type Variable struct {
	Name string `json:"name"`
	Set  bool   `json:"set"`
}

// EnvFile is a file of variables, or one whose text is a value.
type EnvFile struct {
	// Path is as written.
	Path     string `json:"path"`
	Readable bool   `json:"readable"`
}

// CommandSearch is where a command was looked for.
type CommandSearch struct {
	// Command is as written.
	Command string `json:"command"`
	// Found is the program, or empty.
	Found string `json:"found,omitempty"`
	// Path are the directories that were searched, in order: none for a command
	// that is a path.
	Path []string `json:"path,omitempty"`
	// LoginShell: the PATH of the user's login shell was needed.
	LoginShell bool `json:"loginShell,omitempty"`
}

// CacheEntry is what is remembered of a server's tools.
type CacheEntry struct {
	State CacheState `json:"state"`
	// CachedAt is when the list was read from the server (RFC 3339).
	CachedAt string `json:"cachedAt,omitempty"`
	Tools    int    `json:"tools,omitempty"`
}

// CacheState says whether there is a list.
type CacheState string

// Values of CacheState.
const (
	CacheHit    CacheState = "hit"    // there is one that can be used
	CacheMiss   CacheState = "miss"   // there is none, or none that can be used
	CacheOff    CacheState = "off"    // the cache is switched off, or has no place
	CacheUnused CacheState = "unused" // nothing is remembered of untrusted and invalid entries
)

// Finding is one thing that is wrong.
type Finding struct {
	// Severity is "error" if something does not work because of it.
	Severity Severity `json:"severity"`
	// Path is the file, or the object of the host's wishes. It is empty for what
	// the host configured.
	Path   string `json:"path,omitempty"`
	Server string `json:"server,omitempty"`
	// Line and Column count from 1, in UTF-8 bytes.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Message says what is wrong.
	Message string `json:"message"`
	// Fix is the likely fix.
	Fix string `json:"fix"`
}

// ListParams choose a server, or all.
type ListParams struct {
	Server string `json:"server,omitempty"`
}

// ListResult merges the lists of servers.
type ListResult struct {
	Items []ListItem `json:"items"`
	// Errors are those of servers that could not answer.
	Errors []Diagnostic `json:"errors"`
}

// ListItem is one resource, template or prompt.
type ListItem struct {
	Server string `json:"server"`
	// Definition is the server's own object, byte for byte.
	Definition json.RawMessage `json:"definition"`
}

// ResourceParams name a resource.
type ResourceParams struct {
	Server string `json:"server"`
	URI    string `json:"uri"`
}

// GetPromptParams name a prompt.
type GetPromptParams struct {
	Server    string          `json:"server"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// CompleteParams are MCP's, with the server.
type CompleteParams struct {
	Server   string          `json:"server"`
	Ref      json.RawMessage `json:"ref"`
	Argument json.RawMessage `json:"argument"`
	Context  json.RawMessage `json:"context,omitempty"`
}

// RelayParams is a server's own request, for the host to answer.
type RelayParams struct {
	Server string `json:"server"`
	// Call is the id of the tools/call it belongs to, when that is known.
	Call json.RawMessage `json:"call,omitempty"`
	// Params are the server's own, byte for byte.
	Params json.RawMessage `json:"params"`
}

// ElicitCompleteParams name an elicitation of mode "url".
type ElicitCompleteParams struct {
	Server string `json:"server"`
	// ElicitationID is the one in the params of elicitation/create.
	ElicitationID string `json:"elicitationId"`
}

// RelayResult is the other side's own result.
type RelayResult struct {
	// Result is relayed byte for byte.
	Result json.RawMessage `json:"result"`
}

// ServerNotice is about one server.
type ServerNotice struct {
	Server string `json:"server"`
}

// LoginParams name a server.
type LoginParams struct {
	Server string `json:"server"`
}

// LogoutParams name a server.
type LogoutParams struct {
	Server string `json:"server"`
}

// OpenURLParams is a page for the user's browser.
type OpenURLParams struct {
	Server string `json:"server"`
	URL    string `json:"url"`
}

// OpenURLResult says whether the page was opened.
type OpenURLResult struct {
	Opened bool `json:"opened"`
}

// ApproveParams list the servers to decide about, in one question.
type ApproveParams struct {
	Servers []ProjectServer `json:"servers"`
}

// ProjectServer is one server of a file inside the project, as it is written
// there: nothing is expanded.
type ProjectServer struct {
	Name string `json:"name"`
	// Path is the file, Project the directory it is trusted for.
	Path    string `json:"path"`
	Project string `json:"project"`
	// Line and Column are where the entry begins, as in a Diagnostic.
	Line         int               `json:"line,omitempty"`
	Column       int               `json:"column,omitempty"`
	Provider     string            `json:"provider"`
	ProviderName string            `json:"providerName"`
	Command      string            `json:"command,omitempty"`
	Args         []string          `json:"args,omitempty"`
	Env          map[string]string `json:"env,omitempty"`
	Cwd          string            `json:"cwd,omitempty"`
	URL          string            `json:"url,omitempty"`
	Headers      map[string]string `json:"headers,omitempty"`
	// Uses are the variables it would read, as ${NAME}, the commands it would run
	// for values, as $(command), the files it would read for values, as file:PATH,
	// and what it would ask for, as ${input:id}.
	Uses []string `json:"uses"`
	// Hash is of what the entry would start: one that is changed in that asks
	// again.
	Hash string `json:"hash"`
	// Decision is what was decided about it before, in trust/list; left out for
	// nothing.
	Decision Decision `json:"decision,omitempty"`
}

// ApproveResult maps server names to decisions.
type ApproveResult struct {
	Decisions map[string]Decision `json:"decisions"`
}

// Decision about a project server.
type Decision string

// Values of Decision.
const (
	DecideAllow Decision = "allow" // start it, and remember
	DecideDeny  Decision = "deny"  // leave it out, and remember
	DecideLater Decision = "later" // leave it untrusted, and do not ask again until a full reload
)

// TrustListParams is empty.
type TrustListParams struct{}

// TrustListResult lists the servers of the project's files.
type TrustListResult struct {
	// Servers are sorted by name, then by file. Those that were denied are here,
	// those that lost their name to a stronger file are not.
	Servers []ProjectServer `json:"servers"`
}

// TrustDecisionParams name a server of trust/list. The name is not enough: the
// entry may change between showing and deciding, and a denied one may share its
// name with a server of the user's.
type TrustDecisionParams struct {
	Server string `json:"server"`
	Hash   string `json:"hash"`
}

// InputParams is one ${input:id} of a configuration file.
type InputParams struct {
	Server string `json:"server"`
	ID     string `json:"id"`
	// Type is the owning tool's word: "promptString" or "pickString".
	Type        string   `json:"type"`
	Description string   `json:"description,omitempty"`
	Default     string   `json:"default,omitempty"`
	Options     []string `json:"options,omitempty"`
	// Password: do not show what is typed.
	Password bool `json:"password,omitempty"`
}

// InputResult is what the user gave.
type InputResult struct {
	// Value is left out when the user gave none: the server stays in phase
	// "needs-input".
	Value *string `json:"value,omitempty"`
}

// ShareParams is empty.
type ShareParams struct{}

// ShareResult is how guests get in.
type ShareResult struct {
	// Endpoint names a socket and holds a secret: who has it is let in. Hand it on in
	// the environment variable MCP_SIDECAR_ENDPOINT, never in arguments.
	Endpoint string `json:"endpoint"`
}
