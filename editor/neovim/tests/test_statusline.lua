-- The word for statuslines: a table over views, and on the screen.
local World = require('world')
local statusline = require('mcp_sidecar.statusline')
local user = require('user')
local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

---view of a session.
local function view(phase, servers, calls)
  return { phase = phase, servers = servers or {}, calls = calls or 0 }
end

local ready, starting = user.server('a', 'ready'), user.server('b', 'starting')
local failed, untrusted = user.server('c', 'failed'), user.server('d', 'untrusted')
local disabled, stopped = user.server('e', 'disabled'), user.server('f', 'stopped')
local sign_in, input = user.server('g', 'needs-auth'), user.server('h', 'needs-input')

for name, case in pairs({
  ['nothing runs'] = { view('stopped'), '' },
  ['it could not be started'] = { view('failed'), 'MCP failed' },
  ['it starts'] = { view('starting'), 'MCP …' },
  ['no servers'] = { view('running'), 'MCP 0/0' },
  ['all are ready'] = { view('running', { ready, ready }), 'MCP 2/2' },
  ['one is connecting'] = { view('running', { ready, starting }), 'MCP 1/2…' },
  ['one does not work'] = { view('running', { ready, failed }), 'MCP 1/2!' },
  ['one waits for trust'] = { view('running', { ready, untrusted }), 'MCP 1/2?' },
  ['one waits for a sign-in'] = { view('running', { sign_in }), 'MCP 0/1?' },
  ['one waits for an input'] = { view('running', { input }), 'MCP 0/1?' },
  ['connecting says more than waiting, and that more than failing'] = {
    view('running', { starting, untrusted, failed }),
    'MCP 0/3…',
  },
  ['waiting says more than failing'] = { view('running', { untrusted, failed }), 'MCP 0/2?' },
  ['what the user does not want does not count'] = {
    view('running', { ready, disabled, stopped }),
    'MCP 1/1',
  },
  ['calls run'] = { view('running', { ready }, 2), 'MCP 1/1 (2)' },
  ['it starts for a call'] = { view('starting', {}, 1), 'MCP …' },
}) do
  T[name] = function() eq(statusline.text(case[1]), case[2]) end
end

local world ---@type mcp_sidecar.test.World
T['on the screen'] = MiniTest.new_set({ hooks = World.hooks(function(opened) world = opened end) })

---neovim has it in its statuslines; `line()` there is the text of a window's, as it is on the screen now.
local function neovim(options)
  local child = world:child(options)
  child.o.lines, child.o.columns, child.o.laststatus = 24, 80, 2
  child.lua([[
    mcp = require('mcp_sidecar')
    vim.notify = function() end
    vim.o.statusline = "<%{v:lua.require'mcp_sidecar'.statusline()}>"
    function line(row)
      local text = ''
      for column = 1, vim.o.columns do
        text = text .. vim.fn.screenstring(row or vim.o.lines - 1, column)
      end
      return vim.trim(text)
    end
  ]])
  return child
end

---shows waits until a statusline is that, while nothing is typed and nobody has it drawn.
local function shows(child, text, row)
  child.await('local row, text = ... return line(row) == text', row or child.o.lines - 1, text)
end

T['on the screen']['follows without a key, from before anything is loaded'] = function()
  world:user_servers({ a = 'tool echo\non start\n  hold go\non tools/call echo\n  hold answer\n  default' })
  local child = neovim()
  shows(child, '<>')
  eq(child.lua_get([[package.loaded['mcp_sidecar.sessions'] == nil]]), true)
  child.lua([[mcp.start()]])
  shows(child, '<MCP 0/1…>')
  world.hub:release('a', 'go')
  shows(child, '<MCP 1/1>')
  child.lua([[mcp.call('mcp_a_echo')]])
  shows(child, '<MCP 1/1 (1)>')
  world.hub:release('a', 'answer')
  shows(child, '<MCP 1/1>')
  child.lua([[mcp.disconnect('a')]])
  shows(child, '<MCP 0/0>')
  child.lua([[mcp.stop()]])
  shows(child, '<>')
end

T['on the screen']['says that a start failed'] = function()
  local child = neovim({ binary = '/no/such/program' })
  child.lua('mcp.start()')
  shows(child, '<MCP failed>')
end

T['on the screen']["is that of each window's project"] = function()
  world:user_servers({ a = 'tool echo' })
  world:write('project/one/.git/HEAD', '')
  world:write('project/two/file', '')
  local child = neovim()
  child.cmd('edit one/file')
  child.lua('mcp.start()')
  shows(child, '<MCP 1/1>')
  child.cmd('split two/file')
  local above = child.lua_get([[vim.fn.win_screenpos(0)[1] + vim.api.nvim_win_get_height(0)]])
  shows(child, '<>', above)
  shows(child, '<MCP 1/1>')
  -- It becomes a project of its own.
  world:write('project/two/.mcp.json', '{}')
  child.lua('mcp.start()')
  shows(child, '<MCP 1/1>', above)
  eq(child.lua_get('mcp.status().root'), world.project .. '/two')
  eq(#world.hub:pids('a'), 2)
end

T['on the screen']['follows the current directory and the name of a buffer'] = function()
  world:user_servers({ a = 'tool echo' })
  world:write('project/one/.git/HEAD', '')
  local child = neovim()
  child.lua([[mcp.start(nil, { root = 'one' })]])
  child.await([[return #mcp.tools({ root = 'one' }) == 1]])
  eq(child.lua_get('mcp.statusline()'), '')
  child.cmd('cd one')
  eq(child.lua_get('mcp.statusline()'), 'MCP 1/1')
  child.cmd('cd ..')
  eq(child.lua_get('mcp.statusline()'), '')
  child.cmd('file one/new')
  eq(child.lua_get('mcp.statusline()'), 'MCP 1/1')
end

T['on the screen']['is never an error'] = function()
  local child = neovim()
  child.lua([[
    said = {}
    vim.notify = function(message) table.insert(said, message) end
    mcp.setup({ root = function() error('my mistake') end })
  ]])
  eq(child.lua_get('{ mcp.status().phase, mcp.statusline(), mcp.statusline() }'), { 'stopped', '', '' })
  child.await('return said[1]')
  child.lua([[mcp.setup({ root = function() return 7 end }) vim.cmd.cd('.')]])
  eq(child.lua_get('mcp.statusline()'), '')
  child.await('return said[2]')
  eq(child.lua_get([[{ #said, said[1]:match('my mistake'), said[2]:match('gave 7') }]]), {
    2,
    'my mistake',
    'gave 7',
  })
  -- A directory that is removed under Neovim.
  child.lua([[mcp.setup() vim.fn.mkdir('gone') vim.cmd.cd('gone') vim.fn.delete('../gone', 'd')]])
  eq(child.lua_get('{ mcp.statusline(), mcp.status().phase }'), { '', 'stopped' })
end

return T
