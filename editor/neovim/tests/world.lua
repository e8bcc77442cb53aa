-- A World is what a real sidecar lives in: a home and a project of its own, scripted servers (conformance/fake), the
-- hub that sees them, and child Neovims with the plugin. A test opens it before and closes it after each case:
--
--   local world
--   local T = MiniTest.new_set({ hooks = World.hooks(function(opened) world = opened end) })
local Hub = require('hub')
local patience = require('patience')

local here = vim.fs.dirname(vim.fs.normalize(vim.uv.fs_realpath(debug.getinfo(1, 'S').source:sub(2))))

---@class mcp_sidecar.test.Process
---@field pid integer
---@field command string its command line

---@class mcp_sidecar.test.World
---@field dir string
---@field project string the directory its Neovims and sidecars run in
---@field hub mcp_sidecar.test.Hub
---@field private children table[] MiniTest's child Neovims
local World = {}
World.__index = World

---required is a variable that tests/run sets.
---@param variable string
---@return string
local function required(variable)
  local value = assert(vim.env[variable], variable .. ' is not set: start the tests with tests/run')
  return value
end

---@return mcp_sidecar.test.World
function World.open()
  local dir = assert(vim.uv.fs_mkdtemp(vim.fs.joinpath(vim.uv.os_tmpdir(), 'world-XXXXXX')))
  dir = assert(vim.uv.fs_realpath(dir))
  for _, name in ipairs({ 'home', 'project', 'run', 'tmp' }) do
    assert(vim.uv.fs_mkdir(vim.fs.joinpath(dir, name), 448)) -- 0700, as XDG_RUNTIME_DIR must be
  end
  local hub = Hub.listen(vim.fs.joinpath(dir, 'hub'))
  return setmetatable({
    dir = dir,
    project = vim.fs.joinpath(dir, 'project'),
    hub = hub,
    children = {},
  }, World)
end

---close ends what is left of it and removes its directory. It fails if a process had to be killed: what belongs
---to a Neovim must end with it.
function World:close()
  for _, child in ipairs(self.children) do
    child.stop()
  end
  local ended, why = pcall(self.empty, self)
  for _, process in ipairs(self:processes()) do
    vim.uv.kill(process.pid, 'sigkill')
  end
  self.hub:close()
  vim.fn.delete(self.dir, 'rf')
  if not ended then error(why, 0) end
end

---hooks give each case a world of its own.
---@param take fun(world: mcp_sidecar.test.World)
---@return { pre_case: fun(), post_case: fun() }
function World.hooks(take)
  local world ---@type mcp_sidecar.test.World
  return {
    pre_case = function()
      world = World.open()
      take(world)
    end,
    post_case = function() world:close() end,
  }
end

---env is the environment of everything in this world, on top of the test's own.
---@return table<string, string>
function World:env()
  local function within(name) return vim.fs.joinpath(self.dir, name) end
  return {
    HOME = within('home'),
    XDG_CONFIG_HOME = within('home/.config'),
    XDG_CACHE_HOME = within('cache'),
    XDG_DATA_HOME = within('data'),
    XDG_STATE_HOME = within('state'),
    XDG_RUNTIME_DIR = within('run'),
    TMPDIR = within('tmp'),
    NVIM_LOG_FILE = within('nvim.log'),
    CONFORMANCE_CONTROL = within('hub'),
  }
end

---write writes a file with the directories it needs, and gives its path.
---@param path string relative to the world's directory: "project/.mcp.json"
---@param text string
---@return string
function World:write(path, text)
  path = vim.fs.joinpath(self.dir, path)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'wb'))
  assert(file:write(text))
  assert(file:close())
  return path
end

---script writes an executable file.
---@param path string relative to the world's directory
---@param text string
---@return string
function World:script(path, text)
  path = self:write(path, text)
  assert(vim.uv.fs_chmod(path, 493)) -- 0755
  return path
end

---fake is the entry of a server that does what the script says. Its name is that of the script.
---@param name string
---@param script string see "The fake server" in conformance/README.md
---@return mcp_sidecar.ServerConfig
function World:fake(name, script)
  return { command = required('MCP_SIDECAR_TEST_FAKE'), args = { self:write('fake/' .. name, script) } }
end

---fakes are the entries of several, by name.
---@param scripts table<string, string>
---@return table<string, mcp_sidecar.ServerConfig>
function World:fakes(scripts)
  local entries = vim.empty_dict()
  for name, script in pairs(scripts) do
    entries[name] = self:fake(name, script)
  end
  return entries
end

---project_servers makes fakes the servers of the project's own file, which the user must trust.
---@param scripts table<string, string>
function World:project_servers(scripts)
  self:write('project/.mcp.json', vim.json.encode({ mcpServers = self:fakes(scripts) }))
end

---user_servers makes fakes the servers of the user's own file.
---@param scripts table<string, string>
function World:user_servers(scripts)
  self:write('home/.config/mcp-sidecar/mcp.json', vim.json.encode({ mcpServers = self:fakes(scripts) }))
end

---start starts the sidecar's program with these arguments in the project.
---@param args string[]
---@return vim.SystemObj
function World:start(args)
  local command = vim.list_extend({ required('MCP_SIDECAR_TEST_BINARY') }, args)
  return vim.system(command, { cwd = self.project, env = self:env(), text = true })
end

---run is the same to its end.
---@param args string[]
---@return vim.SystemCompleted
function World:run(args) return self:start(args):wait(patience.PATIENCE) end

---child starts a Neovim with the plugin in the project. It is MiniTest's child, and has one more method:
---`child.await(code, ...)` waits until the Lua code returns something that is true there, and gives that.
---@param options? table vim.g.mcp_sidecar, besides the binary
---@return table
function World:child(options)
  options = vim.tbl_extend('force', { binary = required('MCP_SIDECAR_TEST_BINARY') }, options or {})
  local settings = ('options-%d.lua'):format(#self.children + 1)
  settings = self:write(settings, 'vim.g.mcp_sidecar = ' .. vim.inspect(options))
  local child = MiniTest.new_child_neovim()
  child.await = function(code, ...) return self:await_in(child, code, { ... }) end
  table.insert(self.children, child)
  child.start(
    { '--cmd', 'luafile ' .. settings, '-u', vim.fs.joinpath(here, 'minit.lua') },
    { nvim_executable = self:neovim(), connection_timeout = patience.PATIENCE }
  )
  return child
end

---attentive is a child that has the API in `mcp`, and keeps in `notes` what it is notified of: text and level. It has
---one more method: `child.started()` has its session run, with all servers.
---@param options? table
---@return table
function World:attentive(options)
  local child = self:child(options)
  child.lua([[
    mcp = require('mcp_sidecar')
    notes = {}
    vim.notify = function(message, level) table.insert(notes, { message, level }) end
  ]])
  child.started = function()
    child.lua([[opened = nil mcp.request('mcp/wait', nil, function(err) opened = { err } end)]])
    local failed = child.await('return opened')
    assert(next(failed) == nil, vim.inspect(failed))
  end
  return child
end

---@private
---@param child table
---@param code string
---@param args any[]
---@return any
function World:await_in(child, code, args)
  local function what()
    local screen = child.is_blocked() and 'is blocked' or 'shows\n' .. tostring(child.get_screenshot())
    return ('%s\nNeovim %s\nwhat happened to fakes:\n%s'):format(code, screen, self.hub:trace())
  end
  return patience.await(what, function()
    -- One that is blocked would answer only after that.
    local value = not child.is_blocked() and child.lua(code, args)
    return value ~= vim.NIL and value
  end, 10)
end

---processes are all that live in this world: its Neovims, and what they and the test have started, also at one
---remove. They are found by their environment, so that one whose parent is gone is found too.
---@return mcp_sidecar.test.Process[]
function World:processes()
  local mark = ('\0CONFORMANCE_CONTROL=%s\0'):format(vim.fs.joinpath(self.dir, 'hub'))
  local function read(pid, name)
    local file = io.open(('/proc/%s/%s'):format(pid, name), 'rb')
    local text = file and file:read('*a')
    if file then file:close() end
    return text or ''
  end
  local found = {}
  for pid in vim.fs.dir('/proc') do
    if pid:match('^%d+$') and ('\0' .. read(pid, 'environ')):find(mark, 1, true) then
      table.insert(found, { pid = tonumber(pid), command = vim.trim((read(pid, 'cmdline'):gsub('%z', ' '))) })
    end
  end
  return found
end

---empty waits until no process is left.
function World:empty()
  local function what()
    local left = vim.inspect(self:processes())
    return ('these processes to end:\n%s\nwhat happened to fakes:\n%s'):format(left, self.hub:trace())
  end
  patience.await(what, function() return #self:processes() == 0 end, 20)
end

---neovim is a program that starts this Neovim in the world: MiniTest's children take their surroundings from
---the test, and start again in the same when they are restarted.
---@private
---@return string
function World:neovim()
  local lines = { '#!/bin/sh', ('cd %s || exit'):format(vim.fn.shellescape(self.project)) }
  for name, value in vim.spairs(self:env()) do
    table.insert(lines, ('export %s=%s'):format(name, vim.fn.shellescape(value)))
  end
  table.insert(lines, ('exec %s "$@"\n'):format(vim.fn.shellescape(vim.v.progpath)))
  return self:script('neovim', table.concat(lines, '\n'))
end

return World
