-- `:Mcp` and its subcommands, as they are typed: what they do and say, what is completed, and what is wrong.
local World = require('world')
local eq = MiniTest.expect.equality

local world ---@type mcp_sidecar.test.World
local T = MiniTest.new_set({ hooks = World.hooks(function(opened) world = opened end) })

---neovim starts one of the size of an old terminal.
---@param options? table
local function neovim(options)
  local child = world:attentive(options)
  child.o.lines, child.o.columns = 24, 80
  return child
end

---said waits until something was said, and gives that: its text and its level.
local function said(child)
  child.await('return notes[1]')
  return unpack(child.lua_get('table.remove(notes, 1)'))
end

---says fails unless that is what a command says.
local function says(child, command, text, level)
  child.cmd(command)
  local message, how = said(child)
  local found = message:find(text, 1, true) and text or message
  eq({ command, found, how }, { command, text, level or vim.log.levels.INFO })
end

local ERROR, WARN = vim.log.levels.ERROR, vim.log.levels.WARN

T['what cannot be carried out is said in one sentence, and starts nothing'] = function()
  local child = neovim()
  for command, sentence in pairs({
    ['Mcp conect a'] = 'there is no subcommand `conect`; did you mean `connect`?',
    ['Mcp Status'] = 'there is no subcommand `Status`; did you mean `status`?',
    ['Mcp xyzzy'] = 'there is no subcommand `xyzzy`; there are call, connect, disconnect, logs, reload, '
      .. 'restart, start, status, stop, tools, trust',
    ['Mcp | echo 1'] = 'there is no subcommand `|`; there are',
    ['Mcp connect'] = 'usage: `:Mcp connect SERVER` (connect a server, or again)',
    ['Mcp  disconnect  '] = 'usage: `:Mcp disconnect SERVER` (stop a server)',
    ['Mcp status all'] = '`:Mcp status` takes nothing, and not "all" (what runs, in a few lines)',
    ['Mcp stop | quit'] = '`:Mcp stop` takes nothing, and not "| quit"',
    ['Mcp restart now please'] = '`:Mcp restart` takes nothing, and not "now please"',
    ['Mcp tools x'] = '`:Mcp tools` takes nothing',
    ['Mcp trust x'] = '`:Mcp trust` takes nothing',
    ['Mcp start x'] = '`:Mcp start` takes nothing',
    ['Mcp reload half'] = 'reload is "full" or "changed", not "half"',
    ['Mcp reload full changed'] = 'reload is "full" or "changed", not "full changed"',
  }) do
    says(child, command, sentence, ERROR)
    eq({ command, child.lua_get('#notes'), child.lua_get('mcp.status().phase') }, { command, 0, 'stopped' })
  end
  -- Neovim's own words: it takes neither.
  for command, code in pairs({ ['Mcp! status'] = 'E477', ['1,2Mcp status'] = 'E481' }) do
    local ok, why = pcall(child.cmd, command)
    eq({ command, ok, why:match('E%d+') }, { command, false, code })
  end
end

T['a server or a tool that there is not is said, with those that are near'] = function()
  world:user_servers({ files = 'tool read', memory = 'tool graph' })
  local child = neovim()
  says(child, 'Mcp connect fles', 'there is no server `fles`; did you mean `files`?', ERROR)
  child.started()
  local windows = #child.api.nvim_list_wins()
  for _, name in ipairs({ 'connect', 'disconnect', 'logs' }) do
    says(child, ('Mcp %s fles'):format(name), 'there is no server `fles`; did you mean `files`?', ERROR)
    says(child, ('Mcp %s x'):format(name), 'there is no server `x`; there are files, memory', ERROR)
    says(child, ('Mcp %s files memory'):format(name), 'there is no server `files memory`;', ERROR)
  end
  eq(#child.api.nvim_list_wins(), windows)
  says(child, 'Mcp call mcp_files_raed', 'mcp_files_read', ERROR)
  says(child, 'Mcp call mcp_files_read {"path"', 'JSON', ERROR)
  says(child, 'Mcp call mcp_files_read [1]', 'object', ERROR)
end

T['another command follows by way of :execute'] = function()
  local child = neovim()
  child.cmd([[execute 'Mcp status' | let g:after = 1]])
  eq(child.g.after, 1)
end

T['the status says what is wrong, each thing once'] = function()
  local broken = { name = 'b', phase = 'invalid', tools = { count = 0 }, error = { message = 'no command' } }
  local lines = require('mcp_sidecar.command').status_lines({
    phase = 'running',
    root = '/app',
    servers = { { name = 'a', phase = 'ready', tools = { count = 1 } }, broken },
    errors = {
      { path = '/app/.mcp.json', line = 3, error = 'odd', severity = 'warning', server = 'a' },
      { path = '/app/.mcp.json', line = 4, error = 'no command', severity = 'error', server = 'b' },
      { path = 'mcp:b', error = 'no command', severity = 'error', server = 'b' },
      { path = '/app/mcp.json', error = 'no JSON', severity = 'error' },
    },
  })
  eq(vim.list_slice(lines, 2), {
    '  a: ready, 1 tool',
    '  b: invalid, 0 tools — no command',
    '  /app/.mcp.json:3: odd',
    '  /app/mcp.json: no JSON',
  })
end

T['each subcommand does what it says'] = function()
  world:user_servers({ a = 'tool echo', b = 'tool look', bad = 'on start\n  crash 3' })
  local child = neovim({ log_level = vim.log.levels.OFF, settings = { reconnect = 'manual' } })
  local function printed(command) return child.cmd_capture(command) end
  eq(printed('Mcp status'), 'mcp-sidecar is stopped in ' .. world.project)
  says(child, 'Mcp start', 'started')
  says(child, 'Mcp start', 'running already')
  child.started()
  local status = vim.split(printed('Mcp status'), '\n')
  eq(status[1]:match('^mcp%-sidecar .* is running in (.*)$'), world.project)
  eq(vim.list_slice(status, 2, 3), { '  a: ready, 1 tool', '  b: ready, 1 tool' })
  eq(status[4]:match('^  bad: %S+, 0 tools — .'), '  bad: failed, 0 tools — s')

  says(child, 'Mcp disconnect a', 'disconnect: a is stopped')
  eq(child.lua_get('#mcp.tools()'), 1)
  says(child, 'Mcp connect a', 'connect: a is ready')
  says(child, 'Mcp connect bad', 'connect: bad is failed: ', WARN)
  says(child, 'Mcp disconnect bad', 'disconnect: bad is stopped')
  says(child, 'Mcp reload changed', 'reloaded: 3 servers, 2 tools')
  says(child, 'Mcp reload', 'reloaded: 3 servers, ')
  child.started()

  child.cmd('Mcp call mcp_a_echo {"n": 1}')
  child.await([[return vim.api.nvim_buf_get_name(0):find('mcp://a/echo', 1, true)]])
  eq(child.api.nvim_buf_get_lines(0, 0, -1, false), { 'echo {"n":1}' })
  child.cmd('only | enew')
  for command, lead in pairs({ ['Mcp logs'] = 'mcp-log://%s', ['Mcp logs b'] = 'mcp-log://%s//b' }) do
    child.cmd(command)
    eq(child.api.nvim_buf_get_name(0), lead:format(world.project))
    child.cmd('bwipeout')
  end
  says(child, 'Mcp trust', 'the files of this project name no servers')
  for _, command in ipairs({ 'Mcp tools', 'Mcp call' }) do
    child.lua([[picked = nil vim.ui.select = function(items) picked = #items end]])
    child.cmd(command)
    eq({ command, child.await('return picked') }, { command, 2 })
  end
  child.cmd('Mcp')
  eq(child.bo.filetype, 'mcpoverview')
  child.type_keys('q')

  local before = world.hub:pids('a')
  says(child, 'Mcp restart', 'restarted')
  child.started()
  eq(vim.deep_equal(world.hub:pids('a'), before), false)
  says(child, 'Mcp stop', 'stopped')
  world.hub:empty()
  says(child, 'Mcp stop', 'stopped')
  eq(child.lua_get('notes'), {})
end

---completes gives what <Tab> would offer behind a command line.
local function completes(child, line) return child.fn.getcompletion(line, 'cmdline') end

local ALL = {
  'call',
  'connect',
  'disconnect',
  'logs',
  'reload',
  'restart',
  'start',
  'status',
  'stop',
  'tools',
  'trust',
}

---What is completed whatever runs.
local ALWAYS = {
  ['Mcp '] = ALL,
  ['Mcp   '] = ALL,
  ['Mc '] = ALL,
  ['silent Mcp '] = ALL,
  ['undo | Mcp st'] = { 'start', 'status', 'stop' },
  ['Mcp st'] = { 'start', 'status', 'stop' },
  ['Mcp re'] = { 'reload', 'restart' },
  ['Mcp x'] = {},
  ['Mcp reload '] = { 'changed', 'full' },
  ['Mcp reload c'] = { 'changed' },
  ['Mcp reload full '] = {},
  ['Mcp status '] = {},
  ['Mcp nothing '] = {},
}

T['subcommands and modes are completed'] = function()
  local child = neovim()
  for line, expected in pairs(ALWAYS) do
    eq({ line, completes(child, line) }, { line, expected })
  end
  eq(child.lua_get('mcp.status().phase'), 'stopped')
  child.type_keys(':Mcp dis', '<Tab>')
  eq(child.fn.getcmdline(), 'Mcp disconnect')
end

T['servers and tools are completed once they are known'] = function()
  world:user_servers({ files = 'tool read\ntool write', memory = 'tool graph', ['my server'] = 'tool echo' })
  local child = neovim()
  local lines = {
    ['Mcp connect '] = { 'files', 'memory', 'my server' },
    ['Mcp disconnect m'] = { 'memory', 'my server' },
    ['Mcp logs f'] = { 'files' },
    ['Mcp logs files '] = {},
    ['Mcp connect my s'] = { 'server' },
    ['Mcp call mcp_f'] = { 'mcp_files_read', 'mcp_files_write' },
    ['Mcp call  mcp_files_r'] = { 'mcp_files_read' },
    ['Mcp call mcp_files_read '] = {},
    ['Mcp call mcp_files_read {"path": "m'] = {},
  }
  for line in pairs(lines) do
    eq({ line, completes(child, line) }, { line, {} })
  end
  eq(child.lua_get('mcp.status().phase'), 'stopped')
  child.started()
  for line, expected in pairs(lines) do
    eq({ line, completes(child, line) }, { line, expected })
  end
  child.type_keys(':Mcp connect my', '<Tab>', ' s', '<Tab>')
  eq(child.fn.getcmdline(), 'Mcp connect my server s')
  child.type_keys('<C-u>', 'Mcp connect my s', '<Tab>')
  eq(child.fn.getcmdline(), 'Mcp connect my server')
  child.type_keys('<CR>')
  eq(said(child), 'mcp-sidecar: connect: my server is ready')
end

T['completion does not wait for a sidecar that starts'] = function()
  local silent = world:script('silent', '#!/bin/sh\nexec cat >/dev/null\n')
  local child = neovim({ binary = silent })
  child.cmd('Mcp start')
  for line, expected in pairs(ALWAYS) do
    eq({ line, completes(child, line) }, { line, expected })
  end
  for _, line in ipairs({ 'Mcp connect ', 'Mcp call ', 'Mcp logs ' }) do
    eq({ line, completes(child, line) }, { line, {} })
  end
  eq(child.lua_get('mcp.status().phase'), 'starting')
end

T['a session that fails is told of once, whatever was asked for'] = function()
  local child = neovim({ binary = '/no/such/program' })
  for _, command in ipairs({
    'Mcp start',
    'Mcp restart',
    'Mcp connect a',
    'Mcp disconnect a',
    'Mcp reload',
    'Mcp trust',
    'Mcp call x {}',
  }) do
    says(child, command, '/no/such/program does not exist', ERROR)
    eq({ command, child.lua_get('notes') }, { command, {} })
  end
  eq(
    child.cmd_capture('Mcp status'):match('is failed in .-\n  the option `binary`'),
    ('is failed in %s\n  the option `binary`'):format(world.project)
  )
end

T['in the command-line window it says that it cannot'] = function()
  local child = neovim()
  child.type_keys('q:')
  says(child, 'Mcp', 'cannot be used in the command-line window', ERROR)
  eq(child.lua_get('mcp.status().phase'), 'stopped')
  child.type_keys(':q', '<CR>')
end

return T
