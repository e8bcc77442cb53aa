-- `:checkhealth mcp_sidecar`, in real Neovims: what the report says of each state, and that it always comes.
local World = require('world')
local report = require('mcp_sidecar.health_report')
local eq = MiniTest.expect.equality

local world ---@type mcp_sidecar.test.World
local T = MiniTest.new_set({ hooks = World.hooks(function(opened) world = opened end) })

---@class mcp_sidecar.test.HealthSection
---@field [integer] string "LEVEL text"; what follows a line, its advice too, belongs to it

---checked is the report, by sections. Both Neovims write it a little differently.
---@return table<string, mcp_sidecar.test.HealthSection>
local function checked(child)
  child.cmd('checkhealth mcp_sidecar')
  eq(child.bo.filetype, 'checkhealth')
  local sections, section = {}, {}
  for _, line in ipairs(child.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local name = line:match('^mcp%-sidecar: (.-)%s*~?$')
    local item = line:match('^%- (.*)$')
    local text = item and item:gsub('^[\128-\255]+%s*', '') -- one has pictures before the levels
    if text and not text:find('^%u+ ') then text = 'INFO ' .. text end
    if name then
      section = {}
      sections[name] = section
    elseif text then
      section[#section + 1] = text
    elseif vim.trim(line) ~= '' and #section > 0 then
      section[#section] = section[#section] .. '\n' .. vim.trim(line)
    end
  end
  child.cmd('bwipeout!')
  return sections
end

---has fails unless one of the lines begins with the level, and has all the texts.
---@param section? string[]
local function has(section, level, ...)
  local texts = { ... }
  local found = vim.iter(section or {}):any(function(line)
    line = line:gsub('|', '') -- references to help
    local fits = vim.startswith(line, level .. ' ')
    return fits and vim.iter(texts):all(function(text) return line:find(text, 1, true) ~= nil end)
  end)
  eq({ level, texts, found or section }, { level, texts, true })
end

local VERSION = require('mcp_sidecar.version')
local ABOUT = '/bin/mcp-sidecar'

for name, case in pairs({
  ['the same version'] = { 'mcp-sidecar 0.1.7\n', 'ok', '/bin/mcp-sidecar, version 0.1.7' },
  ['a tag'] = { 'mcp-sidecar v0.1.0\n', 'ok', '/bin/mcp-sidecar, version 0.1.0' },
  ['a build between versions'] = { 'mcp-sidecar 0.1.0-dev\n', 'ok', '/bin/mcp-sidecar, version 0.1.0' },
  ['a build of a commit'] = {
    'mcp-sidecar 45b604a-dirty\n',
    'ok',
    '/bin/mcp-sidecar (45b604a-dirty: a build of its own)',
  },
  ['an older one'] = { 'mcp-sidecar 0.0.9\n', 'warn', '/bin/mcp-sidecar is version 0.0.9, the plugin 0.1.3' },
  ['a newer one'] = { 'mcp-sidecar 0.2.0\n', 'warn', '/bin/mcp-sidecar is version 0.2.0, the plugin 0.1.3' },
  ['the next one'] = { 'mcp-sidecar 1.1.0\n', 'warn', '/bin/mcp-sidecar is version 1.1.0, the plugin 0.1.3' },
  ['another program'] = {
    'ls (GNU coreutils) 0.1.3\n',
    'error',
    '/bin/mcp-sidecar is not mcp-sidecar: asked for its version, it printed "ls (GNU coreutils) 0.1.3"',
  },
  ['a program that prints nothing'] = {
    '',
    'error',
    '/bin/mcp-sidecar is not mcp-sidecar: asked for its version, it printed ""',
  },
}) do
  T['of versions: ' .. name] = function()
    local line = report.version(ABOUT, case[1], '0.1.3')
    eq({ line[1], line[2] }, { case[2], case[3] })
    eq(line[1] == 'ok', line[3] == nil) -- what is not well has advice
  end
end

T['of a project that does not run: the program, the options, the files'] = function()
  world:user_servers({ mine = 'tool echo' })
  world:project_servers({ theirs = 'tool look' })
  world:write('project/.cursor/mcp.json', '{ "mcpServers": {')
  world:write('project/.vscode/mcp.json', '{ "servers": { "x": { "comand": "y" } } }')
  local child = world:attentive()
  local sections = checked(child)
  has(sections.Neovim, 'OK', 'Neovim 0.1')
  has(sections.options, 'OK', 'the options are valid')
  has(sections.program, 'OK', vim.env.MCP_SIDECAR_TEST_BINARY)
  has(sections.session, 'INFO', 'stopped in ' .. world.project)
  local files = sections['configuration files']
  has(files, 'OK', '~/.config/mcp-sidecar/mcp.json (mcp-sidecar): mine')
  has(files, 'OK', '.mcp.json (Claude Code): theirs')
  has(files, 'ERROR', '.cursor/mcp.json (Cursor) cannot be used: ')
  has(files, 'ERROR', '.cursor/mcp.json:1:')
  has(files, 'WARNING', '.vscode/mcp.json:1:', 'comand')
  eq(sections.servers, nil)
  eq(
    { world.hub:count('mine'), world.hub:count('theirs'), child.lua_get('mcp.status().phase') },
    { 0, 0, 'stopped' }
  )
end

T['without files it says where to begin'] = function()
  local sections = checked(world:attentive())
  has(sections['configuration files'], 'WARNING', 'no file configures a server', ':help mcp-sidecar-servers')
end

T['of a session that runs: each server, and what is wrong, with the likely fix'] = function()
  world:user_servers({
    good = 'tool one\ntool two',
    off = 'tool echo',
    crash = 'on start\n  stderr no token\n  crash 3',
  })
  world:write(
    'project/.mcp.json',
    vim.json.encode({ mcpServers = { missing = { command = 'npxx', args = { 'x' } } } })
  )
  local child = world:attentive({
    log_level = vim.log.levels.OFF,
    settings = { trust = { project = 'allow' }, reconnect = 'manual', disabled = { 'off' } },
  })
  child.started()
  local sections = checked(child)
  has(sections.session, 'OK', 'running (mcp-sidecar ', ') in ' .. world.project)
  has(
    sections['configuration files'],
    'OK',
    '~/.config/mcp-sidecar/mcp.json (mcp-sidecar): ',
    'crash',
    'good',
    'off'
  )
  has(sections['configuration files'], 'OK', '.mcp.json (Claude Code): missing')
  has(sections.servers, 'OK', 'good: ready, 2 tools, ~/.config/mcp-sidecar/mcp.json:1')
  has(sections.servers, 'OK', 'off: disabled, 0 tools')
  has(sections.servers, 'INFO', 'crash: failed, 0 tools')
  has(sections.servers, 'INFO', 'missing: failed, 0 tools')
  local wrong = sections['what is wrong']
  has(wrong, 'ERROR', 'crash', 'ADVICE')
  has(wrong, 'ERROR', 'npxx', 'ADVICE', 'did you mean "npx"?')
  eq(child.lua_get('mcp.status().phase'), 'running')
end

T['when all is well it says so'] = function()
  world:user_servers({ good = 'tool one' })
  local child = world:attentive()
  child.started()
  local sections = checked(child)
  has(sections['what is wrong'], 'OK', 'nothing is wrong')
end

T['options that are wrong or unknown are reported'] = function()
  local child = world:attentive()
  child.lua([[
    local given = vim.g.mcp_sidecar
    mcp.setup({ binary = given.binary, binry = 'x', autoStart = true, ui = { width = -1, colour = 'red' } })
  ]])
  local sections = checked(child)
  has(sections.options, 'ERROR', 'unknown option "binry"', ':help mcp-sidecar-options')
  has(sections.options, 'ERROR', 'unknown option "autoStart": did you mean "autostart"?')
  has(sections.options, 'ERROR', 'option "ui.width" is -1, not a number above 0')
  has(sections.options, 'ERROR', 'unknown option "ui.colour"')
  eq(#sections.options, 4)
  has(sections.program, 'OK', vim.env.MCP_SIDECAR_TEST_BINARY)
end

T['a program that is not there is explained'] = function()
  local child = world:attentive({ binary = '/no/such/program' })
  local sections = checked(child)
  has(
    sections.program,
    'ERROR',
    'the option `binary` names no program: /no/such/program does not exist',
    ':help mcp-sidecar-install'
  )
  has(sections.session, 'INFO', 'stopped in ' .. world.project)
  eq(sections['configuration files'], nil)
  -- And after something has needed it:
  child.lua('mcp.start()')
  sections = checked(child)
  has(
    sections.session,
    'ERROR',
    'failed in ' .. world.project,
    '/no/such/program does not exist',
    ':Mcp restart'
  )
end

T['it is said where the program was looked for before'] = function()
  local child = world:attentive()
  child.lua(
    [[
    mcp.setup({})
    vim.env.MCP_SIDECAR = nil
    vim.env.PATH = ... .. ':' .. vim.env.PATH
  ]],
    { vim.fs.dirname(world:script('bin/mcp-sidecar', '#!/bin/sh\necho mcp-sidecar ' .. VERSION)) }
  )
  local program = checked(child).program
  has(program, 'INFO', 'not from the option `binary`: not given')
  has(program, 'INFO', 'not from the environment variable MCP_SIDECAR: not set')
  if vim.uv.fs_stat('bin/mcp-sidecar') then return end -- this clone has the plugin's own
  has(program, 'INFO', "not from the plugin's own ", '/bin: does not exist')
  has(program, 'OK', world.dir .. '/bin/mcp-sidecar, version ' .. VERSION)
end

---Programs that are not what they should be: the lines that say so.
local STAND_INS = {
  { 'echo mcp-sidecar 9.9.9', 'WARNING', 'is version 9.9.9, the plugin ' .. VERSION, 'ADVICE' },
  { 'echo hello', 'ERROR', 'is not mcp-sidecar: asked for its version, it printed "hello"' },
  { 'exit 3', 'ERROR', 'does not run: it ended with code 3', 'Is it mcp-sidecar' },
  { 'echo no such flag >&2; exit 2', 'ERROR', 'does not run: no such flag' },
  { 'kill -SEGV $$', 'ERROR', 'does not run: it was killed by signal 11' },
}

T['a program that is another, or of another version, is told'] = function()
  for number, row in ipairs(STAND_INS) do
    local program = world:script('stand-in-' .. number, ('#!/bin/sh\n%s\n'):format(row[1]))
    local sections = checked(world:attentive({ binary = program }))
    has(sections.program, unpack(row, 2))
    eq({ row[1], sections['configuration files'] ~= nil }, { row[1], row[2] == 'WARNING' })
  end
  -- The one of another version says nothing of files, either.
  local program = world:script('other', '#!/bin/sh\necho mcp-sidecar 9.9.9\n')
  has(
    checked(world:attentive({ binary = program }))['configuration files'],
    'ERROR',
    'the configuration cannot be read'
  )
end

T['a project that is not there is told without where in Neovim that was found'] = function()
  local child = world:attentive()
  child.lua([[
    local options = vim.g.mcp_sidecar
    options.root = function() return '/no/such/project' end
    mcp.setup(options)
  ]])
  local line = checked(child)['configuration files'][1]
  eq(vim.startswith(line, 'ERROR the configuration cannot be read: ENOENT: no such file or directory'), true)
end

---impatient has the child wait a moment only, and keeps how long it would have waited.
local function impatient(child)
  child.lua([[
    waits = {}
    local wait = vim.wait
    vim.wait = function(ms, ...)
      table.insert(waits, ms)
      return wait(math.min(ms, 50), ...)
    end
  ]])
end

---bounded fails if it would have waited for longer than it may.
local function bounded(child)
  local waits = child.lua_get('waits')
  eq(#waits > 0, true)
  for _, ms in ipairs(waits) do
    eq(ms <= 5000, true)
  end
end

T['a program that does not answer does not keep the report'] = function()
  for name, text in pairs({
    alone = 'exec sleep 100',
    ['with a child that has its output'] = 'sleep 100 & wait',
  }) do
    local child = world:attentive({ binary = world:script('hangs', ('#!/bin/sh\n%s\n'):format(text)) })
    impatient(child)
    local sections = checked(child)
    has(sections.program, 'ERROR', 'does not run: it did not answer within 5 seconds')
    eq({ name, sections['configuration files'] }, { name, nil })
    bounded(child)
    for _, process in ipairs(world:processes()) do
      if process.command:find('^sleep') then vim.uv.kill(process.pid, 'sigkill') end
    end
  end
end

T['a sidecar that does not answer does not keep the report'] = function()
  world:user_servers({ a = 'tool echo' })
  local child = world:attentive()
  child.started()
  local sidecar = vim
    .iter(world:processes())
    :find(function(process) return process.command == vim.env.MCP_SIDECAR_TEST_BINARY end)
  vim.uv.kill(sidecar.pid, 'sigstop')
  impatient(child)
  local ok, sections = pcall(checked, child)
  vim.uv.kill(sidecar.pid, 'sigcont')
  eq(ok and 'a report' or sections, 'a report')
  has(sections.session, 'ERROR', 'the sidecar does not answer', ':Mcp restart')
  eq(sections.servers, nil)
  bounded(child)
  -- It goes on where it was.
  child.started()
  has(checked(child)['what is wrong'], 'OK', 'nothing is wrong')
end

T['a question waits until the report is there'] = function()
  world:user_servers({ a = 'tool echo' })
  local child = world:attentive()
  child.started()
  child.lua([[
    require('mcp_sidecar.requests').doctor = function(_, callback)
      vim.defer_fn(function() callback(nil, { files = {}, servers = {}, findings = {} }) end, 1000)
      return function() end
    end
    require('mcp_sidecar.ui.prompts').ask(function(done)
      during = checking
      done()
    end)
    checking = true
    vim.cmd('checkhealth mcp_sidecar')
    checking = false
  ]])
  eq({ child.await('return during ~= nil'), child.lua_get('during') }, { true, false })
end

T['it is about the project from whose buffer it was asked for'] = function()
  world:user_servers({ a = 'tool echo' })
  world:write('elsewhere/.git/HEAD', '')
  world:write('elsewhere/file', '')
  local child = world:attentive()
  child.cmd(('edit %s/elsewhere/file'):format(world.dir))
  child.started()
  local here = 'in ' .. world.dir .. '/elsewhere'
  has(checked(child).session, 'OK', here)
  -- In a floating window, beside another file.
  child.cmd(('edit %s/file | buffer #'):format(world.project))
  child.g.health = { style = 'float' }
  has(checked(child).session, 'OK', here)
  child.cmd('edit #')
  has(checked(child).session, 'INFO', 'stopped in ' .. world.project)
end

T['the environment of the option `env` counts'] = function()
  world:write('other/mcp-sidecar/mcp.json', '{ "mcpServers": { "there": { "command": "x" } } }')
  local child = world:attentive({ env = { XDG_CONFIG_HOME = world.dir .. '/other' } })
  has(checked(child)['configuration files'], 'OK', 'other/mcp-sidecar/mcp.json (mcp-sidecar): there')
end

return T
