-- JSON, where vim.json is not enough: it writes numbers with 14 digits (Neovim 0.10) or 16 (0.12), an empty
-- table always as a list, and what it has read has no text any more.

local M = {}

---decode reads a message. A null member of an object is left out, so that `if tool.title then` means what it
---says; in a list it is vim.NIL, which keeps the others in their places.
---@param text string
---@return any
function M.decode(text) return vim.json.decode(text, { luanil = { object = true } }) end

local encode

---@param value number
local function encode_number(value)
  if value ~= value or value == math.huge or value == -math.huge then
    error(('JSON has no word for the number %s'):format(value), 0)
  end
  if value == math.floor(value) and math.abs(value) < 2 ^ 53 then return ('%d'):format(value) end
  for digits = 15, 17 do
    local text = ('%.' .. digits .. 'g'):format(value)
    if digits == 17 or tonumber(text) == value then return text end
  end
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
      parts[i] = vim.json.encode(name) .. ':' .. encode(value[name], path)
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
  if kind == 'string' or kind == 'boolean' or value == vim.NIL then return vim.json.encode(value) end
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

---Where the value ends that begins at `from`.
---@param text string valid JSON
---@param from integer
---@return integer
local function value_end(text, from)
  local first = text:sub(from, from)
  if first ~= '{' and first ~= '[' and first ~= '"' then
    return (text:find('[,}%]%s]', from) or #text + 1) - 1
  end
  local depth, at = 0, from
  while true do
    local char = text:sub(at, at)
    if char == '"' then
      repeat
        at = text:find('["\\]', at + 1) --[[@as integer]]
        local escaped = text:sub(at, at) == '\\'
        if escaped then at = at + 1 end
      until not escaped
    elseif char == '{' or char == '[' then
      depth = depth + 1
    else
      depth = depth - 1
    end
    if depth == 0 then return at end
    at = text:find('["{}%[%]]', at + 1) --[[@as integer]]
  end
end

---member is the text of an object's member, byte for byte; nil if it has none of that name. The name must be
---one that is written without escapes.
---@param text string valid JSON, an object
---@param name string
---@return string?
function M.member(text, name)
  local at = text:find('[^{%s]', (text:find('{', 1, true) or #text) + 1)
  while at and text:sub(at, at) == '"' do
    local key_end = value_end(text, at)
    local from = text:find('[^:%s]', key_end + 1) --[[@as integer]]
    local to = value_end(text, from)
    if text:sub(at + 1, key_end - 1) == name then return text:sub(from, to) end
    at = text:find('[^,%s]', to + 1)
  end
end

return M
