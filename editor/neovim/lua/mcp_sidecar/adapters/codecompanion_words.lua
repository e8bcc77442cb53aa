-- What codecompanion's user reads of a call: before it, when it has to be allowed, and after it.

local json = require('mcp_sidecar.json')
local utf8 = require('mcp_sidecar.utf8')

local M = {}

---How much of a result is shown. The model gets all of it.
local LINES, CHARACTERS = 20, 2000

---fenced is text as Markdown that is shown as it is: a heading in it would begin a message of the chat.
---@param text string
---@return string
local function fenced(text)
  local longest = 3
  for run in text:gmatch('`+') do
    longest = math.max(longest, #run)
  end
  local fence = ('`'):rep(longest + 1)
  return ('%s\n%s\n%s'):format(fence, text, fence)
end

---@param name string
---@param value any
---@return string
local function argument(name, value)
  if type(value) == 'string' then
    if value:find('\n') then return ('%s:\n    %s'):format(name, (value:gsub('\n', '\n    '))) end
    return ('%s: "%s"'):format(name, value)
  end
  local ok, text = pcall(json.encode, value)
  return ('%s: %s'):format(name, ok and text or vim.inspect(value))
end

---question asks whether a call may be made. It has all of the arguments: what is not seen is not allowed.
---@param tool mcp_sidecar.Tool
---@param args any
---@return string
function M.question(tool, args)
  local asked = ('Run the MCP tool `%s`?'):format(tool.label)
  if type(args) ~= 'table' or next(args) == nil then return asked end
  local names = vim.tbl_keys(args)
  table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
  local lines = vim.tbl_map(function(name) return argument(tostring(name), args[name]) end, names)
  return ('%s\n\n%s'):format(asked, fenced(utf8.well_formed(table.concat(lines, '\n'))))
end

---report is what is shown of a result.
---@param label string of the tool
---@param failed boolean
---@param text string
---@return string
function M.report(label, failed, text)
  local lines = vim.split(utf8.cut(text, CHARACTERS), '\n')
  local total = #vim.split(text, '\n')
  local shown = table.concat(lines, '\n', 1, math.min(#lines, LINES))
  local rest = total - math.min(#lines, LINES)
  if rest > 0 then shown = ('%s\n… %d more lines'):format(shown, rest) end
  return ('MCP: `%s` %s\n%s'):format(label, failed and 'failed' or 'answered', fenced(shown))
end

return M
