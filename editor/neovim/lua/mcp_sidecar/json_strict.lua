-- Whether a text is JSON to the letter (RFC 8259). It matters for texts that are sent as they are: the sidecar
-- refuses a message that it cannot read without knowing which request it was, and vim.json reads more than JSON.

local json = require('mcp_sidecar.json')

local M = {}

local WORDS = { ['true'] = true, ['false'] = true, null = true }

local function is_number(word)
  local rest = word:match('^%-?[1-9]%d*(.*)$') or word:match('^%-?0(.*)$')
  if not rest then return false end
  rest = rest:match('^%.%d+(.*)$') or rest
  return rest == '' or rest:match('^[eE][+-]?%d+$') ~= nil
end

---@param between string what stands between two strings
---@return string?
local function problem_between(between)
  local space = between:match('[\v\f]')
  if space then return ('a %q is no white space'):format(space) end
  for word in between:gmatch('[^%s,:%[%]{}]+') do
    if not WORDS[word] and not is_number(word) then return ('"%s" is no value'):format(word) end
  end
end

---problem says why a text is no JSON; nil if it is.
---@param text string
---@return string?
function M.problem(text)
  local ok, why = pcall(json.decode, text)
  if not ok then return tostring(why) end
  if not json.is_text(text) then return 'it has bytes that are not UTF-8' end
  local at = 1
  while true do
    local quote = text:find('"', at, true)
    local problem = problem_between(text:sub(at, (quote or 0) - 1))
    if problem or not quote then return problem end
    at = quote
    repeat
      at = text:find('[%z\1-\31"\\]', at + 1) --[[@as integer]]
      local char = text:sub(at, at)
      if char == '\\' then at = at + 1 end
    until char ~= '\\'
    if text:sub(at, at) ~= '"' then
      return ('a string has the control character 0x%02x, which JSON writes as an escape'):format(
        text:byte(at)
      )
    end
    at = at + 1
  end
end

return M
