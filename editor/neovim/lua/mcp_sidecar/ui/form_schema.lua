-- From a tool's inputSchema to the questions of a form: what is asked, of which kind, in which order. Pure.
-- Servers write schemas of every sort, so every keyword is looked at with its type, and what is not understood is
-- asked for as JSON.

local cells = require('mcp_sidecar.cells')
local schema_parts = require('mcp_sidecar.ui.schema_parts')
local json_write = require('mcp_sidecar.ui.json_write')

local M = {}

---FormChoice is one of the values that a field may have.
---@class mcp_sidecar.FormChoice
---@field label string
---@field json string

---FormField is one question.
---  string   the text is the value
---  number, integer
---  choice   one of `choices`
---  choices  an array of them
---  list     an array of `item`: separated by commas, or JSON
---  mixed    of several simple types: JSON of one of `types`, or else the text
---  json     JSON of one of `types`
---@class mcp_sidecar.FormField
---@field name string
---@field required boolean
---@field kind "string"|"number"|"integer"|"choice"|"choices"|"list"|"mixed"|"json"
---@field nullable boolean null is a value too
---@field type string for people
---@field description string one line, perhaps empty
---@field default? string the text to begin with
---@field skeleton? string of kind "json": what it looks like
---@field default_json? string
---@field choices? mcp_sidecar.FormChoice[]
---@field item? mcp_sidecar.FormField
---@field types? table<string, true> JSON types; nil allows all
---@field schema table the keywords that limit it

---Form is what is asked for one call: fields, or (`whole`) all arguments in one text of JSON.
---@class mcp_sidecar.Form
---@field whole boolean
---@field fields mcp_sidecar.FormField[] required ones first

local SIMPLE = { string = true, number = true, integer = true }

---one_line is the first line of a server's text, fit for a prompt; empty for what is no text.
---@param text any
---@return string
local function one_line(text)
  if type(text) ~= 'string' then return '' end
  return cells.visible(vim.trim(vim.trim(text):match('^[^\r\n]*')))
end

M.one_line = one_line

-- The values of enum, const, or of alternatives that are constants each.
local function choices_of(schema)
  local list = {}
  local function add(value, label, note)
    local json = value == nil and 'null' or json_write.value(value)
    label = one_line(label)
    if label == '' then label = one_line(value) end
    if label == '' then label = json end
    if note and one_line(note) ~= '' then label = label .. '  — ' .. one_line(note) end
    list[#list + 1] = { label = label, json = json }
  end
  if type(schema.enum) == 'table' then
    local names = type(schema.enumNames) == 'table' and schema.enumNames or {}
    for i, value in ipairs(schema.enum) do
      add(value, names[i])
    end
  elseif schema.const ~= nil then
    add(schema.const)
  else
    for _, part in ipairs(schema_parts.alternatives(schema)) do
      local inner = part.const ~= nil and { part.const } or part.enum
      if type(inner) ~= 'table' then return nil end
      for _, value in ipairs(inner) do
        add(value, #inner == 1 and part.title or nil, #inner == 1 and part.description or nil)
      end
    end
  end
  if #list == 0 then return nil end
  return list
end

-- Two choices that read alike are told apart by their JSON.
local function distinct(choices)
  local seen = {}
  for _, choice in ipairs(choices) do
    seen[choice.label] = (seen[choice.label] or 0) + 1
  end
  for _, choice in ipairs(choices) do
    if seen[choice.label] > 1 then choice.label = choice.label .. ' (' .. choice.json .. ')' end
  end
  return choices
end

local function bounds(schema)
  local low, high = schema.minimum, schema.maximum
  low = type(low) == 'number' and json_write.number(low) or nil
  high = type(high) == 'number' and json_write.number(high) or nil
  if low and high then return (' %s..%s'):format(low, high) end
  if low then return ' >= ' .. low end
  if high then return ' <= ' .. high end
  return ''
end

local kind_of

-- What an array's items are, when the array can be typed without brackets.
local function array_kind(field, schema, parts)
  local item_schema = parts:resolve(schema.items)
  if
    type(schema.prefixItems) == 'table'
    or (type(schema.items) == 'table' and vim.islist(schema.items) and schema.items[1])
  then
    return 'json', 'array'
  end
  local item = { name = field.name, required = true, schema = item_schema, description = '' }
  if type(schema.items) == 'table' then kind_of(item, item_schema, parts) end
  if item.kind == 'choice' and item.type ~= 'boolean' and not item.nullable then
    field.choices = item.choices
    return 'choices', 'list of choices'
  end
  if SIMPLE[item.kind] and not item.nullable then
    field.item = item
    return 'list', 'list of ' .. item.type
  end
  return 'json', 'array'
end

-- Sets what the field is: kind, nullable, type and what the kind needs.
kind_of = function(field, schema, parts)
  local types = parts:types(schema)
  field.nullable = schema.nullable == true or types.null == true
  types.null = nil
  local choices = choices_of(schema)
  local only = next(types) and next(types, next(types)) == nil and next(types) or nil
  if choices then
    field.kind, field.choices = 'choice', distinct(choices)
    field.type = only or 'choice'
  elseif only == 'boolean' then
    field.kind, field.type = 'choice', 'boolean'
    field.choices = { { label = 'yes', json = 'true' }, { label = 'no', json = 'false' } }
  elseif only == 'array' then
    field.types = { array = true }
    field.kind, field.type = array_kind(field, schema, parts)
  elseif SIMPLE[only] then
    field.kind, field.type = only, only .. (only == 'string' and '' or bounds(schema))
    if only == 'string' and type(schema.format) == 'string' then
      field.type = 'string, ' .. one_line(schema.format)
    end
  elseif not next(types) then
    field.kind, field.type = 'mixed', 'any'
  elseif types.object or types.array then
    field.types = types
    field.kind, field.type = types.string and 'mixed' or 'json', schema_parts.type_names(types)
  else
    field.types = types
    field.kind, field.type = 'mixed', schema_parts.type_names(types)
  end
  if field.nullable then field.type = field.type .. ' or null' end
end

-- A default as the text that would be typed for it, or nil if it cannot be typed on one line.
local function typed(field, value)
  if field.kind == 'string' then
    return type(value) == 'string' and not value:find('%c') and value or nil
  elseif field.kind == 'list' and type(value) == 'table' then
    local words = {}
    for i, item in ipairs(value) do
      words[i] = type(item) == 'string' and item or json_write.value(item)
      if words[i] == '' or vim.trim(words[i]) ~= words[i] or words[i]:find('[,%c%[]') then
        return json_write.value(value)
      end
    end
    return table.concat(words, ', ')
  elseif field.kind == 'mixed' and type(value) == 'string' then
    return json_write.string(value)
  end
  return json_write.value(value)
end

local function with_default(field, schema, parts)
  local value = schema.default
  if value ~= nil and value ~= vim.NIL then
    field.default_json = json_write.value(value)
    field.default = typed(field, value)
  elseif value == vim.NIL and field.nullable then
    field.default_json = 'null'
  end
  if field.default_json and not field.default and field.kind == 'string' and field.required then
    -- A default of several lines can only be kept as JSON.
    field.kind, field.types, field.default = 'json', { string = true }, field.default_json
  end
  if field.kind == 'json' then field.skeleton = parts:skeleton(schema) end
end

local function field_of(name, property, required, parts)
  local schema = parts:resolve(property)
  local field = { name = name, required = required, schema = schema }
  field.description = one_line(schema.description)
  if field.description == '' then field.description = one_line(schema.title) end
  kind_of(field, schema, parts)
  with_default(field, schema, parts)
  return field
end

-- A schema that says nothing of members: no arguments, if it is a plain object; else anything.
local function takes_nothing(schema)
  if schema.type ~= 'object' or #schema_parts.alternatives(schema) > 0 then return false end
  for _, keyword in ipairs({ 'patternProperties', 'minProperties', 'propertyNames', 'if', '$dynamicRef' }) do
    if schema[keyword] ~= nil then return false end
  end
  local more = schema.additionalProperties
  return more == nil or more == false or more == vim.NIL
end

local function names_of(properties, required)
  local names, rank = {}, {}
  for i, name in ipairs(type(required) == 'table' and required or {}) do
    if type(name) == 'string' and not rank[name] then rank[name] = i end
  end
  for name, property in pairs(properties) do
    if type(name) == 'string' and property ~= false then names[#names + 1] = name end
  end
  table.sort(names, function(a, b)
    local one, other = rank[a] or math.huge, rank[b] or math.huge
    if one ~= other then return one < other end
    return a < b
  end)
  return names, rank
end

local function whole(parts, schema)
  local skeleton = parts:skeleton(schema)
  local field = { name = 'arguments', required = true, kind = 'json', nullable = false, type = 'object' }
  field.types = { object = true }
  field.description, field.schema = one_line(schema.description), {}
  field.default = skeleton:sub(1, 1) == '{' and skeleton or '{}'
  return { whole = true, fields = { field } }
end

---form is what to ask for a schema.
---@param input any the inputSchema, as the server wrote it
---@return mcp_sidecar.Form
function M.form(input)
  local parts = schema_parts.new(input)
  local schema = parts:resolve(input)
  local properties = schema.properties
  if type(properties) ~= 'table' or next(properties) == nil then
    if takes_nothing(schema) then return { whole = false, fields = {} } end
    return whole(parts, schema)
  end
  local fields = {}
  local names, rank = names_of(properties, schema.required)
  for _, name in ipairs(names) do
    fields[#fields + 1] = field_of(name, properties[name], rank[name] ~= nil, parts)
  end
  -- A list of schemas where names should be.
  if #fields == 0 then return whole(parts, schema) end
  return { whole = false, fields = fields }
end

---skeleton is a text of JSON to begin with: the required arguments, each with its default or an empty value.
---@param input any the inputSchema
---@return string json
function M.skeleton(input)
  local form = M.form(input)
  if form.whole then return form.fields[1].default end
  local parts = schema_parts.new(input)
  local members = {}
  for _, field in ipairs(form.fields) do
    if field.required then
      members[#members + 1] = { name = field.name, json = parts:skeleton(field.schema) }
    end
  end
  return json_write.object(members)
end

return M
