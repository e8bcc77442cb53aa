-- What a tool takes, in words: its inputSchema as a list of arguments. Pure. Schemas are the servers' own and may
-- be anything.
local json_write = require('mcp_sidecar.ui.json_write')

local M = {}

---Argument is one property of a tool's inputSchema.
---@class mcp_sidecar.ui.Argument
---@field name string
---@field type string
---@field required boolean
---@field description? string

local shown_values = 6

---@param values any[]
---@return string
local function choice(values)
  local words = vim.tbl_map(json_write.value, vim.list_slice(values, 1, shown_values))
  if #values > shown_values then words[#words + 1] = '…' end
  return table.concat(words, '|')
end

---@param schema any
---@param depth integer
---@return string
local function type_of(schema, depth)
  if type(schema) ~= 'table' or depth > 4 then return 'any' end
  if schema.const ~= nil then return json_write.value(schema.const) end
  if type(schema.enum) == 'table' and #schema.enum > 0 then return choice(schema.enum) end
  local given = schema.type
  if given == 'array' then
    local item = type_of(schema.items, depth + 1)
    return (item:find('|', 1, true) and '(' .. item .. ')' or item) .. '[]'
  elseif type(given) == 'string' then
    return given
  elseif type(given) == 'table' and vim.islist(given) then
    return table.concat(vim.tbl_map(tostring, given), '|')
  end
  for _, key in ipairs({ 'anyOf', 'oneOf' }) do
    if type(schema[key]) == 'table' and vim.islist(schema[key]) and #schema[key] > 0 then
      local words = vim.iter(schema[key]):map(function(one) return type_of(one, depth + 1) end):totable()
      return table.concat(vim.fn.uniq(vim.fn.sort(words)), '|')
    end
  end
  if type(schema['$ref']) == 'string' then return schema['$ref']:match('[^/]+$') or 'any' end
  return type(schema.properties) == 'table' and 'object' or 'any'
end

---@param given any schema.required, as it was sent
---@return table<string, boolean>
local function set_of(given)
  local set = {}
  for _, name in ipairs(type(given) == 'table' and given or {}) do
    set[name] = true
  end
  return set
end

---The arguments of a schema, the required ones first, then by name.
---@param schema any
---@return mcp_sidecar.ui.Argument[]? arguments nil: the schema does not say
function M.list(schema)
  if type(schema) ~= 'table' then return nil end
  local required, out = set_of(schema.required), {} ---@type table<string, boolean>, mcp_sidecar.ui.Argument[]
  local properties = type(schema.properties) == 'table' and schema.properties or {}
  for name, property in pairs(properties) do
    local description = type(property) == 'table' and property.description
    out[#out + 1] = {
      name = tostring(name),
      type = type_of(property, 0),
      required = required[name] or false,
      description = type(description) == 'string' and description or nil,
    }
  end
  table.sort(out, function(a, b)
    if a.required ~= b.required then return a.required end
    return a.name < b.name
  end)
  return out
end

return M
