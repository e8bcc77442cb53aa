-- From what the user typed to the JSON of an argument, or to what is wrong with it. Pure. Numbers go on as they were
-- typed, digit by digit.

local json_text = require('mcp_sidecar.json_text')
local json_write = require('mcp_sidecar.ui.json_write')
local type_names = require('mcp_sidecar.ui.schema_parts').type_names
local utf8 = require('mcp_sidecar.utf8')
local counted = require('mcp_sidecar.words').counted

local M = {}

local function number(value) return type(value) == 'number' and value or nil end

local function string_problem(text, schema)
  local length = utf8.length(text) -- code points, as JSON Schema counts
  local least, most = number(schema.minLength), number(schema.maxLength)
  if least and length < least then
    return ('too short: %s, at least %d wanted'):format(counted(length, 'character'), least)
  end
  if most and length > most then
    return ('too long: %s, at most %d allowed'):format(counted(length, 'character'), most)
  end
  if
    type(schema.pattern) == 'string'
    and require('mcp_sidecar.ui.form_pattern').matches(schema.pattern, text) == false
  then
    return ('does not match the pattern %s'):format(schema.pattern)
  end
  return nil
end

-- Whether a JSON number has no fraction, by its digits: 1.0 and 15e-1 are read as JSON Schema does.
local function is_whole(text)
  local whole, fraction, exponent = text:match('^%-?(%d+)%.?(%d*)[eE]?([+-]?%d*)$')
  fraction = fraction:gsub('0+$', '')
  local shift = tonumber(exponent) or 0
  if shift >= #fraction then return true end
  if fraction ~= '' then return false end
  -- A negative exponent eats zeros at the end of the whole part.
  local zeros = #whole:match('0*$')
  return zeros >= -shift or tonumber(whole) == 0
end

-- The remainder of a whole number of any length, exact for divisors that leave room in a double.
local function remainder(digits, divisor)
  local rest = 0
  for digit in digits:gmatch('%d') do
    rest = (rest * 10 + tonumber(digit)) % divisor
  end
  return rest
end

local function is_multiple(text, divisor)
  local digits = text:match('^%-?(%d+)$')
  if digits and divisor == math.floor(divisor) and divisor < 2 ^ 49 then
    return remainder(digits, divisor) == 0
  end
  local times = tonumber(text) / divisor
  return math.abs(times - math.floor(times + 0.5)) <= 1e-9 * math.max(1, math.abs(times))
end

local function number_problem(text, schema)
  local value = tonumber(text)
  local low, high = number(schema.minimum), number(schema.maximum)
  -- Draft 4 has true beside minimum, later ones the bound itself.
  local above = number(schema.exclusiveMinimum) or (schema.exclusiveMinimum == true and low) or nil
  local below = number(schema.exclusiveMaximum) or (schema.exclusiveMaximum == true and high) or nil
  if above and value <= above then return ('must be more than %s'):format(json_write.number(above)) end
  if below and value >= below then return ('must be less than %s'):format(json_write.number(below)) end
  if low and value < low then return ('must be at least %s'):format(json_write.number(low)) end
  if high and value > high then return ('must be at most %s'):format(json_write.number(high)) end
  local divisor = number(schema.multipleOf)
  if divisor and divisor > 0 and not is_multiple(text, divisor) then
    return ('must be a multiple of %s'):format(json_write.number(divisor))
  end
  return nil
end

local readers = {}

function readers.string(field, text)
  local problem = string_problem(text, field.schema)
  if problem then return nil, problem end
  return json_write.string(text)
end

function readers.number(field, text)
  local trimmed = vim.trim(text)
  if trimmed == '' then return nil, 'a number is wanted' end
  local ok, why = json_text.is_number(trimmed)
  if not ok then
    return nil,
      ('"%s" is no number%s'):format(trimmed, why and trimmed:find('^[-%d.]+$') and ': ' .. why or '')
  end
  if field.kind == 'integer' and not is_whole(trimmed) then
    return nil, ('%s is no whole number'):format(trimmed)
  end
  local problem = number_problem(trimmed, field.schema)
  if problem then return nil, ('%s %s'):format(trimmed, problem) end
  return trimmed
end
readers.integer = readers.number

local function allows(types, json)
  local kind = json_text.kind(json)
  if types == nil or types[kind] then return true, kind end
  if kind == 'number' and types.integer and is_whole(vim.trim(json)) then return true, kind end
  return false, kind
end

local function missing_member(json, schema)
  local has = {}
  for _, member in ipairs(json_text.members(json)) do
    has[member.name] = true
  end
  for _, name in ipairs(type(schema.required) == 'table' and schema.required or {}) do
    if type(name) == 'string' and not has[name] then return name end
  end
  return nil
end

function readers.json(field, text)
  local problem = json_text.problem(text)
  if problem then
    local place = text:find('\n', 1, true) and ('line %d, column %d'):format(problem.line, problem.column)
      or ('column %d'):format(problem.column)
    return nil, ('no valid JSON, %s: %s'):format(place, problem.message)
  end
  local ok, kind = allows(field.types, text)
  if not ok and not (kind == 'null' and field.nullable) then
    return nil, ('JSON of type %s is wanted, this is %s'):format(type_names(field.types), kind)
  end
  local missing = kind == 'object' and missing_member(text, field.schema)
  if missing then return nil, ('the member "%s" is missing'):format(missing) end
  return json_text.compact(text)
end

-- What reads as JSON of an allowed type is that; other text is a string, if one is allowed.
function readers.mixed(field, text)
  local valid = json_text.problem(text) == nil
  if valid and allows(field.types, text) then
    local kind = json_text.kind(text)
    local problem = kind == 'number' and number_problem(vim.trim(text), field.schema)
    if problem then return nil, ('%s %s'):format(text, problem) end
    return json_text.compact(text)
  end
  if field.types == nil or field.types.string then return readers.string(field, text) end
  return nil, ('%s is wanted'):format(type_names(field.types))
end

local function items_problem(count, schema)
  local least, most = number(schema.minItems), number(schema.maxItems)
  if least and count < least then
    return ('too few: %s, at least %d wanted'):format(counted(count, 'item'), least)
  end
  if most and count > most then
    return ('too many: %s, at most %d allowed'):format(counted(count, 'item'), most)
  end
  return nil
end

---joined is the JSON of an array of items that are JSON already, or what is wrong with their number.
---@param field mcp_sidecar.FormField
---@param items string[]
---@return string? json
---@return string? problem
function M.joined(field, items)
  local problem = items_problem(#items, field.schema)
  if problem then return nil, problem end
  local seen = {}
  for _, item in ipairs(items) do
    if seen[item] and field.schema.uniqueItems == true then return nil, ('%s is there twice'):format(item) end
    seen[item] = true
  end
  return '[' .. table.concat(items, ',') .. ']'
end

function readers.list(field, text)
  if text:find('^%s*%[') then return readers.json(field, text) end
  local items = {}
  local words = vim.trim(text) == '' and {} or vim.split(text, ',', { plain = true })
  -- A comma at the end is no empty item.
  if #words > 1 and vim.trim(words[#words]) == '' then words[#words] = nil end
  for i, word in ipairs(words) do
    local json, problem = readers[field.item.kind](field.item, vim.trim(word))
    if not json then return nil, ('item %d: %s'):format(i, problem) end
    items[i] = json
  end
  return M.joined(field, items)
end

---read turns a typed text into JSON: `json`, or `problem` in words, or neither where an optional argument is left out.
---@param field mcp_sidecar.FormField
---@param text string
---@return string? json
---@return string? problem
function M.read(field, text)
  local empty = field.kind == 'string' and text == '' or field.kind ~= 'string' and vim.trim(text) == ''
  if empty and not field.required then return nil, nil end
  if empty and field.nullable then return 'null', nil end
  if field.nullable and field.kind ~= 'string' and vim.trim(text) == 'null' then return 'null', nil end
  if empty and field.kind == 'json' then return nil, 'JSON is wanted' end
  return readers[field.kind](field, text)
end

return M
