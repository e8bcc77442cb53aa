-- Where the program is: an ordered list of places. The first that has it wins; a place that was named by the
-- user and is wrong is an error, not a reason to look on. When there is none, it is said of each why not.
--
-- The path is absolute, whatever was named: the program starts in the project's root, and a relative one is meant
-- from where Neovim is.

local M = {}

---FailedLookup is where the program was looked for, and why it was not taken from there.
---@class mcp_sidecar.FailedLookup
---@field where string
---@field why string

---Surroundings are what the places are looked up in.
---@class mcp_sidecar.Surroundings
---@field windows boolean
---@field plugin string the plugin's directory
---@field cwd string where relative paths begin
---@field env table<string, string?>
---@field unfit fun(path: string): string? why a path is no program

local MISSING = 'does not exist'

---@param path string
---@return string?
local function unfit(path)
  local stat = vim.uv.fs_stat(path)
  if not stat then return MISSING end
  if stat.type ~= 'file' then return 'is not a file' end
  if not vim.uv.fs_access(path, 'X') then return 'is not executable (chmod +x makes it so)' end
end

---@return mcp_sidecar.Surroundings
local function actual()
  local source = debug.getinfo(1, 'S').source:sub(2)
  return {
    windows = vim.fn.has('win32') == 1,
    plugin = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(source)))),
    cwd = vim.uv.cwd() or '/', -- it may have been removed
    env = vim.env,
    unfit = unfit,
  }
end

---@param here mcp_sidecar.Surroundings
---@param path string
---@return string
local function absolute(here, path)
  local is_absolute = vim.startswith(path, '/') or (here.windows and path:find('^%a:[/\\]') ~= nil)
  if is_absolute then return path end
  return vim.fs.joinpath(here.cwd, (path:gsub('^%./+', '')))
end

local function program(here) return here.windows and 'mcp-sidecar.exe' or 'mcp-sidecar' end

---@return string? path
---@return string? why
local function on_path(here, name)
  local path = here.env.PATH or ''
  -- An empty entry once meant the current directory, from which no program should come by mistake.
  local directories = vim.tbl_filter(
    function(directory) return directory ~= '' end,
    vim.split(path, here.windows and ';' or ':', { plain = true })
  )
  if #directories == 0 then return nil, 'not in PATH, which is empty' end
  local note = ''
  for _, directory in ipairs(directories) do
    local candidate = absolute(here, vim.fs.joinpath(directory, name))
    local why = here.unfit(candidate)
    if not why then return candidate end
    if why ~= MISSING and note == '' then note = (' (%s %s)'):format(candidate, why) end
  end
  return nil, ('not in %s%s'):format(path, note)
end

---named is a program that the user named: by its path or, without a separator in it, by its name in PATH.
local function named(here, name)
  if here.windows and not name:find('%.%w+$') then name = name .. '.exe' end
  if not name:find('[/\\]') then
    local path, why = on_path(here, name)
    return path, why and ('%s is %s'):format(name, why)
  end
  local path = absolute(here, vim.fs.normalize(name))
  local why = here.unfit(path)
  return not why and path or nil, why and ('%s %s'):format(path, why)
end

---Places to look, in order: what they are called, and a function that gives the path, or why not and whether
---that is the end of the search.
local PLACES = {
  {
    where = function() return 'the option `binary`' end,
    find = function(here, option)
      if not option then return nil, 'not given' end
      local path, why = named(here, option)
      return path, why, true
    end,
  },
  {
    where = function() return 'the environment variable MCP_SIDECAR' end,
    find = function(here)
      local name = here.env.MCP_SIDECAR
      if not name or name == '' then return nil, 'not set' end
      local path, why = named(here, name)
      return path, why, true
    end,
  },
  {
    where = function(here) return ("the plugin's own %s/bin"):format(here.plugin) end,
    find = function(here)
      local path = ('%s/bin/%s'):format(here.plugin, program(here))
      local why = here.unfit(path)
      return not why and path or nil, why
    end,
  },
  {
    where = function() return 'the directories in PATH' end,
    find = function(here) return on_path(here, program(here)) end,
  },
}

local INSTALL = 'Install mcp-sidecar (:help mcp-sidecar-install), or say where it is with the option `binary` '
  .. 'or the variable MCP_SIDECAR.'

---find gives the path of the program to start, or a message that says where it was looked for.
---@param option? string
---@param here? mcp_sidecar.Surroundings
---@return string? path
---@return string? message
---@return mcp_sidecar.FailedLookup[] looked
function M.find(option, here)
  here = here or actual()
  local looked = {}
  for _, place in ipairs(PLACES) do
    local path, why, final = place.find(here, option)
    if path then return path, nil, looked end
    looked[#looked + 1] = { where = place.where(here), why = why }
    if final then return nil, ('%s names no program: %s'):format(place.where(here), why), looked end
  end
  local lines = vim.tbl_map(function(one) return ('  - %s: %s'):format(one.where, one.why) end, looked)
  local places = table.concat(lines, '\n')
  return nil,
    ('cannot find the program mcp-sidecar. It was looked for in:\n%s\n%s'):format(places, INSTALL),
    looked
end

return M
