-- The user's options: `vim.g.mcp_sidecar`, a table or a function that returns one, or what `setup()` was given.
-- What is wrong with them is said by `:checkhealth mcp_sidecar` and once in a message; the default counts then.

local nearest = require('mcp_sidecar.nearest')
local say = require('mcp_sidecar.say')

local M = {}

---Options are what a user gives: all of it may be left out.
---@class mcp_sidecar.Options
---@field binary? string the program mcp-sidecar, a path or a name in PATH; default: see |mcp-sidecar-binary|
---@field args? string[] flags of the program
---@field env? table<string, string> added to its environment
---@field autostart? boolean start when a file of a project is opened, and not at the first command
---@field root? fun(buffer: integer): string? the project of a buffer; nil: look for root_markers
---@field root_markers? string[] files and directories that a project's root has
---@field settings? mcp_sidecar.Settings of the sidecar: rpc/PROTOCOL.md
---@field restart? mcp_sidecar.RestartOptions
---@field log_level? integer messages of the sidecar from this vim.log.levels on are shown
---@field ui? mcp_sidecar.UiOptions

---RestartOptions say how often in which time a sidecar that ends is started again.
---@class mcp_sidecar.RestartOptions
---@field limit? integer
---@field window_ms? integer

---@class mcp_sidecar.UiOptions
---@field border? string|string[]|string[][] of floating windows, as in nvim_open_win()
---@field width? number of the overview: columns, or a part of the screen below 1
---@field height? number
---@field icons? table<string, string> by name: M.ICONS
---@field cancel_key? string cancels the newest call that was made by hand, while one runs; "": no key does

---Config is what counts: the options, and the default of each that was not given.
---@class mcp_sidecar.Config: mcp_sidecar.Options
---@field args string[]
---@field env table<string, string>
---@field autostart boolean
---@field root_markers string[]
---@field settings mcp_sidecar.Settings
---@field restart mcp_sidecar.RestartConfig
---@field log_level integer
---@field ui mcp_sidecar.UiConfig

---@class mcp_sidecar.RestartConfig: mcp_sidecar.RestartOptions
---@field limit integer
---@field window_ms integer

---@class mcp_sidecar.UiConfig: mcp_sidecar.UiOptions
---@field border string|string[]|string[][]
---@field width number
---@field height number
---@field icons table<string, string>
---@field cancel_key string

---@type mcp_sidecar.Config
M.DEFAULTS = {
  args = {},
  env = {},
  autostart = false,
  root_markers = { '.mcp-sidecar', '.mcp.json', '.git', '.hg', '.jj' },
  -- An editor rebinds at any time, so that it needs to wait for nothing.
  settings = { startup = { gateMs = 0, uncached = 'background' } },
  restart = { limit = 3, window_ms = 180000 },
  log_level = vim.log.levels.WARN,
  ui = { border = 'rounded', width = 0.8, height = 0.8, icons = {}, cancel_key = '<C-c>' },
}

---The icons that there are: those of ui/phases.lua, and one for each phase of a server that may have its own.
M.ICONS = vim.split(
  'ready busy retry failed ask stopped disabled live deferred off closed open '
    .. 'starting initializing listing backoff suspended needs-auth needs-input untrusted invalid',
  ' '
)

local icons = {} ---@type table<string, string>
for _, name in ipairs(M.ICONS) do
  icons[name] = 'word'
end

---Kinds of options, by the words that KINDS has for them; a table is a group of options.
local SHAPE = {
  binary = 'text',
  args = 'list',
  env = 'map',
  autostart = 'boolean',
  root = 'function',
  root_markers = 'list',
  settings = 'settings',
  restart = { limit = 'count', window_ms = 'count' },
  log_level = 'level',
  ui = { border = 'border', width = 'size', height = 'size', icons = icons, cancel_key = 'key' },
}

local BORDERS = { 'none', 'single', 'double', 'rounded', 'solid', 'shadow', 'bold' }

---@param kind string as type() names it
local function all(value, kind)
  return vim.iter(pairs(value)):all(function(_, element) return type(element) == kind end)
end

local function is_list(value) return type(value) == 'table' and vim.islist(value) and all(value, 'string') end

local function is_map(value)
  if type(value) ~= 'table' or not all(value, 'string') then return false end
  return vim.iter(pairs(value)):all(function(name) return type(name) == 'string' end)
end

local function is_border(value)
  if type(value) ~= 'table' then return vim.list_contains(BORDERS, value) end
  if not vim.list_contains({ 1, 2, 4, 8 }, #value) then return false end
  return vim.iter(value):all(function(part)
    if is_list(part) and (#part == 1 or #part == 2) then part = part[1] end -- with its highlight group
    return type(part) == 'string' and vim.fn.strdisplaywidth(part) <= 1
  end)
end

---A mapping has no room for more.
local LONGEST_KEY = 50

---@type table<string, { is: (fun(value: any): boolean), words: string }>
local KINDS = {
  boolean = { is = function(value) return type(value) == 'boolean' end, words = 'a boolean' },
  border = { is = is_border, words = 'a border of nvim_open_win()' },
  count = {
    is = function(value) return type(value) == 'number' and value >= 0 and value % 1 == 0 end,
    words = 'a whole number, 0 or more',
  },
  ['function'] = { is = function(value) return type(value) == 'function' end, words = 'a function' },
  key = {
    is = function(value) return type(value) == 'string' and #vim.keycode(value) <= LONGEST_KEY end,
    words = 'a key as in a mapping',
  },
  level = {
    is = function(value) return vim.list_contains(vim.tbl_values(vim.log.levels), value) end,
    words = 'one of vim.log.levels, such as vim.log.levels.WARN',
  },
  list = { is = is_list, words = 'a list of strings' },
  map = { is = is_map, words = 'a table of strings by name' },
  -- Of the settings, the sidecar says what is wrong; but this one is read here, too.
  settings = {
    is = function(value) return type(value) == 'table' and (value.disabled == nil or is_list(value.disabled)) end,
    words = 'a table whose `disabled` is a list of strings',
  },
  size = {
    is = function(value) return type(value) == 'number' and value > 0 and value < math.huge end,
    words = 'a number above 0',
  },
  word = { is = function(value) return type(value) == 'string' end, words = 'a string' },
  text = { is = function(value) return type(value) == 'string' and value ~= '' end, words = 'a string' },
}

---shown_as is a value on one line, and not too much of it.
local function shown_as(value)
  local text = vim.inspect(value, { newline = ' ', indent = '' })
  return #text > 60 and ('%s…'):format(text:sub(1, 60)) or text
end

---check_group takes out of `options` what cannot be used, and says of each why.
local function check_group(options, shape, path, problems)
  local names = vim.tbl_keys(shape)
  table.sort(names)
  local usable = {}
  local given = vim.tbl_keys(options)
  table.sort(given, function(a, b) return tostring(a) < tostring(b) end)
  for _, name in ipairs(given) do
    local value, row = options[name], shape[name]
    local full = path .. tostring(name)
    if not row then
      local other = type(name) == 'string' and nearest.of(name, names)
      local hint = other and ('did you mean "%s%s"?'):format(path, other)
        or ('there are %s'):format(table.concat(names, ', '))
      problems[#problems + 1] = ('unknown option "%s": %s'):format(full, hint)
    elseif type(row) == 'table' and type(value) == 'table' then
      usable[name] = check_group(value, row, full .. '.', problems)
    elseif type(row) == 'string' and KINDS[row].is(value) then
      usable[name] = value
    else
      local wanted = type(row) == 'table' and 'a table' or KINDS[row].words
      problems[#problems + 1] = ('option "%s" is %s, not %s'):format(full, shown_as(value), wanted)
    end
  end
  return usable
end

---merged gives the options that count, and what is wrong with those that were given.
---@param given any
---@return mcp_sidecar.Config options
---@return string[] problems
function M.merged(given)
  local problems = {}
  if type(given) == 'function' then
    local ok, result = pcall(given)
    given = result
    if not ok then
      problems[1] = ('vim.g.mcp_sidecar is a function that failed: %s'):format(result)
      given = nil
    end
  end
  if given ~= nil and type(given) ~= 'table' then
    problems[#problems + 1] = ('the options are a %s, not a table'):format(type(given))
    given = nil
  end
  local usable = check_group(given or {}, SHAPE, '', problems)
  return vim.tbl_deep_extend('force', M.DEFAULTS, usable), problems
end

---What was read last, until `refresh`.
---@type { options: mcp_sidecar.Config, problems: string[] }?
local current
---What `setup` was given; nil: vim.g.mcp_sidecar counts.
---@type (mcp_sidecar.Options|fun(): mcp_sidecar.Options?)?
local own
---What was shown already.
local shown = {}

---setup takes the options from here on.
---@param options? mcp_sidecar.Options|fun(): mcp_sidecar.Options?
function M.setup(options)
  own = options
  M.refresh()
end

---refresh reads the options again, and shows what is newly wrong with them.
---@return mcp_sidecar.Config
function M.refresh()
  local given = own
  if given == nil then given = vim.g.mcp_sidecar end
  local options, problems = M.merged(given)
  current = { options = options, problems = problems }
  for _, problem in ipairs(problems) do
    if not shown[problem] then
      shown[problem] = true
      say.warn(problem)
    end
  end
  return options
end

---get gives the options.
---@return mcp_sidecar.Config
function M.get() return current and current.options or M.refresh() end

---problems says what is wrong with what the user gave.
---@return string[]
function M.problems()
  M.get()
  return current and current.problems or {}
end

return M
