-- What is wrong with a dialogue, or with the client that should follow it, and at which line of the file.

---@class replay.Failure
---@field line integer counts from 1
---@field message string
local Failure = {}
Failure.__index = Failure
function Failure:__tostring() return ('line %d: %s'):format(self.line, self.message) end

local M = {}

---@param given any
---@return boolean
function M.is(given) return getmetatable(given) == Failure end

---@param line integer
---@param message string
function M.raise(line, message) error(setmetatable({ line = line, message = message }, Failure), 0) end

---Runs it, and makes a failure at this line of whatever it raises.
---@generic T
---@param line integer
---@param run fun(...): T
---@return T
function M.at(line, run, ...)
  local held, outcome = pcall(run, ...)
  if held then return outcome end
  if M.is(outcome) then error(outcome, 0) end
  M.raise(line, tostring(outcome))
end

---Fails unless it held.
---@param held any
---@param complaint string
function M.expect(held, complaint)
  if not held then error(complaint, 0) end
end

---Says where two values differ. An empty object and an empty list do.
local function difference(got, want, at)
  if type(got) ~= 'table' or type(want) ~= 'table' then
    if got ~= want then return at, got, want end
    return nil
  end
  if next(got) == nil and next(want) == nil and getmetatable(got) ~= getmetatable(want) then
    return at, got, want
  end
  local keys = vim.tbl_keys(vim.tbl_extend('keep', {}, got, want))
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end) -- so that the same failure always reads the same
  for _, key in ipairs(keys) do
    local where, mine, other = difference(got[key], want[key], ('%s/%s'):format(at, key))
    if where then return where, mine, other end
  end
end

---Fails unless both are equal, whole.
---@param got any
---@param want any
---@param what string
function M.same(got, want, what)
  local where, mine, other = difference(got, want, '')
  if not where then return end
  error(('%s%s: got %s, want %s'):format(what, where, vim.inspect(mine), vim.inspect(other)), 0)
end

return M
