-- Texts as they may be sent to a model. Lua's strings are bytes, and what a server sends may be no UTF-8: half
-- of an emoji, another encoding. A provider refuses the whole request then, at every turn of a conversation
-- that has it.

local M = {}

local REPLACEMENT = '\239\191\189' -- U+FFFD

---The sequences of UTF-8 beyond ASCII: no overlong ones, no surrogates, nothing beyond U+10FFFF.
local SEQUENCES = {
  '^[\194-\223][\128-\191]',
  '^\224[\160-\191][\128-\191]',
  '^[\225-\236\238\239][\128-\191][\128-\191]',
  '^\237[\128-\159][\128-\191]',
  '^\240[\144-\191][\128-\191][\128-\191]',
  '^[\241-\243][\128-\191][\128-\191][\128-\191]',
  '^\244[\128-\143][\128-\191][\128-\191]',
}

---@param run string bytes beyond ASCII
---@return string
local function repaired(run)
  local parts, at = {}, 1
  while at <= #run do
    local character
    for _, sequence in ipairs(SEQUENCES) do
      character = run:match(sequence, at)
      if character then break end
    end
    parts[#parts + 1] = character or REPLACEMENT
    at = at + (character and #character or 1)
  end
  return table.concat(parts)
end

---well_formed has U+FFFD in place of every byte that is part of no character.
---@param text string
---@return string
function M.well_formed(text) return (text:gsub('[\128-\255]+', repaired)) end

---length counts the characters of a well-formed text.
---@param text string
---@return integer
function M.length(text) return select(2, text:gsub('[^\128-\191]', '')) end

---start is the first characters of a well-formed text.
---@param text string
---@param count integer
---@return string
function M.start(text, count)
  local seen = 0
  for at in text:gmatch('()[^\128-\191]') do
    seen = seen + 1
    if seen > count then return text:sub(1, at - 1) end
  end
  return text
end

---cut ends a text that is longer than this many characters with an ellipsis.
---@param text string
---@param longest number
---@return string
function M.cut(text, longest)
  if #text <= longest or M.length(text) <= longest then return text end
  return M.start(text, math.max(longest - 1, 0)) .. '…'
end

---bounded is a value of JSON with all its texts as `text` makes them, and an ellipsis in place of objects and
---lists that are in more than `depth` others. It is the same table if nothing had to change.
---@generic T
---@param value T
---@param depth integer
---@param text? fun(text: string): string default: well_formed
---@return T
function M.bounded(value, depth, text)
  text = text or M.well_formed
  if type(value) == 'string' then return text(value) end
  if type(value) ~= 'table' or next(value) == nil then return value end
  if depth == 0 then return '…' end
  local result, same = {}, true
  for key, member in pairs(value) do
    local name = type(key) == 'string' and M.well_formed(key) or key
    local now = M.bounded(member, depth - 1, text)
    same = same and name == key and now == member
    result[name] = now
  end
  return same and value or result
end

return M
