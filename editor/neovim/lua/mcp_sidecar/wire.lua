-- What a request's params are as JSON text. Text of a caller is sent as it is, with its numbers and the order of
-- its keys, and so it must be JSON to the letter.

local json = require('mcp_sidecar.json')
local json_text = require('mcp_sidecar.json_text')

local M = {}

---@param value table
---@return string? text
---@return string? problem
local function written(value)
  local ok, text = pcall(json.object, value)
  return ok and text or nil, not ok and text or nil
end

---params gives the text of a request's params.
---@param params? table|string
---@return string? text
---@return string? problem
function M.params(params)
  if params == nil then return '{}' end
  if type(params) == 'table' then return written(params) end
  if type(params) ~= 'string' then return nil, 'params are an object' end
  local problem = json_text.problem(params)
  return not problem and params or nil, problem and problem.message
end

---arguments gives the text of a call's arguments.
---@param args? table|string
---@return string? text
---@return string? problem
function M.arguments(args)
  if args == nil then return '{}' end
  if type(args) ~= 'string' then
    if type(args) ~= 'table' or (vim.islist(args) and next(args) ~= nil) then
      return nil, 'the arguments of a call are an object'
    end
    return written(args)
  end
  local problem = json_text.problem(args)
  if problem then
    local where = ('line %d, column %d'):format(problem.line, problem.column)
    return nil, ('the arguments of the call are not JSON: %s: %s'):format(where, problem.message)
  end
  local kind = json_text.kind(args)
  if kind == 'object' then return args end
  return nil, ('the arguments of a call are a JSON object, and these are of type %s'):format(kind)
end

---shutdown_ms is how long the settings in these params give the sidecar to stop its servers; nil if they say
---nothing of timeouts. What the sidecar will refuse counts as nothing said.
---@param params any
---@param default integer where the timeouts leave it out
---@return integer?
function M.shutdown_ms(params, default)
  local settings = type(params) == 'table' and params.settings
  local timeouts = type(settings) == 'table' and settings.timeouts
  if type(timeouts) ~= 'table' then return nil end
  local ms = timeouts.shutdownMs
  if ms == nil then return default end
  return type(ms) == 'number' and ms >= 0 and ms < 2 ^ 31 and math.floor(ms) or nil
end

return M
