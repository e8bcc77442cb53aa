-- Regular expressions of JSON Schema (ECMA-262) as patterns of Vim, as far as both mean the same. What goes further
-- (look-around, back references, lazy quantifiers, Unicode classes) is left to the server to check.

local M = {}

local CLASSES = { d = '0-9', w = 'A-Za-z0-9_', s = [[ \t\r\n]] }
local QUANTIFIERS = { ['*'] = true, ['+'] = true, ['?'] = true }

-- A class in brackets from the index of its `[`: its text for Vim and the index after it, or nil.
local function bracket(pattern, at)
  local negated = pattern:match('^%^', at + 1) or ''
  local i = at + 1 + #negated
  local parts = {}
  while true do
    local c = pattern:sub(i, i)
    if c == ']' then break end
    if c == '' or c == '[' then return nil end
    if c == '\\' then
      local escaped = pattern:sub(i + 1, i + 1)
      local after = pattern:sub(i + 2, i + 2)
      if CLASSES[escaped] then
        -- `\w-x` is read in two ways.
        if after == '-' and pattern:sub(i + 3, i + 3) ~= ']' then return nil end
        parts[#parts + 1] = CLASSES[escaped]
      elseif escaped:match('[tnr]') then
        parts[#parts + 1] = '\\' .. escaped
      elseif escaped:match('[%]%^%-\\]') then
        parts[#parts + 1] = '\\' .. escaped
      elseif escaped:match('[%p]') and escaped ~= '[' then
        parts[#parts + 1] = escaped
      else
        return nil
      end
      i = i + 2
    else
      parts[#parts + 1] = c
      i = i + 1
    end
  end
  if #parts == 0 then return nil end
  -- A minus at an end is a minus.
  if parts[1] == '-' then parts[1] = '\\-' end
  if parts[#parts] == '-' then parts[#parts] = '\\-' end
  return '[' .. negated .. table.concat(parts) .. ']', i + 1
end

local function escape(pattern, at)
  local c = pattern:sub(at + 1, at + 1)
  if CLASSES[c] then return '[' .. CLASSES[c] .. ']' end
  if CLASSES[c:lower()] then return '[^' .. CLASSES[c:lower()] .. ']' end
  if c:match('[tnr]') or c:match('%p') then return '\\' .. c end
  return nil
end

-- One atom or mark of the pattern: its text for Vim, the index after it, and whether a quantifier may follow.
local function atom(pattern, at)
  local c = pattern:sub(at, at)
  if c == '\\' then return escape(pattern, at), at + 2, true end
  if c == '[' then
    local text, after = bracket(pattern, at)
    return text, after, true
  end
  if c == '(' then
    if pattern:sub(at, at + 2) == '(?:' then return '%(', at + 3, false end
    if pattern:sub(at + 1, at + 1) == '?' then return nil end
    return '%(', at + 1, false
  end
  if c == ')' then return ')', at + 1, true end
  if c == '|' or c == '^' or c == '$' then return c, at + 1, false end
  if c == '.' then return '.', at + 1, true end
  if c:match('%w') or c == '_' or c == ' ' then return c, at + 1, true end
  if c:match('%p') and not QUANTIFIERS[c] and c ~= '{' then return '\\' .. c, at + 1, true end
  return nil
end

-- The quantifier at the index, if there is one: its text, the index after it, and false where Vim has none like it.
local function quantifier(pattern, at)
  local text = QUANTIFIERS[pattern:sub(at, at)] and pattern:sub(at, at) or pattern:match('^{%d+,?%d*}', at)
  if not text then return '', at, pattern:sub(at, at) ~= '{' end
  local after = at + #text
  return text, after, not pattern:match('^[*+?{]', after)
end

---translate turns a pattern into one for vim.regex, or nil if it cannot.
---@param pattern string
---@return string?
function M.translate(pattern)
  if pattern:match('[^\32-\126]') or #pattern > 1000 then return nil end
  local parts, at = {}, 1
  while at <= #pattern do
    local text, after, repeatable = atom(pattern, at)
    if not text then return nil end
    local count, ok = '', true
    if repeatable then
      count, after, ok = quantifier(pattern, after)
    end
    if not ok then return nil end
    parts[#parts + 1] = text .. count
    at = after
  end
  return [[\v\C]] .. table.concat(parts)
end

---matches says whether a text has a match of the pattern; nil if that cannot be told here.
---@param pattern string
---@param text string
---@return boolean?
function M.matches(pattern, text)
  local translated = M.translate(pattern)
  -- Vim matches line by line, and counts a combining character to its base.
  if not translated or text:match('[%c\128-\255]') then return nil end
  local ok, regex = pcall(vim.regex, translated)
  if not ok then return nil end
  return regex:match_str(text) ~= nil
end

return M
