-- JSON, where vim.json is not enough: it writes numbers with 14 digits (Neovim 0.10) or 16 (0.12), an empty
-- table always as a list and bytes that are no text as they are, refuses some of what servers send, and what it
-- has read has no text any more.

local json_text = require('mcp_sidecar.json_text')
local utf8 = require('mcp_sidecar.utf8')

local M = {}

local encode

---@param value number
local function encode_number(value)
  if value ~= value or value == math.huge or value == -math.huge then
    error(('JSON has no word for the number %s'):format(value), 0)
  end
  -- As JavaScript has it: who wants an integer does not always take an exponent.
  if value == math.floor(value) and math.abs(value) < 1e21 then return ('%.0f'):format(value + 0) end
  for digits = 15, 17 do
    local text = ('%.' .. digits .. 'g'):format(value)
    if digits == 17 or tonumber(text) == value then return text end
  end
end

local ESCAPES = { ['"'] = '\\"', ['\\'] = '\\\\', ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t' }

local function escaped(char) return ESCAPES[char] or ('\\u%04x'):format(char:byte()) end

---A message that is not UTF-8 is refused by the sidecar as a whole, and it cannot say which one it was.
---@param value string
local function encode_string(value)
  if not utf8.valid(value) then error('JSON cannot hold bytes that are not UTF-8', 0) end
  return '"' .. value:gsub('[%z\1-\31"\\]', escaped) .. '"'
end

---@param value table
---@param path table<table, true> the tables that this one is in
local function encode_table(value, path)
  if path[value] then error('JSON cannot hold a table that contains itself', 0) end
  path[value] = true
  local parts = {}
  local text
  if vim.islist(value) and (next(value) ~= nil or getmetatable(value) == nil) then
    for i, element in ipairs(value) do
      parts[i] = encode(element, path)
    end
    text = '[' .. table.concat(parts, ',') .. ']'
  else
    local names = vim.tbl_keys(value)
    for _, name in ipairs(names) do
      if type(name) ~= 'string' then error('JSON cannot hold a table with gaps or mixed keys', 0) end
    end
    table.sort(names) -- the same text for the same value
    for i, name in ipairs(names) do
      parts[i] = encode_string(name) .. ':' .. encode(value[name], path)
    end
    text = '{' .. table.concat(parts, ',') .. '}'
  end
  path[value] = nil
  return text
end

---@param value any
---@param path table<table, true>
---@return string
encode = function(value, path)
  local kind = type(value)
  if kind == 'number' then
    return encode_number(value) --[[@as string]]
  end
  if kind == 'table' then return encode_table(value, path) end
  if kind == 'string' then return encode_string(value) end
  if kind == 'boolean' or value == vim.NIL then return vim.json.encode(value) end
  -- 123LL of LuaJIT: an integer that a Lua number cannot hold
  if kind == 'cdata' and tostring(value):match('^%-?%d+U?LL$') then
    return (tostring(value):gsub('U?LL$', ''))
  end
  error(('JSON cannot hold a %s'):format(kind), 0)
end

---encode writes a value, its numbers as exactly as Lua has them. An empty table is a list, unless it is
---vim.empty_dict(). It fails, with a sentence, at what JSON has no word for.
---@param value any
---@return string
function M.encode(value) return encode(value, {}) end

---object writes a table that is an object also when it is empty.
---@param value table
---@return string
function M.object(value) return next(value) == nil and '{}' or M.encode(value) end

---Half of a surrogate pair has no character: JavaScript writes it when it cuts a text. It is what the rest of the
---world reads there, U+FFFD.
---@param text string
---@return string
local function with_whole_pairs(text)
  local parts, done, at = {}, 1, text:find('\\', 1, true)
  while at do
    local size = 2
    if text:find('^u[dD][89a-fA-F]%x%x', at + 1) then
      local pair = '^\\u[dD][89abAB]%x%x\\u[dD][c-fC-F]%x%x'
      size = text:find(pair, at) and 12 or 6
      if size == 6 then
        vim.list_extend(parts, { text:sub(done, at - 1), '\\ufffd' })
        done = at + size
      end
    end
    at = text:find('\\', at + size, true)
  end
  parts[#parts + 1] = text:sub(done)
  return table.concat(parts)
end

---What is nested deeper is cut: vim.json reads 1000 levels, and who walks them recursively not many more.
local DEEPEST = 990

---@param text string
---@return string
local function without_depths(text)
  local parts, done, depth, at = {}, 1, 0, text:find('["{}%[%]]')
  while at do
    local char = text:sub(at, at)
    local last = at
    if char == '"' then
      last = json_text.value_end(text, at) - 1
    elseif char == '}' or char == ']' then
      depth = depth - 1
    elseif depth < DEEPEST then
      depth = depth + 1
    else
      last = json_text.value_end(text, at) - 1
      vim.list_extend(parts, { text:sub(done, at - 1), '"…"' })
      done = last + 1
    end
    at = text:find('["{}%[%]]', last + 1)
  end
  parts[#parts + 1] = text:sub(done)
  return table.concat(parts)
end

local OPTIONS = { luanil = { object = true } }

---decode reads a message. A null member of an object is left out, so that `if tool.title then` means what it
---says; in a list it is vim.NIL, which keeps the others in their places.
---@param text string
---@return any
function M.decode(text)
  local ok, value = pcall(vim.json.decode, text, OPTIONS)
  if ok then return value end
  -- Valid JSON that it does not read: a server can send it at any time, and nothing must end with that.
  local mended, other = pcall(function()
    local text_mended = without_depths(with_whole_pairs(text))
    return vim.json.decode(text_mended, OPTIONS)
  end)
  if not mended then error(value, 0) end
  return other
end

return M
