-- The schema of a tool's arguments as a provider takes it. A schema that will do is passed on as it is, the
-- same table; another is changed as little as possible. It is changed for the model's eyes only: the server
-- gets what the model says, and judges it by its own schema.
--
-- Both OpenAI ("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top
-- level", "object schema missing properties") and Anthropic ("input_schema does not support oneOf, allOf, or
-- anyOf at the top level") want one plain object at the top; schema_keywords.lua and property_names.lua have
-- their other wishes. These are the rules of the sidecar's clients in other languages (agent/cases).

local bounded = require('mcp_sidecar.adapters.bounded').bounded
local keywords = require('mcp_sidecar.adapters.schema_keywords')
local names = require('mcp_sidecar.adapters.property_names')
local tree = require('mcp_sidecar.adapters.schema_tree')

local M = {}

---Provider is who judges schemas: "any" is for frameworks, which may hand them to every one.
---@alias mcp_sidecar.Provider "openai"|"anthropic"|"any"

---@type table<mcp_sidecar.Provider, mcp_sidecar.Strictness|{ plain_names: boolean }>
local STRICTNESS = {
  openai = { items_required = true, plain_patterns = true, plain_names = false },
  anthropic = { items_required = false, plain_patterns = false, plain_names = true },
  any = { items_required = true, plain_patterns = true, plain_names = true },
}

---What makes a schema more than one plain object.
local COMPOSED = { '$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'enum' }

---How many objects and lists may be in one another.
local DEEPEST = 128

---How many references are followed at the top, in all: some go round in circles.
local REFERENCES = 32

---@return table<string, any>
local function properties(schema) return tree.is_object(schema.properties) and schema.properties or {} end

---@return string[]
local function required(schema)
  if not tree.is_list(schema.required) then return {} end
  return vim.tbl_filter(function(name) return type(name) == 'string' end, schema.required)
end

---@return string[]? required of schema and more; nil if none is
local function all_required(schema, more)
  local all = keywords.unique(vim.list_extend(required(schema), more))
  return #all > 0 and all or nil
end

---merged has the properties of all. Those of schema itself win; another that several describe differently is
---composed by keyword.
---@param schema mcp_sidecar.JsonSchema
---@param parts mcp_sidecar.JsonSchema[]
---@param keyword "allOf"|"anyOf"
---@return table<string, any>
local function merged(schema, parts, keyword)
  local own = properties(schema)
  local found = {} ---@type table<string, any[]>
  for _, part in ipairs(parts) do
    for name, property in pairs(properties(part)) do
      local known = found[name] or {}
      local is_new = not vim.iter(known):any(function(other) return vim.deep_equal(other, property) end)
      if is_new then known[#known + 1] = property end
      if own[name] == nil then found[name] = known end
    end
  end
  local added = {}
  for name, several in pairs(found) do
    if #several == 1 then
      added[name] = several[1]
    else
      added[name] = { [keyword] = several }
    end
  end
  return tree.with(own, added)
end

---with_all requires what any of parts requires.
local function with_all(schema, parts)
  local result, more = schema, {}
  for _, part in ipairs(parts) do
    if type(part.description) == 'string' then result = keywords.described(result, part.description) end
    vim.list_extend(more, required(part))
  end
  local members = { properties = merged(schema, parts, 'allOf'), required = all_required(schema, more) }
  return tree.with(result, members)
end

---with_any requires what all of parts require, and says in words what the choice was.
local function with_any(schema, parts)
  local sets = vim.tbl_map(required, parts)
  local function is_common(name)
    return vim.iter(sets):all(function(set) return vim.list_contains(set, name) end)
  end
  local function chosen(set)
    return table.concat(vim.tbl_filter(function(name) return not is_common(name) end, set), ', ')
  end
  local choices = keywords.unique(vim.tbl_map(chosen, sets))
  local result = schema
  if #choices > 1 and not vim.list_contains(choices, '') then
    result = keywords.described(schema, ('Give one of these: %s.'):format(table.concat(choices, '; or ')))
  end
  local common = vim.tbl_filter(is_common, sets[1])
  local members = { properties = merged(schema, parts, 'anyOf'), required = all_required(schema, common) }
  return tree.with(result, members)
end

local function may_be_object(schema)
  local types = keywords.types(schema)
  return #types == 0 or vim.list_contains(types, 'object')
end

---flattened follows the reference at the top of schema, and merges what it is composed of.
---@param schema mcp_sidecar.JsonSchema
---@param root mcp_sidecar.JsonSchema
---@param left { references: integer } is used up
---@return mcp_sidecar.JsonSchema
local function flattened(schema, root, left)
  local target = tree.follow(schema['$ref'], root)
  if target and left.references > 0 then
    left.references = left.references - 1
    return flattened(tree.with(target, tree.without(schema, '$ref')), root, left)
  end
  if not vim.iter(COMPOSED):any(function(keyword) return schema[keyword] ~= nil end) then return schema end
  local result = tree.without(schema, unpack(COMPOSED))
  for _, keyword in ipairs({ 'allOf', 'anyOf', 'oneOf' }) do
    local branches = {}
    for _, branch in ipairs(tree.is_list(schema[keyword]) and schema[keyword] or {}) do
      local flat = tree.is_object(branch) and flattened(branch, root, left)
      if flat and may_be_object(flat) then branches[#branches + 1] = flat end
    end
    if #branches > 0 then
      result = keyword == 'allOf' and with_all(result, branches) or with_any(result, branches)
    end
  end
  return result
end

---plain_object is root as one object with properties, and nothing that chooses between several.
local function plain_object(root)
  local flat = flattened(root, root, { references = REFERENCES })
  if flat.type == 'object' and tree.is_object(flat.properties) then return flat end
  return tree.with(flat, { type = 'object', properties = tree.object(properties(flat)) })
end

---for_provider is what to show of the schema that a tool's definition has, which may be anything.
---@param own any
---@param provider mcp_sidecar.Provider
---@return mcp_sidecar.JsonSchema schema of type "object", with properties
---@return mcp_sidecar.Renamed renamed arguments whose names the model sees are not the server's
function M.for_provider(own, provider)
  local strictness = STRICTNESS[provider]
  local given = tree.is_object(own) and own or vim.empty_dict()
  local finite = bounded(given, DEEPEST)
  local root =
    plain_object(tree.map(finite, function(schema) return keywords.repaired(schema, strictness) end))
  -- References come last: what they lead to may have gone, or moved.
  local whole = tree.map(root, function(schema)
    if schema['$ref'] == nil or tree.is_place(schema['$ref'], root) then return schema end
    return tree.without(schema, '$ref')
  end)
  -- A schema that was changed is of no older draft any more.
  if whole ~= given and whole['$schema'] ~= nil then whole = tree.without(whole, '$schema') end
  if not strictness.plain_names then return whole, {} end
  return names.plain_names(whole)
end

return M
