-- A JSON Schema as a tree: which keywords have schemas in them, how to change every one of those, how to
-- follow a reference. Nothing here knows what is wrong with a schema, or whom it is for.
--
-- Schemas are never changed in place. An empty object of JSON is vim.empty_dict(), an empty list is {}; what
-- is null is left out, or vim.NIL.

local json_pointer = require('mcp_sidecar.json_pointer')

local M = {}

---@alias mcp_sidecar.JsonSchema table<string, any>

local function set(...)
  local members = {}
  for _, name in ipairs({ ... }) do
    members[name] = true
  end
  return members
end

---Keywords whose value is a schema.
local ONE = set(
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties'
)

---Keywords whose value is a list of schemas.
local LIST = set('allOf', 'anyOf', 'oneOf', 'prefixItems')

---Keywords whose value has a schema for each of its names.
local MAP = set('$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties')

local EMPTY_OBJECT = getmetatable(vim.empty_dict())

---is_object: an object of JSON, no list.
---@param value any
---@return boolean
function M.is_object(value)
  if type(value) ~= 'table' then return false end
  local key = next(value)
  if key == nil then return getmetatable(value) == EMPTY_OBJECT end
  return type(key) == 'string'
end

---is_list: a list of JSON, no object.
---@param value any
---@return boolean
function M.is_list(value) return type(value) == 'table' and not M.is_object(value) end

---object is a table that is an object also when it has no members.
---@generic T: table
---@param members T
---@return T
function M.object(members) return next(members) == nil and vim.empty_dict() or members end

---with is a copy that has these members too.
---@param schema mcp_sidecar.JsonSchema
---@param members table<string, any>
---@return mcp_sidecar.JsonSchema
function M.with(schema, members)
  local result = {}
  for keyword, value in pairs(schema) do
    result[keyword] = value
  end
  for keyword, value in pairs(members) do
    result[keyword] = value
  end
  return M.object(result)
end

---without is a copy that lacks these keywords.
---@param schema mcp_sidecar.JsonSchema
---@param ... string
---@return mcp_sidecar.JsonSchema
function M.without(schema, ...)
  local result = {}
  for keyword, value in pairs(schema) do
    result[keyword] = value
  end
  for _, keyword in ipairs({ ... }) do
    result[keyword] = nil
  end
  return M.object(result)
end

local function is_schema(value) return type(value) == 'boolean' or M.is_object(value) end

---@param schemas table
---@param inner fun(schema: any): any
---@return table same the same table if nothing changed
local function each(schemas, inner)
  local result, same = {}, true
  for key, schema in pairs(schemas) do
    result[key] = inner(schema)
    same = same and result[key] == schema
  end
  return same and schemas or result
end

---below is the value of one keyword after inner has seen the schemas in it; nil for one that has no sense.
---@param keyword string
---@param value any
---@param inner fun(schema: any): any
---@return any
local function below(keyword, value, inner)
  if keyword == 'items' and M.is_list(value) then return each(value, inner) end -- before draft 2020-12
  if ONE[keyword] then
    if is_schema(value) then return inner(value) end
    return nil
  end
  if LIST[keyword] then return M.is_list(value) and #value > 0 and each(value, inner) or nil end
  if MAP[keyword] then return M.is_object(value) and each(value, inner) or nil end
  return value
end

---map gives every schema in the tree to change, the inner ones first, and returns the tree made of what that
---returned. What does not change is the same table as before. A keyword that should have a schema, or
---several, and has none is left out; among several, one that is none allows everything.
---@param schema mcp_sidecar.JsonSchema
---@param change fun(schema: mcp_sidecar.JsonSchema): mcp_sidecar.JsonSchema
---@return mcp_sidecar.JsonSchema
function M.map(schema, change)
  local function inner(value)
    if type(value) == 'boolean' then return value end
    return M.is_object(value) and M.map(value, change) or vim.empty_dict()
  end
  local result, same = {}, true
  for keyword, value in pairs(schema) do
    result[keyword] = below(keyword, value, inner)
    same = same and result[keyword] == value
  end
  return change(same and schema or M.object(result))
end

---is_place: does a reference lead to a schema in root?
---@param reference any
---@param root mcp_sidecar.JsonSchema
---@return boolean
function M.is_place(reference, root) return is_schema(json_pointer.find(reference, root)) end

---follow is the object that a reference leads to in root, or nil.
---@param reference any
---@param root mcp_sidecar.JsonSchema
---@return mcp_sidecar.JsonSchema?
function M.follow(reference, root)
  local target = json_pointer.find(reference, root)
  return M.is_object(target) and target or nil
end

return M
