-- The arguments of a call as a model gives them: JSON text, or an object that was read from it. Text goes to
-- the server as it is, with its numbers and the order of its keys.

local property_names = require('mcp_sidecar.adapters.property_names')
local tree = require('mcp_sidecar.adapters.schema_tree')

local M = {}

---What a number is in JSON. vim.json reads others too: 01, 0x1F, NaN.
local function is_number(token)
  local digits = token:gsub('[eE][+-]?%d+$', ''):gsub('^(%-?%d+)%.%d+$', '%1')
  return digits == '0' or digits == '-0' or digits:find('^%-?[1-9]%d*$') ~= nil
end

---is_strict: would every reader of JSON take a text that vim.json does? One that does not would spoil the whole
---message with the call in it.
---@param text string
---@return boolean
local function is_strict(text)
  local strict = true
  local bare = text:gsub('\\.', ''):gsub('"([^"]*)"', function(inside)
    if inside:find('[%z\1-\31]') then strict = false end -- such as a line break
    return ' '
  end)
  for token in bare:gmatch('[^%s%[%]{}:,]+') do
    local is_word = token == 'true' or token == 'false' or token == 'null'
    strict = strict and (is_word or is_number(token))
  end
  return strict
end

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

---@param name string
---@param text string
---@param renamed mcp_sidecar.Renamed
---@return string? args
---@return string? mistake
local function from_text(name, text, renamed)
  if not text:find('%S') then return '{}' end
  local ok, value = pcall(vim.json.decode, text)
  if not ok then return nil, no_object(name, value) end
  if not tree.is_object(value) then return nil, no_object(name, 'they are ' .. kind(value)) end
  if next(renamed) == nil and is_strict(text) then return text end
  local written, again = pcall(require('mcp_sidecar.json').object, property_names.own_names(value, renamed))
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
