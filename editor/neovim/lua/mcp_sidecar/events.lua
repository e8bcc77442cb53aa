-- What happens in the sessions, told to Lua listeners and as `User` autocommands. Everything of one session
-- comes in order.

local guarded = require('mcp_sidecar.guarded')

local M = {}

local listeners = require('mcp_sidecar.listeners').new()

---Events that are autocommands, too.
local PATTERNS = { tools_changed = 'McpToolsChanged', status = 'McpStatus' }

local EVENTS = { 'diagnostics', 'log', 'state', 'status', 'tools_changed' }

---on subscribes to an event, and returns what ends the subscription.
---@param event mcp_sidecar.Event
---@param fn fun(data: any)
---@return fun() off
function M.on(event, fn)
  if not vim.list_contains(EVENTS, event) then
    error(('there is no event "%s"; there are %s'):format(event, table.concat(EVENTS, ', ')), 2)
  end
  if not vim.is_callable(fn) then error(('a listener is a function, not a %s'):format(type(fn)), 2) end
  return listeners:on(event, fn)
end

---emit tells everybody, on the main loop. One that fails is shown, and disturbs nobody else.
---@param event mcp_sidecar.Event
---@param data any
function M.emit(event, data)
  listeners:emit(event, data)
  if PATTERNS[event] then
    guarded(vim.api.nvim_exec_autocmds, 'User', { pattern = PATTERNS[event], data = data, modeline = false })
  end
end

return M
