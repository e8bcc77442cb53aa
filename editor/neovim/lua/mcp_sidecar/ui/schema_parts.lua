-- One JSON Schema document, read piece by piece: references followed, allOf joined, alternatives put side by side.
-- Pure. Everything is bounded, because a schema may refer to itself.

local json_pointer = require('mcp_sidecar.json_pointer')
local json_write = require('mcp_sidecar.ui.json_write')

---SchemaParts is one document.
---@class mcp_sidecar.SchemaParts
---@field root any
---@field budget integer how many schemas may still be resolved
local Parts = {}
Parts.__index = Parts

local M = {}

---new reads a document.
---@param root any
---@return mcp_sidecar.SchemaParts
function M.new(root) return setmetatable({ root = root, budget = 5000 }, Parts) end

-- Where a resolved schema has its alternatives: no server has a keyword of this name.
local ALTERNATIVES = {}

---alternatives of a resolved schema: none if it is one thing only.
---@param schema table
---@return table[]
function M.alternatives(schema) return schema[ALTERNATIVES] or {} end

local function is_list(value) return type(value) == 'table' and value[1] ~= nil end

-- Puts what `from` says below what `into` says already.
local function join(into, from)
  for key, value in pairs(from) do
    local mine = into[key]
    if key == 'properties' and type(mine) == 'table' and type(value) == 'table' then
      into[key] = vim.tbl_extend('keep', mine, value)
    elseif key == 'required' and is_list(mine) and is_list(value) then
      into[key] = vim.list_extend(vim.list_extend({}, mine), value)
    elseif mine == nil then
      into[key] = value
    end
  end
end

local function is_null(schema)
  return schema.type == 'null'
    or schema.const == vim.NIL
    or (is_list(schema.enum) and #schema.enum == 1 and schema.enum[1] == vim.NIL)
end

-- Joins the one alternative that is left beside null, or keeps them all as alternatives.
function Parts:choose(schema, list, depth)
  local left = {}
  for _, part in ipairs(list) do
    local resolved = self:resolve(part, depth + 1)
    if is_null(resolved) then
      schema.nullable = true
    else
      left[#left + 1] = resolved
    end
  end
  if #left == 1 then
    join(schema, left[1])
  elseif #left > 1 and not schema[ALTERNATIVES] then
    schema[ALTERNATIVES] = left
  end
end

---resolve is a schema without references: a new table whose `$ref` and `allOf` are joined into it, with
---alternatives (each resolved) for anyOf and oneOf, and `nullable` if one of those was null. Anything that is no
---schema is one that says nothing.
---@param schema any
---@param depth? integer
---@return table
function Parts:resolve(schema, depth)
  depth = depth or 0
  self.budget = self.budget - 1
  if type(schema) ~= 'table' or is_list(schema) or depth > 16 or self.budget < 0 then return {} end
  local resolved = {}
  for key, value in pairs(schema) do
    if key ~= '$ref' and key ~= 'allOf' and key ~= 'anyOf' and key ~= 'oneOf' and value ~= vim.NIL then
      resolved[key] = value
    end
  end
  if schema.const == vim.NIL or schema.default == vim.NIL then
    resolved.const, resolved.default = schema.const, schema.default
  end
  if type(schema['$ref']) == 'string' then
    join(resolved, self:resolve(json_pointer.find(schema['$ref'], self.root), depth + 1))
  end
  for _, part in ipairs(is_list(schema.allOf) and schema.allOf or {}) do
    join(resolved, self:resolve(part, depth + 1))
  end
  for _, keyword in ipairs({ 'anyOf', 'oneOf' }) do
    if is_list(schema[keyword]) then self:choose(resolved, schema[keyword], depth) end
  end
  return resolved
end

-- The type that keywords speak of, where a schema names none.
local function implied(schema)
  if type(schema.properties) == 'table' then return 'object' end
  if type(schema.items) == 'table' then return 'array' end
  if schema.minLength ~= nil or schema.maxLength ~= nil or schema.pattern ~= nil then return 'string' end
  if schema.minimum ~= nil or schema.maximum ~= nil or schema.multipleOf ~= nil then return 'number' end
  return nil
end

local KNOWN =
  { string = true, number = true, integer = true, boolean = true, array = true, object = true, null = true }

---types are the JSON types that a resolved schema allows; none stands for all of them.
---@param schema table
---@return table<string, true>
function Parts:types(schema)
  local types = {}
  local named = schema.type ~= nil and schema.type or implied(schema)
  for _, name in ipairs(type(named) == 'table' and named or { named }) do
    -- A word that JSON Schema does not have ("file", "date") says nothing that could be held.
    if not KNOWN[name] then return {} end
    types[name] = true
  end
  if next(types) == nil then
    for _, part in ipairs(schema[ALTERNATIVES] or {}) do
      local inner = self:types(part)
      if next(inner) == nil then return {} end
      types = vim.tbl_extend('keep', types, inner)
    end
  end
  if types.number then types.integer = nil end
  return types
end

---type_names is a set of types in words.
---@param types table<string, true>
---@return string
function M.type_names(types)
  local names = vim.tbl_keys(types)
  table.sort(names)
  return table.concat(names, ' or ')
end

local SHOWN_VALUES = 6

local function values_of(list)
  local words = vim.tbl_map(json_write.value, vim.list_slice(list, 1, SHOWN_VALUES))
  if #list > SHOWN_VALUES then words[#words + 1] = '…' end
  return words
end

---notation is what a schema allows, as types are written in programs: `string|null`, `"a"|"b"`, `integer[]`.
---@param schema any
---@param depth? integer
---@return string
function Parts:notation(schema, depth)
  depth = depth or 0
  if depth > 4 then return 'any' end
  local resolved = self:resolve(schema)
  local words, nullable = {}, resolved.nullable == true
  local function add(word)
    if word == 'null' then
      nullable = true
    elseif not vim.list_contains(words, word) then
      words[#words + 1] = word
    end
  end
  local alternatives = M.alternatives(resolved)
  if resolved.const ~= nil then
    add(json_write.value(resolved.const))
  elseif is_list(resolved.enum) then
    vim.iter(values_of(resolved.enum)):each(add)
  elseif #alternatives > 0 then
    vim.iter(alternatives):each(function(one) add(self:notation(one, depth + 1)) end)
  else
    for name in vim.spairs(self:types(resolved)) do
      if name == 'array' then
        local item = self:notation(resolved.items, depth + 1)
        name = (item:find('|', 1, true) and '(' .. item .. ')' or item) .. '[]'
      end
      add(name)
    end
  end
  if nullable then words[#words + 1] = 'null' end
  return #words > 0 and table.concat(words, '|') or 'any'
end

local EMPTY = { string = '""', number = '0', integer = '0', boolean = 'false', array = '[]', null = 'null' }

---skeleton is JSON that has the shape of a schema: its default, its first value, or its required members.
---@param schema any
---@param depth? integer
---@return string json
function Parts:skeleton(schema, depth)
  depth = depth or 0
  local resolved = self:resolve(schema)
  if resolved.default ~= nil then return json_write.value(resolved.default) end
  if resolved.const ~= nil then return json_write.value(resolved.const) end
  if is_list(resolved.enum) then return json_write.value(resolved.enum[1]) end
  local types = self:types(resolved)
  local open = next(types) == nil or (types.object and resolved.properties == nil)
  if open and resolved[ALTERNATIVES] then return self:skeleton(resolved[ALTERNATIVES][1], depth) end
  if types.object and depth < 6 then
    local members = {}
    local properties = type(resolved.properties) == 'table' and resolved.properties or {}
    for _, name in ipairs(is_list(resolved.required) and resolved.required or {}) do
      if type(name) == 'string' and self.budget > 0 then
        members[#members + 1] = { name = name, json = self:skeleton(properties[name], depth + 1) }
      end
    end
    return json_write.object(members)
  end
  if types.array and not types.string then
    local item = self:types(self:resolve(resolved.items))
    if item.object and depth < 6 then return '[' .. self:skeleton(resolved.items, depth + 1) .. ']' end
  end
  for _, name in ipairs({ 'string', 'integer', 'number', 'boolean', 'array' }) do
    if types[name] then return EMPTY[name] end
  end
  return types.object and '{}' or 'null'
end

return M
