---@meta
-- What goes between the parts of the plugin, and what programs get from it. The types of the wire are in
-- protocol_gen.lua.

---Error is why a request failed. `tostring` gives its message.
---@class mcp_sidecar.Error
---@field kind "response"|"closed"|"cancelled"|"argument"|"version" the sidecar refused it; the sidecar is gone; it was cancelled by its caller; it was wrong and was not sent; the sidecar speaks another version of the protocol
---@field message string
---@field code? integer of kind "response": see protocol_gen.code
---@field data? any of kind "response"; of "version": { supported: integer[] }
---@field method? string of kind "response"
---@field exit_code? integer of kind "closed", if the process ended by itself
---@field signal? integer the same
---@field reported? boolean the user was told already

---Callback gets the outcome of a request, once, on the main loop: an error or a result.
---@alias mcp_sidecar.Callback<T> fun(err: mcp_sidecar.Error?, result: T?)

---Cancel abandons a request, whose callback then gets an error of kind "cancelled". After the outcome it does
---nothing.
---@alias mcp_sidecar.Cancel fun()

---ToolDefinition is the server's own description of a tool (MCP: Tool). Servers leave out more than they may.
---@class mcp_sidecar.ToolDefinition
---@field name string
---@field title? string
---@field description? string
---@field inputSchema? table|boolean
---@field outputSchema? table|boolean
---@field annotations? { title?: string, readOnlyHint?: boolean, destructiveHint?: boolean, idempotentHint?: boolean, openWorldHint?: boolean }

---CallOutcome is what a tool answered. Null members of the result are left out here; `json` has all there is.
---@class mcp_sidecar.CallOutcome
---@field result mcp_sidecar.CallToolResult
---@field details mcp_sidecar.CallDetails
---@field json string the server's own bytes of the result

---CallToolResult is MCP's. One with isError is an answer too: for the model to read.
---@class mcp_sidecar.CallToolResult
---@field content? mcp_sidecar.ContentBlock[]
---@field structuredContent? any
---@field isError? boolean

---ContentBlock is one piece of a result: "text" has text; "image" and "audio" have data (base64) and mimeType;
---"resource" has resource; "resource_link" has uri and name. Other types may come.
---@class mcp_sidecar.ContentBlock
---@field type string
---@field text? string
---@field data? string
---@field mimeType? string
---@field uri? string
---@field name? string
---@field resource? { uri: string, mimeType?: string, text?: string, blob?: string }

---CallOptions of one call.
---@class mcp_sidecar.CallOptions
---@field timeout_ms? integer bounds silence during the call; progress resets it
---@field max_bytes? integer bounds the result
---@field on_progress? fun(progress: mcp_sidecar.ProgressValue)
---@field root? string the project whose session runs it; default: that of the current buffer

---ToolsChange is a change of the tool set: what `tools_changed` tells.
---@class mcp_sidecar.ToolsChange
---@field root string
---@field tools mcp_sidecar.Tool[] the whole new set, sorted by name
---@field added mcp_sidecar.Tool[]
---@field updated mcp_sidecar.Tool[]
---@field removed string[] names
---@field servers string[] names of the servers whose tools changed
---@field reason mcp_sidecar.ChangeReason|"snapshot"|"stopped"
---@field revision integer
---@field hash string

---SessionPhase of one project's sidecar.
---@alias mcp_sidecar.SessionPhase
---| 'stopped' # not started, or stopped by the user
---| 'starting' # it runs, and has not answered yet
---| 'running'
---| 'failed' # it could not be started, or ended too often: `error` says why

---SessionView is all that there is to see of one project's session, at one instant. It is never changed.
---@class mcp_sidecar.SessionView
---@field root string
---@field phase mcp_sidecar.SessionPhase
---@field error? string why it failed, or why it ended last
---@field sidecar? mcp_sidecar.SidecarInfo
---@field binary? string the program that runs
---@field tools mcp_sidecar.Tool[]
---@field servers mcp_sidecar.Server[]
---@field errors mcp_sidecar.Diagnostic[]
---@field disabled string[] what the user switched off in this project: "server" or "server/tool"
---@field calls integer calls that run

---StatusChange is a change of one server: what `status` tells.
---@class mcp_sidecar.StatusChange
---@field root string
---@field server mcp_sidecar.Server its whole record; the phase "removed" is its last

---DiagnosticsChange is another list of what is wrong: what `diagnostics` tells.
---@class mcp_sidecar.DiagnosticsChange
---@field root string
---@field errors mcp_sidecar.Diagnostic[] the whole list

---LogEntry is a line that came into the sidecar's log: what `log` tells.
---@class mcp_sidecar.LogEntry
---@field root string
---@field time integer seconds since 1970
---@field level mcp_sidecar.LogLevel
---@field message string
---@field server? string that it is about

---Event of `on`. "state" tells SessionView: the session was started, opened or ended, a call began or ended, something
---was switched off or on.
---@alias mcp_sidecar.Event "tools_changed"|"status"|"diagnostics"|"log"|"state"
