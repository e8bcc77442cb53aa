-- The keywords of one schema, as draft 2020-12 and the providers want them. Servers write them in the way of
-- older drafts and of OpenAPI, and make mistakes; a provider then refuses the whole request, with all tools in
-- it.
--
-- What OpenAI says: "array schema missing items", "[…] is not of type 'object', 'boolean'" (items as a list),
-- "'…' is not a 'regex'", "regex lookaround is not supported". What Anthropic says: "JSON schema is invalid. It
-- must match JSON Schema draft 2020-12"; it is not known to mind patterns.

local pattern = require('mcp_sidecar.adapters.plain_pattern')
local tree = require('mcp_sidecar.adapters.schema_tree')

local M = {}

---Strictness is what a provider wants beyond draft 2020-12.
---@class mcp_sidecar.Strictness
---@field items_required boolean every array says what is in it
---@field plain_patterns boolean only patterns that every engine understands

local TYPES =
  { array = true, boolean = true, integer = true, null = true, number = true, object = true, string = true }

local function is_string(value) return type(value) == 'string' end
local function is_number(value) return type(value) == 'number' end
local function is_boolean(value) return type(value) == 'boolean' end
local function is_count(value) return is_number(value) and value >= 0 and value % 1 == 0 end

---VALID says of the keywords that are not schemas whether a value has sense.
---@type table<string, fun(value: any): boolean>
local VALID = {
  ['$anchor'] = is_string,
  ['$comment'] = is_string,
  ['$id'] = is_string,
  ['$ref'] = is_string,
  ['$schema'] = is_string,
  contentEncoding = is_string,
  contentMediaType = is_string,
  deprecated = is_boolean,
  description = is_string,
  enum = function(value) return tree.is_list(value) and #value > 0 end,
  exclusiveMaximum = is_number,
  exclusiveMinimum = is_number,
  examples = tree.is_list,
  format = is_string,
  maxContains = is_count,
  maxItems = is_count,
  maxLength = is_count,
  maxProperties = is_count,
  maximum = is_number,
  minContains = is_count,
  minItems = is_count,
  minLength = is_count,
  minProperties = is_count,
  minimum = is_number,
  multipleOf = function(value) return is_number(value) and value > 0 end,
  pattern = is_string,
  readOnly = is_boolean,
  title = is_string,
  uniqueItems = is_boolean,
  writeOnly = is_boolean,
}

---unique are the elements of a list that wanted says yes to, each once.
---@generic T
---@param list T[]
---@param wanted? fun(element: any): boolean
---@return T[]
function M.unique(list, wanted)
  local result = {}
  for _, element in ipairs(list) do
    if (not wanted or wanted(element)) and not vim.list_contains(result, element) then
      result[#result + 1] = element
    end
  end
  return result
end

---described is the schema with more in its description.
---@param schema mcp_sidecar.JsonSchema
---@param text string
---@return mcp_sidecar.JsonSchema
function M.described(schema, text)
  local said = schema.description
  return tree.with(schema, { description = is_string(said) and said ~= '' and said .. ' ' .. text or text })
end

---types are what a schema says its values are; empty if it does not say.
---@param schema mcp_sidecar.JsonSchema
---@return any[]
function M.types(schema)
  if schema.type == nil then return {} end
  return tree.is_list(schema.type) and schema.type or { schema.type }
end

---Until draft 4, and in OpenAPI 3.0, exclusiveMinimum is a flag beside minimum.
local function with_limits(schema)
  for flag, limit in pairs({ exclusiveMinimum = 'minimum', exclusiveMaximum = 'maximum' }) do
    local exclusive = schema[flag]
    if is_boolean(exclusive) then
      local is_limit = exclusive and is_number(schema[limit])
      schema = is_limit and tree.with(schema, { [flag] = schema[limit] }) or tree.without(schema, flag)
    end
  end
  return schema
end

---Types of which one is none, such as "any" or "int", are left out: the others alone allow less.
local function with_types(schema)
  if schema.type == nil then return schema end
  local given = M.types(schema)
  local types = M.unique(given)
  local valid = #types > 0 and vim.iter(types):all(function(one) return TYPES[one] ~= nil end)
  if not valid then return tree.without(schema, 'type') end
  return #types == #given and schema or tree.with(schema, { type = types })
end

---Until draft 3, and in OpenAPI 2.0, a property says itself that it is required.
local function with_required(schema)
  local given = schema.required
  if given == nil then return schema end
  if not tree.is_list(given) then return tree.without(schema, 'required') end
  local names = M.unique(given, is_string)
  return #names == #given and schema or tree.with(schema, { required = names })
end

---Until draft 2019-09, a tuple is a list in items, and additionalItems is for what comes after it.
local function with_items(schema, strictness)
  local items = schema.items
  if tree.is_list(items) then
    local rest = schema.additionalItems
    if rest == nil then rest = vim.empty_dict() end
    local bare = tree.without(schema, 'additionalItems')
    return tree.with(bare, { items = rest, prefixItems = #items > 0 and items or nil })
  end
  local is_array = vim.list_contains(M.types(schema), 'array')
  local missing = strictness.items_required and is_array and items == nil
  return missing and tree.with(schema, { items = vim.empty_dict() }) or schema
end

---A pattern that the provider does not compile goes into the description, where the model reads it.
local function with_patterns(schema, strictness)
  if not strictness.plain_patterns then return schema end
  local given = schema.pattern
  if is_string(given) and not pattern.is_plain(given) then
    schema = M.described(tree.without(schema, 'pattern'), 'Pattern: ' .. given)
  end
  local by_pattern = schema.patternProperties
  if not tree.is_object(by_pattern) then return schema end
  local odd = vim.tbl_filter(function(key) return not pattern.is_plain(key) end, vim.tbl_keys(by_pattern))
  if #odd == 0 then return schema end
  return tree.with(schema, { patternProperties = tree.without(by_pattern, unpack(odd)) })
end

---repaired is the schema with keywords that will do: the same table if they all did already.
---@param schema mcp_sidecar.JsonSchema
---@param strictness mcp_sidecar.Strictness
---@return mcp_sidecar.JsonSchema
function M.repaired(schema, strictness)
  local result = with_limits(schema)
  result = with_types(result)
  result = with_required(result)
  result = with_items(result, strictness)
  result = with_patterns(result, strictness)
  local wrong = {}
  for keyword, value in pairs(result) do
    if VALID[keyword] and not VALID[keyword](value) then wrong[#wrong + 1] = keyword end
  end
  return #wrong == 0 and result or tree.without(result, unpack(wrong))
end

return M
