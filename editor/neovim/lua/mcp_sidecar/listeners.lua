-- Listeners of events by name.

local guarded = require('mcp_sidecar.guarded')

---@class mcp_sidecar.Listeners
---@field private lists table<string, fun(data: any)[]> replaced, never changed: one may come and go while others are told
local Listeners = {}
Listeners.__index = Listeners

local M = {}

---@return mcp_sidecar.Listeners
function M.new() return setmetatable({ lists = {} }, Listeners) end

---on subscribes to an event, and returns what ends the subscription.
---@param event string
---@param fn fun(data: any)
---@return fun() off
function Listeners:on(event, fn)
  local own = function(data) fn(data) end -- the same function may listen twice
  local list = vim.list_extend({}, self.lists[event] or {})
  list[#list + 1] = own
  self.lists[event] = list
  return function()
    self.lists[event] = vim.tbl_filter(function(other) return other ~= own end, self.lists[event])
  end
end

---emit tells everybody, in the order of their subscriptions. One that fails is shown, and disturbs nobody else.
---@param event string
---@param data any
function Listeners:emit(event, data)
  for _, fn in ipairs(self.lists[event] or {}) do
    guarded(fn, data)
  end
end

return M
