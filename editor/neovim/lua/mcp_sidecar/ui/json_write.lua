-- Writes JSON text: strings, Lua values, and objects whose members are JSON text already and keep their order.

local M = {}

local SHORT = { ['"'] = '\\"', ['\\'] = '\\\\', ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t' }

local SEQUENCES = {
  '^[\194-\223][\128-\191]',
  '^\224[\160-\191][\128-\191]',
  '^\237[\128-\159][\128-\191]',
  '^[\225-\239][\128-\191][\128-\191]',
  '^\240[\144-\191][\128-\191][\128-\191]',
  '^\244[\128-\143][\128-\191][\128-\191]',
  '^[\241-\243][\128-\191][\128-\191][\128-\191]',
}

-- JSON is UTF-8: a byte that is none becomes the replacement character.
local function valid_utf8(bytes)
  local parts, at = {}, 1
  while at <= #bytes do
    local found
    for _, sequence in ipairs(SEQUENCES) do
      found = found or bytes:match(sequence, at)
    end
    -- The third byte of a surrogate's encoding fits the fourth pattern.
    if found and found:find('^\237[\160-\191]') then found = nil end
    parts[#parts + 1] = found or '\239\191\189'
    at = at + (found and #found or 1)
  end
  return table.concat(parts)
end

---string writes a string.
---@param text string
---@return string json
function M.string(text)
  text = text:gsub(
    '[%c"\\]',
    function(c) return SHORT[c] or (c == '\127' and c) or ('\\u%04x'):format(c:byte()) end
  )
  text = text:gsub('[\128-\255]+', valid_utf8)
  return '"' .. text .. '"'
end

---number writes a number with all its digits: whole ones without a fraction, others as short as they can be read
---back. What JSON cannot say becomes null.
---@param number number
---@return string json
function M.number(number)
  if number ~= number or number == math.huge or number == -math.huge then return 'null' end
  if number == math.floor(number) and math.abs(number) < 2 ^ 53 then return ('%d'):format(number) end
  for digits = 15, 16 do
    local text = ('%.' .. digits .. 'g'):format(number)
    if tonumber(text) == number then return text end
  end
  return ('%.17g'):format(number)
end

---object writes an object from members that are JSON text, in their order.
---@param members { name: string, json: string }[]
---@return string json
function M.object(members)
  local parts = {}
  for i, member in ipairs(members) do
    parts[i] = M.string(member.name) .. ':' .. member.json
  end
  return '{' .. table.concat(parts, ',') .. '}'
end

local function is_array(value)
  if next(value) == nil then return getmetatable(value) ~= getmetatable(vim.empty_dict()) end
  return vim.islist(value)
end

---value writes a Lua value, tables by the rules of vim.json: an empty one is an array unless it is vim.empty_dict(),
---vim.NIL is null. Members are sorted by name. What is no JSON is left out of an object and null in an array.
---@param value any
---@param depth? integer how deep it lies
---@return string json
function M.value(value, depth)
  depth = depth or 0
  local kind = type(value)
  if kind == 'string' then return M.string(value) end
  if kind == 'number' then return M.number(value) end
  if kind == 'boolean' then return tostring(value) end
  -- A table may hold itself.
  if kind ~= 'table' or depth > 100 then return 'null' end
  if is_array(value) then
    local parts = {}
    for i, item in ipairs(value) do
      parts[i] = M.value(item, depth + 1)
    end
    return '[' .. table.concat(parts, ',') .. ']'
  end
  local members = {}
  for name, member in pairs(value) do
    if type(member) ~= 'function' then
      members[#members + 1] = { name = tostring(name), json = M.value(member, depth + 1) }
    end
  end
  table.sort(members, function(a, b) return a.name < b.name end)
  return M.object(members)
end

return M
