-- The test's end of a transport: the sidecar is the test.

local M = {}

---@class replay.Pipe
---@field sent string[] what the client has sent and no line has named yet, the oldest first
---@field over boolean the sidecar has ended
---@field forced boolean the client has ended it by force
---@field listener table of the client; nil until it is there
local Pipe = {}
Pipe.__index = Pipe

---@return replay.Pipe
function M.new() return setmetatable({ sent = {}, over = false, forced = false }, Pipe) end

---@param body string
function Pipe:send(body) table.insert(self.sent, body) end

function Pipe:close()
  if self.over then return end
  self.forced = true
  self:ends('was killed', { signal = 9 })
end

---Gives the client a message. All that it must do at once is done when this returns.
---@param body string
function Pipe:deliver(body) self.listener.message(body) end

---Ends the sidecar.
---@param reason string
---@param exit { code: integer?, signal: integer? }
function Pipe:ends(reason, exit)
  self.over = true
  self.listener.ended(reason, exit)
end

return M
