-- What a client may leave behind in the editor, or show in it, unasked: timers that outlive it, messages, and errors
-- that reached nobody.

local M = {}

---@class replay.Surroundings
---@field private timers uv.uv_timer_t[] all that were made
---@field private notices string[]
---@field private new_timer fun(): uv.uv_timer_t
---@field private notify function
local Surroundings = {}
Surroundings.__index = Surroundings

---Watches until `unwatch`.
---@return replay.Surroundings
function M.watch()
  local watch = { timers = {}, notices = {}, new_timer = vim.uv.new_timer, notify = vim.notify }
  vim.uv.new_timer = function()
    local timer = watch.new_timer()
    table.insert(watch.timers, timer)
    return timer
  end
  vim.notify = function(message) table.insert(watch.notices, message) end
  vim.v.errmsg = ''
  return setmetatable(watch, Surroundings)
end

function Surroundings:unwatch()
  vim.uv.new_timer, vim.notify = self.new_timer, self.notify
end

---What is wrong, if something is.
---@return string?
function Surroundings:complaint()
  if self.notices[1] then return 'somebody was notified: ' .. self.notices[1] end
  if vim.v.errmsg ~= '' then return 'an error reached nobody: ' .. vim.v.errmsg end
  local left = vim.tbl_filter(function(timer) return not timer:is_closing() end, self.timers)
  if #left > 0 then return ('a client has left %d timers behind'):format(#left) end
end

return M
