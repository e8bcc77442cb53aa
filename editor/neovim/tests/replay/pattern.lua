-- Patterns: whether a message is what a line asks for, and a message that a line asks for.
-- conformance/README.md ("Patterns") says what they are.

local json = require('replay.raw_json')

local M = {}

---The values that a dialogue has remembered, by name.
---@alias replay.Saved table<string, replay.Json>

---Matcher is an object in a pattern that stands for more than itself.
---@class replay.Matcher
---@field word string
---@field operand replay.Json
---@field like? replay.Json a value that would do, for whoever sends the message

local words = { '$like', '$save', '$ref', '$not', '$has', '$some', '$raw', '$exact', '$absent' }

---@param pattern replay.Json
---@return replay.Matcher?
local function matcher_of(pattern)
  -- "$/progress" and its like are methods, not words.
  local function is_word(name) return name:find('^%$') and not name:find('^%$/') end
  local named = vim.tbl_filter(is_word, pattern.names)
  local word = named[1]
  if not word then return nil end
  if #named > 1 then error('two matchers in one object: ' .. pattern.text, 0) end
  for _, name in ipairs(pattern.names) do
    if name ~= 'like' and not vim.tbl_contains(words, name) then
      error(('matcher with an unknown field "%s": %s'):format(name, pattern.text), 0)
    end
  end
  local like = pattern.members.like
  if (word == '$save' or word == '$not') and not like then
    error('a matcher that has no example in "like": ' .. pattern.text, 0)
  end
  return { word = word, operand = pattern.members[word], like = like }
end

local function shortened(value)
  local most = 2000
  if #value.text <= most then return value.text end
  return ('%s… (%d bytes)'):format(value.text:sub(1, most), #value.text)
end

local function differs(want, got, at) return ('%s: want %s, got %s'):format(at, want.text, shortened(got)) end

local function other_kind(like, got, at)
  if like.kind == got.kind then return nil end
  return ('%s: want something like %s, got %s'):format(at, like.text, shortened(got))
end

local function remembered(name, saved)
  local value = saved[json.unquoted(name.text)]
  if not value then error(('$ref to %s, which nothing has saved'):format(name.text), 0) end
  return value
end

local function sorted(names)
  local copy = vim.list_slice(names)
  table.sort(copy)
  return copy
end

---Compares whole values: no further members, but in any order.
local function inexact(want, got, at)
  if not got then return ('%s: want %s, is missing'):format(at, want.text) end
  if want.kind ~= got.kind then return differs(want, got, at) end
  if want.kind == 'object' then
    for _, name in ipairs(got.names) do
      if not want.members[name] then
        return ('%s/%s: want nothing there, got %s'):format(at, name, shortened(got.members[name]))
      end
    end
    for _, name in ipairs(want.names) do
      local found = inexact(want.members[name], got.members[name], at .. '/' .. name)
      if found then return found end
    end
    return nil
  end
  if want.kind == 'array' then
    if #want.elements ~= #got.elements then return differs(want, got, at) end
    for i, element in ipairs(want.elements) do
      local found = inexact(element, got.elements[i], ('%s/%d'):format(at, i - 1))
      if found then return found end
    end
    return nil
  end
  return not json.same_scalar(want, got) and differs(want, got, at) or nil
end

---Finds each wanted element in the array, in that order.
local function mismatch_of_some(wanted, got, saved, at)
  if got.kind ~= 'array' then return ('%s: want an array, got %s'):format(at, shortened(got)) end
  local next_one = 1
  for _, want in ipairs(wanted.elements) do
    local attempt
    repeat
      local candidate = got.elements[next_one]
      next_one = next_one + 1
      if not candidate then
        return ('%s: want an element (in order) like %s, got %s'):format(at, want.text, shortened(got))
      end
      attempt = vim.tbl_extend('keep', {}, saved)
    until not M.mismatch(want, candidate, attempt, at)
    for name, value in pairs(attempt) do
      saved[name] = value
    end
  end
end

---@type table<string, fun(matcher: replay.Matcher, got: replay.Json, saved: replay.Saved, at: string): string?>
local mismatches = {
  ['$like'] = function(matcher, got, _, at) return other_kind(matcher.operand, got, at) end,
  ['$save'] = function(matcher, got, saved, at)
    saved[json.unquoted(matcher.operand.text)] = got
    return other_kind(matcher.like, got, at)
  end,
  ['$ref'] = function(matcher, got, saved, at)
    return M.mismatch(remembered(matcher.operand, saved), got, saved, at)
  end,
  ['$not'] = function(matcher, got, saved, at)
    if M.mismatch(matcher.operand, got, vim.tbl_extend('keep', {}, saved), at) then return nil end
    return ('%s: is %s, and must not be'):format(at, shortened(got))
  end,
  ['$has'] = function(matcher, got, _, at)
    local part = json.unquoted(matcher.operand.text)
    if got.kind == 'string' and json.unquoted(got.text):find(part, 1, true) then return nil end
    return ('%s: want a string with %s in it, got %s'):format(at, matcher.operand.text, shortened(got))
  end,
  ['$some'] = function(matcher, got, saved, at) return mismatch_of_some(matcher.operand, got, saved, at) end,
  ['$raw'] = function(matcher, got, _, at)
    local bytes = json.unquoted(matcher.operand.text)
    if bytes == got.text then return nil end
    return ('%s: want these bytes:\n\t%s\ngot\n\t%s'):format(at, bytes, shortened(got))
  end,
  ['$exact'] = function(matcher, got, _, at) return inexact(matcher.operand, got, at) end,
}

---Says why a message is not what the pattern asks for, beginning with the JSON pointer to the first difference; nil
---if it is. Remembers into saved.
---@param pattern replay.Json
---@param got replay.Json? nil for a member that is not there
---@param saved replay.Saved
---@param at? string the pointer to it
---@return string?
function M.mismatch(pattern, got, saved, at)
  at = at or ''
  local matcher = matcher_of(pattern)
  if matcher and matcher.word == '$absent' then
    return got and ('%s: want nothing there, got %s'):format(at, shortened(got)) or nil
  end
  if matcher and not got then return at .. ': is missing' end
  if matcher then return mismatches[matcher.word](matcher, got, saved, at) end
  if not got then return ('%s: want %s, is missing'):format(at, pattern.text) end
  if pattern.kind ~= got.kind then return differs(pattern, got, at) end
  if pattern.kind == 'array' and #pattern.elements ~= #got.elements then
    return ('%s: want %d elements, got %d: %s'):format(at, #pattern.elements, #got.elements, shortened(got))
  end
  for i, element in ipairs(pattern.elements) do
    local found = M.mismatch(element, got.elements[i], saved, ('%s/%d'):format(at, i - 1))
    if found then return found end
  end
  -- In order, so that a message is told to be another one (by its id) before its result is looked at.
  for _, name in ipairs(sorted(pattern.names)) do
    local found = M.mismatch(pattern.members[name], got.members[name], saved, at .. '/' .. name)
    if found then return found end
  end
  local scalar = pattern.kind ~= 'array' and pattern.kind ~= 'object'
  return scalar and not json.same_scalar(pattern, got) and differs(pattern, got, at) or nil
end

local function example_of_elements(pattern, saved)
  local function text(element) return M.example(element, saved) or 'null' end
  return '[' .. table.concat(vim.tbl_map(text, pattern.elements), ',') .. ']'
end

local function example_of(matcher, saved)
  local word, operand, like = matcher.word, matcher.operand, matcher.like
  if word == '$absent' then return nil end
  if word == '$save' then saved[json.unquoted(operand.text)] = like end
  if word == '$ref' then return remembered(operand, saved).text end
  if like then return like.text end
  if word == '$some' then return example_of_elements(operand, saved) end
  return word == '$raw' and json.unquoted(operand.text) or operand.text
end

---The text of a message that the pattern asks for, nil for a member that must be absent. Remembers into saved as
---mismatch does.
---@param pattern replay.Json
---@param saved replay.Saved
---@return string?
function M.example(pattern, saved)
  local matcher = matcher_of(pattern)
  if matcher then return example_of(matcher, saved) end
  if pattern.kind == 'array' then return example_of_elements(pattern, saved) end
  if pattern.kind ~= 'object' then return pattern.text end
  local members = {}
  for _, name in ipairs(sorted(pattern.names)) do
    local text = M.example(pattern.members[name], saved)
    if text then table.insert(members, { name, text }) end
  end
  return json.object(members)
end

---The pattern that a line's text is.
---@param text string
---@return replay.Json
function M.read(text)
  local pattern = json.read(text)
  if pattern.kind ~= 'object' then error('not a JSON object: ' .. text, 0) end
  return pattern
end

return M
