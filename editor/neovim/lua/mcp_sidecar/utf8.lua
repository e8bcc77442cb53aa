-- Texts. Lua's strings are bytes, and what a server sends may be no UTF-8: half of an emoji, another encoding. The
-- sidecar cannot read a message with such a text in it, and a provider of models refuses the whole request.

local M = {}

local REPLACEMENT = '\239\191\189' -- U+FFFD

---The sequences of UTF-8 beyond ASCII: no overlong ones, no surrogates, nothing beyond U+10FFFF (RFC 3629,
---section 4).
local SEQUENCES = {
  '[\194-\223][\128-\191]',
  '\224[\160-\191][\128-\191]',
  '[\225-\236\238\239][\128-\191][\128-\191]',
  '\237[\128-\159][\128-\191]',
  '\240[\144-\191][\128-\191][\128-\191]',
  '[\241-\243][\128-\191][\128-\191][\128-\191]',
  '\244[\128-\143][\128-\191][\128-\191]',
}

---valid: are the bytes UTF-8?
---@param bytes string
---@return boolean
function M.valid(bytes)
  for _, sequence in ipairs(SEQUENCES) do
    if not bytes:find('[\128-\255]') then return true end
    bytes = bytes:gsub(sequence, '.')
  end
  return not bytes:find('[\128-\255]')
end

---character is the one that begins at a byte, and its length in bytes; without a code and of length 1 if there is none.
---@param text string
---@param at integer
---@return integer? code
---@return integer length
function M.character(text, at)
  local lead = text:byte(at)
  if lead < 0x80 then return lead, 1 end
  local length = lead >= 0xf0 and 4 or lead >= 0xe0 and 3 or 2
  if lead < 0xc2 or lead > 0xf4 or at + length - 1 > #text then return nil, 1 end
  local code = lead % 2 ^ (7 - length)
  for i = at + 1, at + length - 1 do
    local byte = text:byte(i)
    if byte < 0x80 or byte > 0xbf then return nil, 1 end
    code = code * 64 + byte - 0x80
  end
  local least = ({ 0, 0x80, 0x800, 0x10000 })[length]
  if code < least or code > 0x10ffff or (code >= 0xd800 and code <= 0xdfff) then return nil, 1 end
  return code, length
end

---@param run string bytes beyond ASCII
---@return string
local function repaired(run)
  local parts, at = {}, 1
  while at <= #run do
    local code, length = M.character(run, at)
    parts[#parts + 1] = code and run:sub(at, at + length - 1) or REPLACEMENT
    at = at + length
  end
  return table.concat(parts)
end

---well_formed has U+FFFD in place of every byte that is part of no character.
---@param bytes string
---@return string
function M.well_formed(bytes)
  if M.valid(bytes) then return bytes end
  return (bytes:gsub('[\128-\255]+', repaired))
end

---length counts the characters of a well-formed text.
---@param text string
---@return integer
function M.length(text) return #text - select(2, text:gsub('[\128-\191]', '')) end

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

---cut ends a well-formed text that is longer than this many characters with an ellipsis.
---@param text string
---@param longest number
---@return string
function M.cut(text, longest)
  if #text <= longest or M.length(text) <= longest then return text end
  return M.start(text, math.max(longest - 1, 0)) .. '…'
end

return M
