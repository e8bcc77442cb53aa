-- What a tool takes, in words: its inputSchema as a list of arguments. Pure. Schemas are the servers' own and may
-- be anything.
local json_write = require('mcp_sidecar.ui.json_write')
local schema_parts = require('mcp_sidecar.ui.schema_parts')

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

---@param parts mcp_sidecar.SchemaParts
---@param schema table resolved
---@param depth integer
---@return string
local function type_of(parts, schema, depth)
  if depth > 4 then return 'any' end
  if schema.const ~= nil then return json_write.value(schema.const) end
  if type(schema.enum) == 'table' and #schema.enum > 0 then return choice(schema.enum) end
  local words, nullable = {}, schema.nullable
  local function add(word)
    if word == 'null' then
      nullable = true
    elseif not vim.list_contains(words, word) then
      words[#words + 1] = word
    end
  end
  for _, one in ipairs(schema_parts.alternatives(schema)) do
    add(type_of(parts, one, depth + 1))
  end
  if #words == 0 then
    for name in vim.spairs(parts:types(schema)) do
      if name == 'array' then
        local item = type_of(parts, parts:resolve(schema.items), depth + 1)
        name = (item:find('|', 1, true) and '(' .. item .. ')' or item) .. '[]'
      end
      add(name)
    end
  end
  if nullable then words[#words + 1] = 'null' end
  return #words > 0 and table.concat(words, '|') or 'any'
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
  local parts = schema_parts.new(schema)
  local whole = parts:resolve(schema)
  local required, out = set_of(whole.required), {} ---@type table<string, boolean>, mcp_sidecar.ui.Argument[]
  for name, property in pairs(type(whole.properties) == 'table' and whole.properties or {}) do
    local resolved = parts:resolve(property)
    local description = resolved.description
    out[#out + 1] = {
      name = tostring(name),
      type = type_of(parts, resolved, 0),
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
