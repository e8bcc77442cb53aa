-- Numbers in words: pure.

local M = {}

---counted is a number of things: "1 tool", "3 tools".
---@param count integer
---@param one string
---@param many? string default: with an s
---@return string
function M.counted(count, one, many) return ('%d %s'):format(count, count == 1 and one or many or one .. 's') end

---size of a file, as file managers write it.
---@param count integer bytes
---@return string
function M.size(count)
  if count < 1024 then return ('%d B'):format(count) end
  if count < 1024 * 1024 then return ('%.1f KB'):format(count / 1024) end
  return ('%.1f MB'):format(count / 1024 / 1024)
end

---duration is how long something took.
---@param ms number
---@return string
function M.duration(ms)
  if ms < 1000 then return ('%d ms'):format(ms) end
  if ms < 59950 then return (('%.1f s'):format(ms / 1000):gsub('%.0 s', ' s')) end
  local seconds = math.floor(ms / 1000 + 0.5)
  local rest = seconds % 60
  return ('%d min%s'):format(math.floor(seconds / 60), rest > 0 and (' %d s'):format(rest) or '')
end

---countdown is how long until something, in whole seconds, so that it does not flicker.
---@param ms number
---@return string
function M.countdown(ms)
  local seconds = math.ceil(ms / 1000)
  if seconds < 1 then return 'now' end
  if seconds < 90 then return ('in %d s'):format(seconds) end
  return ('in %d min'):format(math.ceil(seconds / 60))
end

return M
