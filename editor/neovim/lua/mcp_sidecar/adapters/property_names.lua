-- Names of arguments that every provider takes. Anthropic refuses a request if a property of a tool's schema,
-- at the top, is named other than `^[a-zA-Z0-9_.-]{1,64}$`: `$filter`, `filter[id]`, names in other scripts.
-- Those are shown to the model under another name, and given back their own before the call.

local json_pointer = require('mcp_sidecar.json_pointer')
local tree = require('mcp_sidecar.adapters.schema_tree')

local M = {}

---Renamed maps names as shown to the model to the server's own, for those that differ.
---@alias mcp_sidecar.Renamed table<string, string>

local LONGEST = 64

local function is_plain(name) return #name <= LONGEST and name:find('^[%w_.-]+$') ~= nil end

---plain_name makes a name up that is not taken, and takes it.
---@param name string
---@param taken table<string, true>
---@return string
local function plain_name(name, taken)
  local base = name:gsub('[^%w.-]+', '_'):gsub('^_+', ''):gsub('_+$', '')
  if base == '' then base = 'argument' end
  local plain, n = base:sub(1, LONGEST), 2
  while taken[plain] do
    plain = ('%s_%d'):format(base:sub(1, LONGEST - 4), n)
    n = n + 1
  end
  taken[plain] = true
  return plain
end

---@param part string
---@return string
local function encoded(part)
  part = part:gsub('~', '~0'):gsub('/', '~1')
  return (part:gsub("[^%w_.!~*'()-]", function(char) return ('%%%02X'):format(char:byte()) end))
end

---with_reference refers to a property by the name that is shown.
local function with_reference(schema, shown)
  local parts = json_pointer.names(schema['$ref'])
  local plain = parts and parts[1] == 'properties' and shown[parts[2]]
  if not plain then return schema end
  parts[2] = plain
  return tree.with(schema, { ['$ref'] = '#/' .. table.concat(vim.tbl_map(encoded, parts), '/') })
end

---titled tells the model the property's own name.
local function titled(property, name)
  if not tree.is_object(property) or property.title ~= nil then return property end
  return tree.with(property, { title = name })
end

---plain_names is the schema of an object with plain names at the top, and which they stand for.
---@param schema mcp_sidecar.JsonSchema
---@return mcp_sidecar.JsonSchema
---@return mcp_sidecar.Renamed
function M.plain_names(schema)
  local names = vim.tbl_keys(tree.is_object(schema.properties) and schema.properties or {})
  local odd = vim.tbl_filter(function(name) return not is_plain(name) end, names)
  if #odd == 0 then return schema, {} end

  table.sort(odd) -- the same names every time
  local taken, shown, renamed = {}, {}, {}
  for _, name in ipairs(names) do
    taken[name] = true
  end
  for _, name in ipairs(odd) do
    shown[name] = plain_name(name, taken)
    renamed[shown[name]] = name
  end
  local result = tree.map(schema, function(inner) return with_reference(inner, shown) end)
  local properties = {}
  for name, property in pairs(result.properties) do
    local plain = shown[name]
    properties[plain or name] = plain and titled(property, name) or property
  end
  result = tree.with(result, { properties = properties })
  if tree.is_list(result.required) then
    result.required = vim.tbl_map(function(name) return shown[name] or name end, result.required)
  end
  return result, renamed
end

---own_names is args with the server's own names at the top: the same table if none was renamed.
---@param args table<string, any>
---@param renamed mcp_sidecar.Renamed
---@return table<string, any>
function M.own_names(args, renamed)
  if next(renamed) == nil then return args end
  local result = {}
  for name, value in pairs(args) do
    result[renamed[name] or name] = value
  end
  return tree.object(result)
end

return M
