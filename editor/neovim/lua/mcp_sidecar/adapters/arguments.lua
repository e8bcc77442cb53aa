-- The arguments of a call as a model gives them: JSON text, or an object that was read from it. Text goes to
-- the server as it is, with its numbers and the order of its keys.

local json = require('mcp_sidecar.json')
local json_text = require('mcp_sidecar.json_text')
local property_names = require('mcp_sidecar.adapters.property_names')
local tree = require('mcp_sidecar.adapters.schema_tree')

local M = {}

---@param value any
---@return string
local function kind(value)
  if value == vim.NIL then return 'null' end
  if type(value) == 'table' then return 'a list' end
  return 'a ' .. type(value)
end

---@param name string
---@param why string
---@return string
local function no_object(name, why)
  return (
    'The arguments of %s are no JSON object: %s. The tool was not called. '
    .. 'Call it again with an object that fits its schema.'
  ):format(name, why)
end

---Text that only Neovim reads, such as a string with a line break in it, is written anew: it would spoil the
---message that it is sent in.
---@param name string
---@param text string
---@param renamed mcp_sidecar.Renamed
---@return string? args
---@return string? mistake
local function from_text(name, text, renamed)
  if not text:find('%S') then return '{}' end
  local problem = json_text.problem(text)
  if not problem and next(renamed) == nil and json_text.kind(text) == 'object' then return text end
  local ok, value = pcall(vim.json.decode, text)
  if not ok then return nil, no_object(name, problem and problem.message or value) end
  if not tree.is_object(value) then return nil, no_object(name, 'they are ' .. kind(value)) end
  local written, again = pcall(json.object, property_names.own_names(value, renamed))
  if not written then return nil, no_object(name, again) end
  return again
end

---read is the arguments to call a tool with, or what the model did wrong.
---@param name string of the tool
---@param given any
---@param renamed mcp_sidecar.Renamed
---@return string|table|nil args
---@return string? mistake
function M.read(name, given, renamed)
  if given == nil or given == vim.NIL then return '{}' end
  if type(given) == 'string' then return from_text(name, given, renamed) end
  if type(given) == 'table' and next(given) == nil then return '{}' end
  if not tree.is_object(given) then return nil, no_object(name, 'they are ' .. kind(given)) end
  return property_names.own_names(given, renamed)
end

return M
