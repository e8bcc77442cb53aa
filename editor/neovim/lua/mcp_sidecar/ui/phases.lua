-- What the phases of a server mean to a user: a mark, a word, and the next step. Pure.
local M = {}

---Kind sorts phases by what they ask of the user.
---@alias mcp_sidecar.ui.PhaseKind "ready"|"busy"|"retry"|"failed"|"ask"|"stopped"|"disabled"

---Icons by kind of phase, by state of a tool, and for folds. All are in the fonts that terminals have, one cell
---wide. `ui.icons` of the configuration replaces any of them, and may have others for single phases.
---@type table<string, string>
M.icons = {
  ready = '●',
  busy = '◐',
  retry = '↻',
  failed = '✗',
  ask = '?',
  stopped = '○',
  disabled = '○',
  live = '●',
  deferred = '○',
  off = '✗',
  closed = '▸',
  open = '▾',
}

---@type table<mcp_sidecar.ui.PhaseKind, string>
M.groups = {
  ready = 'McpReady',
  busy = 'McpBusy',
  retry = 'McpRetry',
  failed = 'McpFailed',
  ask = 'McpAsk',
  stopped = 'McpStopped',
  disabled = 'McpDisabled',
}

---@type table<mcp_sidecar.Phase, { kind: mcp_sidecar.ui.PhaseKind, word: string, step?: string }>
local phases = {
  starting = { kind = 'busy', word = 'starting' },
  initializing = { kind = 'busy', word = 'connecting' },
  listing = { kind = 'busy', word = 'listing tools' },
  ready = { kind = 'ready', word = 'ready' },
  backoff = { kind = 'retry', word = 'retrying' },
  failed = { kind = 'failed', word = 'failed', step = 'r to try again' },
  suspended = { kind = 'failed', word = 'lost too often', step = 'r to try again' },
  ['needs-auth'] = { kind = 'ask', word = 'needs sign-in', step = 'o to give its entry a token' },
  ['needs-input'] = { kind = 'ask', word = 'needs input', step = 'c to be asked again' },
  untrusted = { kind = 'ask', word = 'not trusted', step = 't to decide' },
  disabled = { kind = 'disabled', word = 'off in its file', step = 'c to start it once' },
  invalid = { kind = 'failed', word = 'invalid entry', step = 'o to correct it' },
  stopped = { kind = 'stopped', word = 'stopped', step = 'c to connect' },
  removed = { kind = 'stopped', word = 'removed' },
}

local by_status = { connected = 'ready', connecting = 'busy', disconnected = 'stopped' }

---@class mcp_sidecar.ui.PhaseLook
---@field kind mcp_sidecar.ui.PhaseKind
---@field word string
---@field step? string the next step, as keys of the overview

---How a server's phase is shown. A phase that this version does not know is shown by the server's status.
---@param server mcp_sidecar.Server
---@param switched_off? boolean the user switched it off in this project
---@return mcp_sidecar.ui.PhaseLook
function M.look(server, switched_off)
  if server.phase == 'disabled' and switched_off then
    return { kind = 'disabled', word = 'switched off', step = 'x to switch it on' }
  end
  return phases[server.phase]
    or { kind = by_status[server.status] or 'stopped', word = tostring(server.phase) }
end

return M
