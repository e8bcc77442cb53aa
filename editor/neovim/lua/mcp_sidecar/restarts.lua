-- When a sidecar that ended by itself is started again.

local M = {}

---The pause before the first restart in a window, in milliseconds. It doubles, up to the longest.
local FIRST_MS = 250
local LONGEST_MS = 60000

---decide says after how many milliseconds it is started again, nil for not any more, and which ends still count.
---@param ends integer[] when it ended before, in milliseconds, the oldest first
---@param now integer when it ended now
---@param limit integer how often in a window it is started again
---@param window_ms integer
---@return integer? delay_ms
---@return integer[] ends
function M.decide(ends, now, limit, window_ms)
  local recent = vim.tbl_filter(function(time) return now - time < window_ms end, ends)
  recent[#recent + 1] = now
  if #recent > limit then return nil, recent end
  return math.min(FIRST_MS * 2 ^ (#recent - 1), LONGEST_MS), recent
end

return M
