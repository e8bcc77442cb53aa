-- Patterns that JavaScript, Python and engines without lookaround understand, all in the same way: OpenAI
-- compiles the patterns of a schema, and refuses the request with one that it does not know.
--
-- They are of characters, classes of those, groups that are plain, alternatives, and what says how often. Where
-- it is not sure, a pattern is not plain.

local M = {}

local CHARACTER = '^[\1-\127\194-\244][\128-\191]*'
local QUANTIFIERS = { '^[*+?]', '^{%d+}', '^{%d+,}', '^{%d+,%d+}' }
local CONTROLS = { f = 12, n = 10, r = 13, t = 9, v = 11 }

---@param pattern string
---@param at integer at a backslash
---@return integer? after nil if it is none that all know
---@return "character"|"class"|"edge"? kind
---@return integer? code of a character
local function escape(pattern, at)
  local hex = pattern:match('^\\x(%x%x)', at) or pattern:match('^\\u(%x%x%x%x)', at)
  if hex then
    local code = tonumber(hex, 16)
    if code >= 0xD800 and code <= 0xDFFF then return nil end -- half of a character
    return at + 2 + #hex, 'character', code
  end
  local sign = pattern:match('^\\(.)', at) or ''
  if sign:find('^[bB]$') then return at + 2, 'edge' end
  if sign:find('^[dDsSwW]$') then return at + 2, 'class' end
  if sign:find('^[fnrtv%p]$') then return at + 2, 'character', CONTROLS[sign] or sign:byte() end
end

---@param items { kind: string, code: integer? }[] of a class
---@return boolean
local function has_sense(items)
  for i = 2, #items - 1 do
    if items[i].kind == 'dash' then
      local low, high = items[i - 1], items[i + 1]
      if low.kind ~= 'character' or high.kind ~= 'character' or low.code > high.code then return false end
      if i > 3 and items[i - 2].kind == 'dash' then return false end -- a-b-c
    end
  end
  return #items > 0
end

---@param pattern string
---@param at integer after the bracket that opens
---@return integer? after the bracket that closes
local function class(pattern, at)
  local items = {}
  if pattern:sub(at, at) == '^' then at = at + 1 end
  while pattern:sub(at, at) ~= ']' do
    local after, kind, code
    if pattern:sub(at, at) == '\\' then
      after, kind, code = escape(pattern, at)
      if not after or kind == 'edge' then return nil end
    else
      local character = pattern:match(CHARACTER, at)
      if not character or character == '[' then return nil end
      after, kind, code =
        at + #character, character == '-' and 'dash' or 'character', vim.fn.char2nr(character)
    end
    items[#items + 1] = { kind = kind, code = code }
    at = after
  end
  return has_sense(items) and at + 1 or nil
end

---@param pattern string
---@param at integer
---@return integer? after nil if no quantifier is there
---@return boolean? valid
local function quantifier(pattern, at)
  for _, form in ipairs(QUANTIFIERS) do
    local text = pattern:match(form, at)
    if text then
      local low, high = text:match('^{(%d+),(%d+)}$')
      local after = at + #text
      if pattern:sub(after, after) == '?' then after = after + 1 end
      return after, low == nil or tonumber(low) <= tonumber(high)
    end
  end
end

---atom is the end of one piece of a pattern, and whether a quantifier may follow it; nil if it is not plain.
---@param pattern string
---@param at integer
---@param depth integer how many groups are open
---@return integer? after
---@return boolean? repeatable
---@return integer? depth
local function atom(pattern, at, depth)
  local sign = pattern:sub(at, at)
  if sign == '\\' then
    local after, kind = escape(pattern, at)
    return after, kind ~= 'edge', depth
  elseif sign == '[' then
    return class(pattern, at + 1), true, depth
  elseif sign == '(' then
    if pattern:sub(at + 1, at + 2) == '?:' then return at + 3, false, depth + 1 end
    return pattern:sub(at + 1, at + 1) ~= '?' and at + 1 or nil, false, depth + 1
  elseif sign == ')' then
    return depth > 0 and at + 1 or nil, true, depth - 1
  elseif sign:find('[|^$]') then
    return at + 1, false, depth
  elseif sign:find('[*+?{}%]]') then
    return nil
  end
  local character = pattern:match(CHARACTER, at)
  return character and at + #character, true, depth
end

---is_plain: do all engines take it, and mean the same?
---@param pattern string
---@return boolean
function M.is_plain(pattern)
  local at, depth = 1, 0
  while at <= #pattern do
    local after, repeatable, now = atom(pattern, at, depth)
    if not after then return false end
    at, depth = after, now --[[@as integer]]
    local beyond, valid = quantifier(pattern, at)
    if beyond then
      if not (repeatable and valid) then return false end
      at = beyond
    end
  end
  return depth == 0
end

return M
