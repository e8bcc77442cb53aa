-- JSON as text. A number that went through Lua has lost digits, and an object its order; so what the user typed and
-- what a server sent are checked, laid out and cut here as the text they are, token by token. Only spaces between
-- tokens ever change.
--
-- The loops go byte by byte: LuaJIT compiles string.byte, but not string.find with a pattern.

local utf8 = require('mcp_sidecar.utf8')

local M = {}

local byte, sub = string.byte, string.sub

---JsonProblem is why a text is no JSON, and where.
---@class mcp_sidecar.JsonProblem
---@field message string
---@field at integer index of the byte, from 1
---@field line integer from 1
---@field column integer in bytes, from 1

local QUOTE, BACKSLASH, COMMA, COLON = 34, 92, 44, 58
local OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY = 123, 125, 91, 93
-- What words are made of: numbers, true, false and null.
local IN_WORD = {}
for char in ('+-.0123456789Eaeflnrstu'):gmatch('.') do
  IN_WORD[byte(char)] = true
end
local LITERALS = { [116] = 'true', [102] = 'false', [110] = 'null' }
local ESCAPES = {
  [34] = true,
  [92] = true,
  [47] = true,
  [98] = true,
  [102] = true,
  [110] = true,
  [114] = true,
  [116] = true,
}

local function is_digit(b) return b ~= nil and b >= 48 and b <= 57 end

local function is_hex(b)
  return b ~= nil and ((b >= 48 and b <= 57) or (b >= 65 and b <= 70) or (b >= 97 and b <= 102))
end

local function skip_blanks(text, at)
  local b = byte(text, at)
  while b == 32 or b == 10 or b == 13 or b == 9 do
    at = at + 1
    b = byte(text, at)
  end
  return at
end

-- The three functions below return the index after the token, or nil, where it goes wrong, and why.

local function string_end(text, at)
  local i = at + 1
  while true do
    local b = byte(text, i)
    if b == QUOTE then
      return i + 1
    elseif b == nil then
      return nil, at, 'the string that begins here does not end'
    elseif b < 32 then
      return nil,
        i,
        'a string has no line breaks, tabs or other control characters: write \\n, \\t or \\u00XX'
    elseif b ~= BACKSLASH then
      i = i + 1
    elseif ESCAPES[byte(text, i + 1)] then
      i = i + 2
    elseif byte(text, i + 1) ~= 117 then
      return nil, i, 'this is no escape of JSON (a backslash is written \\\\)'
    elseif
      is_hex(byte(text, i + 2))
      and is_hex(byte(text, i + 3))
      and is_hex(byte(text, i + 4))
      and is_hex(byte(text, i + 5))
    then
      i = i + 6
    else
      return nil, i, '\\u wants four hexadecimal digits'
    end
  end
end

local function digits_end(text, at)
  if not is_digit(byte(text, at)) then return nil, at, 'a digit is missing here' end
  while is_digit(byte(text, at)) do
    at = at + 1
  end
  return at
end

local function number_end(text, at)
  local first = byte(text, at) == 45 and at + 1 or at
  if byte(text, first) == 48 and is_digit(byte(text, first + 1)) then
    return nil, at, 'a number has no leading zeros'
  end
  local i, where, why = digits_end(text, first)
  if i and byte(text, i) == 46 then
    i, where, why = digits_end(text, i + 1)
  end
  if not i then return nil, where, why end
  local mark, sign = byte(text, i, i + 1)
  if mark ~= 101 and mark ~= 69 then return i end
  return digits_end(text, i + ((sign == 43 or sign == 45) and 2 or 1))
end

local function no_value(text, at)
  local b = byte(text, at)
  if b == nil then return 'the text ends where a value should be' end
  if b == 39 then return 'strings are written in double quotes' end
  if b == 47 or b == 35 then return 'JSON has no comments' end
  if b == 43 or b == 46 then return 'a number begins with a digit or a minus' end
  if b == CLOSE_OBJECT or b == CLOSE_ARRAY then
    return 'a value is missing before this (or there is a comma too many)'
  end
  local word = text:match('^%a+', at)
  if word and LITERALS[byte(word:lower())] == word:lower() then
    return ('write %s in lower case'):format(word:lower())
  end
  if word == 'None' then return 'write null for None' end
  if word then return ('%s is no value: a string is written in double quotes'):format(word) end
  return 'a value should be here'
end

local function scalar_end(text, at)
  local b = byte(text, at)
  if b == QUOTE then return string_end(text, at) end
  if b == 45 or is_digit(b) then return number_end(text, at) end
  local word = LITERALS[b]
  if word and sub(text, at, at + #word - 1) == word and not text:find('^[%w_]', at + #word) then
    return at + #word
  end
  return nil, at, no_value(text, at)
end

local function no_name(text, at)
  local b = byte(text, at)
  if b == nil then return 'the text ends inside an object: } is missing' end
  if b == CLOSE_OBJECT then return 'there is a comma too many before this }' end
  return 'the name of a member should be here, in double quotes'
end

local function no_separator(text, at, container)
  local b = byte(text, at)
  if container == nil then return 'there is more text after the end of the value' end
  local close = container == OPEN_OBJECT and '}' or ']'
  if b == nil then
    return ('the text ends inside an %s: %s is missing'):format(close == '}' and 'object' or 'array', close)
  end
  return ('a comma or %s should be here'):format(close)
end

-- Reads `"name" :` and returns where the value should be.
local function name_end(text, at)
  if byte(text, at) ~= QUOTE then return nil, at, no_name(text, at) end
  local after, where, why = string_end(text, at)
  if not after then return nil, where, why end
  after = skip_blanks(text, after)
  if byte(text, after) ~= COLON then return nil, after, 'a colon should be here' end
  return skip_blanks(text, after + 1)
end

-- The index of the first wrong byte and why, or nil.
local function first_wrong(text)
  local open, depth = {}, 0
  local at, where, why = skip_blanks(text, 1), nil, nil
  while true do
    -- A value begins at `at`.
    local b = byte(text, at)
    local closed = true
    if b == OPEN_OBJECT or b == OPEN_ARRAY then
      depth = depth + 1
      open[depth] = b
      at = skip_blanks(text, at + 1)
      closed = byte(text, at) == b + 2
      if not closed and b == OPEN_OBJECT then
        at, where, why = name_end(text, at)
      end
    else
      at, where, why = scalar_end(text, at)
    end
    if not at then return where, why end
    -- A value has ended: what holds it goes on or ends too.
    while closed do
      at = skip_blanks(text, at)
      local container = open[depth]
      local c = byte(text, at)
      if depth == 0 then
        if c then return at, no_separator(text, at) end
        return nil
      elseif c == container + 2 then
        depth = depth - 1
        at = at + 1
      elseif c == COMMA then
        at = skip_blanks(text, at + 1)
        if container == OPEN_OBJECT then
          at, where, why = name_end(text, at)
          if not at then return where, why end
        end
        closed = false
      else
        return at, no_separator(text, at, container)
      end
    end
  end
end

local function first_difference(text, other)
  local at = 1
  while byte(text, at) == byte(other, at) do
    at = at + 1
  end
  return at
end

---problem says why the text is not one JSON value, or nil if it is.
---@param text string
---@return mcp_sidecar.JsonProblem?
function M.problem(text)
  local at, why = first_wrong(text)
  if not at and not utf8.valid(text) then
    at, why = first_difference(text, utf8.well_formed(text)), 'this byte is not UTF-8'
  end
  if not at then return nil end
  local line, from = 1, 1
  for i = 1, at - 1 do
    if byte(text, i) == 10 then
      line, from = line + 1, i + 1
    end
  end
  return { message = why, at = at, line = line, column = at - from + 1 }
end

---kind is the type of a valid JSON text: "object", "array", "string", "number", "boolean" or "null".
---@param text string
---@return string
function M.kind(text)
  local b = byte(text, skip_blanks(text, 1))
  if b == OPEN_OBJECT then return 'object' end
  if b == OPEN_ARRAY then return 'array' end
  if b == QUOTE then return 'string' end
  if b == 110 then return 'null' end
  if b == 116 or b == 102 then return 'boolean' end
  return 'number'
end

---is_number says whether the whole text is a number as JSON writes it.
---@param text string
---@return boolean ok
---@return string? why not
function M.is_number(text)
  local after, _, why = number_end(text, 1)
  if after == #text + 1 then return true end
  return false, why
end

local indents = {}

-- Deep nesting would make a text of n bytes n² long.
local function indent(depth)
  if depth > 40 then depth = 40 end
  indents[depth] = indents[depth] or ('  '):rep(depth)
  return indents[depth]
end

---pretty lays valid JSON out, two spaces a level.
---@param text string
---@return string[] lines
function M.pretty(text)
  local lines, n, line, depth = {}, 0, '', 0
  local at = skip_blanks(text, 1)
  local b = byte(text, at)
  while b do
    if b == OPEN_OBJECT or b == OPEN_ARRAY then
      local inside = skip_blanks(text, at + 1)
      if byte(text, inside) == b + 2 then
        line = line .. (b == OPEN_OBJECT and '{}' or '[]')
        at = inside + 1
      else
        n, depth = n + 1, depth + 1
        lines[n] = line .. (b == OPEN_OBJECT and '{' or '[')
        line = indent(depth)
        at = inside
      end
    elseif b == CLOSE_OBJECT or b == CLOSE_ARRAY then
      n, depth = n + 1, depth - 1
      lines[n] = line
      line = indent(depth) .. (b == CLOSE_OBJECT and '}' or ']')
      at = at + 1
    elseif b == COMMA then
      n = n + 1
      lines[n] = line .. ','
      line = indent(depth)
      at = at + 1
    elseif b == COLON then
      line = line .. ': '
      at = at + 1
    else
      local after = scalar_end(text, at)
      line = line .. sub(text, at, after - 1)
      at = after
    end
    at = skip_blanks(text, at)
    b = byte(text, at)
  end
  lines[n + 1] = line
  return lines
end

---compact puts valid JSON on one line, with a space after commas and colons where people read it.
---@param text string
---@param spaced? boolean
---@return string
function M.compact(text, spaced)
  local parts, n = {}, 0
  local at = skip_blanks(text, 1)
  local b = byte(text, at)
  while b do
    local after = at + 1
    n = n + 1
    if b == COMMA or b == COLON then
      parts[n] = (b == COMMA and ',' or ':') .. (spaced and ' ' or '')
    else
      if b ~= OPEN_OBJECT and b ~= OPEN_ARRAY and b ~= CLOSE_OBJECT and b ~= CLOSE_ARRAY then
        after = scalar_end(text, at)
      end
      parts[n] = sub(text, at, after - 1)
    end
    at = skip_blanks(text, after)
    b = byte(text, at)
  end
  return table.concat(parts)
end

---value_end is the index after the value that begins at `at`.
---@param text string valid JSON
---@param at integer
---@return integer
function M.value_end(text, at)
  local depth = 0
  while true do
    local b = byte(text, at)
    if b == QUOTE then
      repeat
        at = at + (b == BACKSLASH and 2 or 1)
        b = byte(text, at)
      until b == QUOTE or b == nil
      at = at + 1
    elseif b == OPEN_OBJECT or b == OPEN_ARRAY then
      depth, at = depth + 1, at + 1
    elseif b == CLOSE_OBJECT or b == CLOSE_ARRAY then
      depth, at = depth - 1, at + 1
    elseif depth > 0 and b ~= nil then
      at = at + 1
    else
      while IN_WORD[b] do
        at = at + 1
        b = byte(text, at)
      end
    end
    if depth == 0 or b == nil then return at end
  end
end

-- The members of an object one by one: the text of the name, in its quotes, and that of the value.
local function each_member(text)
  local at = skip_blanks(text, 1)
  if byte(text, at) ~= OPEN_OBJECT then
    return function() end
  end
  at = skip_blanks(text, at + 1)
  return function()
    if byte(text, at) ~= QUOTE then return nil end
    local name_end_at = M.value_end(text, at)
    local name = sub(text, at, name_end_at - 1)
    at = skip_blanks(text, skip_blanks(text, name_end_at) + 1)
    local after = M.value_end(text, at)
    local value = sub(text, at, after - 1)
    at = skip_blanks(text, after)
    if byte(text, at) == COMMA then at = skip_blanks(text, at + 1) end
    return name, value
  end
end

---member is the text of an object's member, byte for byte; nil if it has none of that name. The name must be
---one that is written without escapes.
---@param text string valid JSON
---@param name string
---@return string?
function M.member(text, name)
  name = '"' .. name .. '"'
  for written, value in each_member(text) do
    if written == name then return value end
  end
end

---members are those of a valid JSON object, in its order; nil for another value.
---@param text string
---@return { name: string, json: string }[]?
function M.members(text)
  if M.kind(text) ~= 'object' then return nil end
  local members = {}
  for written, value in each_member(text) do
    local ok, name = pcall(vim.json.decode, written)
    members[#members + 1] = { name = ok and name or written, json = value }
  end
  return members
end

return M
