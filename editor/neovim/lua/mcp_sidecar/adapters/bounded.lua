-- Values of JSON as they may be sent to a model: well-formed texts, and no deeper than a provider takes.

local utf8 = require('mcp_sidecar.utf8')

local M = {}

---bounded is a value of JSON with all its texts as `text` makes them, and an ellipsis in place of objects and
---lists that are in more than `depth` others. It is the same table if nothing had to change.
---@generic T
---@param value T
---@param depth integer
---@param text? fun(text: string): string default: well_formed
---@return T
function M.bounded(value, depth, text)
  text = text or utf8.well_formed
  if type(value) == 'string' then return text(value) end
  if type(value) ~= 'table' or next(value) == nil then return value end
  if depth == 0 then return '…' end
  local result, same = {}, true
  for key, member in pairs(value) do
    local name = type(key) == 'string' and utf8.well_formed(key) or key
    local now = M.bounded(member, depth - 1, text)
    same = same and name == key and now == member
    result[name] = now
  end
  return same and value or result
end

return M
