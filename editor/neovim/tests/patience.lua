-- How long a test waits for what is sure to come.
local M = {}

-- In milliseconds. It bounds a failing test, and nothing else.
M.PATIENCE = 30000

---await waits until `holds` gives something that is true, and gives that.
---@generic T
---@param what string|fun(): string what is waited for, in the words of a failure
---@param holds fun(): T?
---@param every? integer milliseconds between two looks
---@return T
function M.await(what, holds, every)
  local value
  local came = vim.wait(M.PATIENCE, function()
    value = holds()
    return value and true or false
  end, every or 5)
  if came then return value end
  what = type(what) == 'function' and what() or what
  error(('waited %d s in vain: %s'):format(M.PATIENCE / 1000, what), 0)
end

return M
