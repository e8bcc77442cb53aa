-- The types that a language server shows to users are those of what there is.
local config = require('mcp_sidecar.config')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

---fields of a class in a module, sorted: "name", or "name?" of one that may be left out.
---@param path string
---@param class string
---@return string[]
local function fields(path, class)
  local names, inside = {}, false
  for line in io.lines('lua/mcp_sidecar/' .. path) do
    local name = line:match('^%-%-%-@field ([%w_]+%??)')
    if inside and not name then break end
    if inside then names[#names + 1] = name end
    inside = inside or line:match('^%-%-%-@class mcp_sidecar%.([%w_]+)') == class
  end
  table.sort(names)
  return names
end

---known are the options of a group that there are: a message about another one says so.
local function known(given)
  local _, problems = config.merged(given)
  return vim.split(problems[1]:match('there are (.*)$'), ', ')
end

---sorted are the names of a table's members.
local function sorted(members)
  local names = vim.tbl_keys(members)
  table.sort(names)
  return names
end

local function optional(names)
  return vim.tbl_map(function(name) return name .. '?' end, names)
end

T['a user may annotate every option, and leave out each'] = function()
  eq(fields('config.lua', 'Options'), optional(known({ [1] = '' })))
  eq(fields('config.lua', 'RestartOptions'), optional(known({ restart = { [1] = '' } })))
  eq(fields('config.lua', 'UiOptions'), optional(known({ ui = { [1] = '' } })))
end

T['what has a default is there'] = function()
  eq(fields('config.lua', 'Config'), sorted(config.DEFAULTS))
  eq(fields('config.lua', 'RestartConfig'), sorted(config.DEFAULTS.restart))
  eq(fields('config.lua', 'UiConfig'), sorted(config.DEFAULTS.ui))
end

T['each event has its type of data'] = function()
  local _, problem = pcall(require('mcp_sidecar.events').on, 'none')
  local typed = {}
  for line in io.lines('lua/mcp_sidecar/init.lua') do
    typed[#typed + 1] = line:match('^%-%-%-@overload fun%(event: "([%w_]+)"')
      or line:match('^%-%-%-@param event "([%w_]+)"')
  end
  table.sort(typed)
  eq(typed, vim.split(problem:match('there are (.*)$'), ', '))
end

return T
