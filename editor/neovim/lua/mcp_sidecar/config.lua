-- The user's options: `vim.g.mcp_sidecar`, a table or a function that returns one, or what `setup()` was given.
-- What is wrong with them is said by `:checkhealth mcp_sidecar` and once in a message; the default counts then.

local M = {}

---@class mcp_sidecar.Options
---@field binary? string the program mcp-sidecar, a path or a name in PATH; default: see |mcp-sidecar-binary|
---@field args string[] flags of the program
---@field env table<string, string> added to its environment
---@field autostart boolean start when a file of a project is opened, and not at the first command
---@field root? fun(buffer: integer): string? the project of a buffer; nil: look for root_markers
---@field root_markers string[] files and directories that a project's root has
---@field settings mcp_sidecar.Settings of the sidecar: rpc/PROTOCOL.md
---@field restart { limit: integer, window_ms: integer } how often in which time a sidecar that ends is started again
---@field log_level integer messages of the sidecar from this vim.log.levels on are shown
---@field ui mcp_sidecar.UiOptions

---@class mcp_sidecar.UiOptions
---@field border string|string[] of floating windows, as in nvim_open_win()
---@field width number of the overview: columns, or a part of the screen below 1
---@field height number
---@field icons table<string, string> by phase of a server
---@field cancel_key string cancels the newest call that was made by hand, while one runs

---@type mcp_sidecar.Options
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

---Types of options, as type() names them; a table is a group of options. "list": of strings. "map": to strings.
local SHAPE = {
  binary = { 'string' },
  args = { 'list' },
  env = { 'map' },
  autostart = { 'boolean' },
  root = { 'function' },
  root_markers = { 'list' },
  settings = { 'table' },
  restart = { group = { limit = { 'count' }, window_ms = { 'count' } } },
  log_level = { 'count' },
  ui = {
    group = {
      border = { 'string', 'table' },
      width = { 'number' },
      height = { 'number' },
      icons = { 'map' },
      cancel_key = { 'string' },
    },
  },
}

local function strings(value)
  for _, element in pairs(value) do
    if type(element) ~= 'string' then return false end
  end
  return true
end

local function is(value, kind)
  if kind == 'list' then return type(value) == 'table' and vim.islist(value) and strings(value) end
  if kind == 'map' then return type(value) == 'table' and strings(value) end
  if kind == 'count' then return type(value) == 'number' and value >= 0 and value % 1 == 0 end
  return type(value) == kind
end

local WORDS = { list = 'a list of strings', map = 'a table of strings', count = 'a whole number, 0 or more' }

local function near(name, names)
  for _, other in ipairs(names) do
    if other:lower() == name:lower() or other:gsub('_', '') == name:gsub('[_-]', '') then return other end
    if vim.startswith(other, name) or vim.startswith(name, other) then return other end
  end
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
      local other = type(name) == 'string' and near(name, names)
      local hint = other and ('did you mean "%s%s"?'):format(path, other)
        or ('there are %s'):format(table.concat(names, ', '))
      problems[#problems + 1] = ('unknown option "%s": %s'):format(full, hint)
    elseif row.group then
      if type(value) == 'table' then
        usable[name] = check_group(value, row.group, full .. '.', problems)
      else
        problems[#problems + 1] = ('option "%s" is a %s, not a table'):format(full, type(value))
      end
    elseif vim.iter(row):any(function(kind) return is(value, kind) end) then
      usable[name] = value
    else
      local wanted = vim.iter(row):map(function(kind) return WORDS[kind] or 'a ' .. kind end):join(' or ')
      problems[#problems + 1] = ('option "%s" is %s, not %s'):format(full, vim.inspect(value), wanted)
    end
  end
  return usable
end

---merged gives the options that count, and what is wrong with those that were given.
---@param given any
---@return mcp_sidecar.Options options
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
---@type { options: mcp_sidecar.Options, problems: string[] }?
local current
---What `setup` was given; nil: vim.g.mcp_sidecar counts.
local own
---What was shown already.
local shown = {}

---setup takes the options from here on.
---@param options? table
function M.setup(options)
  own = options
  M.refresh()
end

---refresh reads the options again, and shows what is newly wrong with them.
---@return mcp_sidecar.Options
function M.refresh()
  local given = own
  if given == nil then given = vim.g.mcp_sidecar end
  local options, problems = M.merged(given)
  current = { options = options, problems = problems }
  for _, problem in ipairs(problems) do
    if not shown[problem] then
      shown[problem] = true
      vim.notify('mcp-sidecar: ' .. problem, vim.log.levels.WARN)
    end
  end
  return options
end

---get gives the options.
---@return mcp_sidecar.Options
function M.get() return current and current.options or M.refresh() end

---problems says what is wrong with what the user gave.
---@return string[]
function M.problems()
  M.get()
  return current and current.problems or {}
end

return M
