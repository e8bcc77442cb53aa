-- What happens in the sessions, told to Lua listeners and as `User` autocommands. Everything of one session
-- comes in order.

local guarded = require('mcp_sidecar.guarded')

local M = {}

---Lists are replaced, never changed, so that a listener may come and go while others are told.
---@type table<string, fun(data: any)[]>
local listeners = {}

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
  local own = function(data) fn(data) end -- the same function may listen twice
  local list = vim.list_extend({}, listeners[event] or {})
  list[#list + 1] = own
  listeners[event] = list
  return function()
    listeners[event] = vim.tbl_filter(function(other) return other ~= own end, listeners[event])
  end
end

---emit tells everybody, on the main loop. One that fails is shown, and disturbs nobody else.
---@param event mcp_sidecar.Event
---@param data any
function M.emit(event, data)
  for _, fn in ipairs(listeners[event] or {}) do
    guarded(fn, data)
  end
  if PATTERNS[event] then
    guarded(vim.api.nvim_exec_autocmds, 'User', { pattern = PATTERNS[event], data = data, modeline = false })
  end
end

return M
