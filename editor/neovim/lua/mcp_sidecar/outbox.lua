-- What others are to be told, in order. Who changes, changes wholly before anybody is told: a listener may stop or
-- start a session, and what that tells comes after what is being told, for everybody.

local guarded = require('mcp_sidecar.guarded')

---@class mcp_sidecar.Outbox
---@field private waiting { fn: function, [integer]: any, n: integer }[] the oldest first
---@field private sending boolean
local Outbox = {}
Outbox.__index = Outbox

local M = {}

---@return mcp_sidecar.Outbox
function M.new() return setmetatable({ waiting = {}, sending = false }, Outbox) end

---add puts in a call of what is not the session's own. `send` makes it.
---@param fn fun(...)
function Outbox:add(fn, ...) self.waiting[#self.waiting + 1] = { fn = fn, n = select('#', ...), ... } end

---send makes the calls, those that come meanwhile too. One that fails is shown, and disturbs nobody else.
function Outbox:send()
  if self.sending then return end -- whoever sends takes this, too
  self.sending = true
  while #self.waiting > 0 do
    local call = table.remove(self.waiting, 1)
    guarded(call.fn, unpack(call, 1, call.n))
  end
  self.sending = false
end

return M
