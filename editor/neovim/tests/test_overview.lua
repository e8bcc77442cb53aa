-- The window of the overview, in a Neovim of its own.
local eq = MiniTest.expect.equality
local child, hooks = require('fresh').neovim({
  begin = [[
    vim.o.ruler, vim.o.showcmd = false, false
    require('overview_stub').install()
  ]],
})

local function open() child.lua([[require('mcp_sidecar.ui.overview').open(Stub.session)]]) end

local start = hooks.pre_case
local T = MiniTest.new_set({
  hooks = vim.tbl_extend('force', hooks, {
    pre_case = function()
      start()
      open()
    end,
  }),
})

local function lines() return child.api.nvim_buf_get_lines(0, 0, -1, false) end

local function line() return vim.trim(child.api.nvim_get_current_line()) end

local function asked()
  return child.lua_get([[vim.tbl_map(function(one) return { unpack(one, 1, 4) } end, Stub.asked)]])
end

---Waits until an expression of the child is true, without any key.
local function wait(expression)
  local ok = child.lua('return vim.wait(30000, function() return ' .. expression .. ' end, 5)')
  eq({ expression, ok }, { expression, true })
end

local function change(code) child.lua('Stub.change(function(view) ' .. code .. ' end)') end

---Puts the cursor on the first line that has a text.
local function go_to(text)
  for row, content in ipairs(lines()) do
    if content:find(text, 1, true) then return child.api.nvim_win_set_cursor(0, { row, 0 }) end
  end
  error('no line has ' .. text)
end

-- The command line has another colour in each version.
local function expect_screen(name)
  local path = 'tests/screenshots/' .. name
  MiniTest.expect.reference_screenshot(child.get_screenshot(), path, { ignore_attr = { 24 } })
end

local function leftovers()
  return child.lua([[
    local left = { listeners = Stub.listening(), wins = #vim.api.nvim_list_wins(), timers = (Stub.timers()) }
    local function ours(buf) return vim.bo[buf].filetype == 'mcpoverview' end
    left.buffers = #vim.tbl_filter(ours, vim.api.nvim_list_bufs())
    left.autocommands = #vim.tbl_filter(function(au)
      return (au.group_name or ''):find('mcp_sidecar_overview', 1, true) ~= nil
    end, vim.api.nvim_get_autocmds({}))
    return left
  ]])
end
local none = { listeners = 0, wins = 1, timers = 0, buffers = 0, autocommands = 0 }

T['it lies in the middle, with a title and the keys, and the cursor is on the first server'] = function()
  expect_screen('overview')
end

T['what is expanded is seen in place'] = function()
  go_to('files ')
  child.type_keys('<CR>')
  go_to('read_file')
  child.type_keys('K')
  expect_screen('overview-expanded')
end

T['<Tab> and <CR> expand and fold a server, and the cursor stays on it'] = function()
  go_to('files ')
  child.type_keys('<CR>')
  eq(line():find('▾') ~= nil, true)
  eq(#lines() > 15, true)
  child.type_keys('jj<Tab>')
  eq(vim.trim(line()):find('▸ ● files') ~= nil, true)
  child.type_keys('<Tab>')
  eq(line():find('▾') ~= nil, true)
end

T['zR expands all servers, zM folds all, zc folds what one is in'] = function()
  child.type_keys('zR')
  go_to('fetch')
  child.type_keys('zo')
  eq(table.concat(lines(), '\n'):find('mcp_web_fetch') ~= nil, true)
  child.type_keys('j', 'zc')
  eq(line(), '○ fetch  Fetches a page.')
  child.type_keys('zc')
  eq(line():match('▸ ◐ web') ~= nil, true)
  child.type_keys('zM')
  eq(#lines(), 11)
end

T[']] and [[ go from server to server'] = function()
  child.type_keys('zR', 'gg', ']]', ']]')
  eq(line():match('files'), 'files')
  child.type_keys(']]')
  eq(line():match('old'), 'old')
  child.type_keys('[[', '[[')
  eq(line():match('db'), 'db')
end

T['keys of a server'] = MiniTest.new_set({
  parametrize = {
    { 'r', { 'connect', 'files', { restart = true } } },
    { 'c', { 'connect', 'files' } },
    { 'd', { 'disconnect', 'files' } },
    { 'x', { 'toggle', 'files' } },
    { 't', { 'trust' } },
    { 'R', { 'reload', 'full' } },
    { 's', { 'start' } },
    { 'S', { 'restart' } },
  },
})
T['keys of a server']['ask the session'] = function(key, wanted)
  go_to('files ')
  child.type_keys(key)
  eq(asked(), { wanted })
  -- The same on one of its details.
  if #wanted == 1 or wanted[1] == 'reload' then return end
  child.lua([[Stub.asked[1] = nil]])
  child.type_keys('<CR>', 'j', key)
  eq(asked(), { wanted })
end

T['keys of a tool'] = function()
  go_to('files ')
  child.type_keys('<CR>')
  go_to('read_file')
  child.type_keys('x')
  eq(asked(), { { 'toggle', 'files/read_file' } })
  child.type_keys('d')
  eq(asked()[2], { 'disconnect', 'files' })
  go_to('move_file')
  child.type_keys('x')
  eq(asked()[3], { 'toggle', 'files/move_file' })
  child.type_keys('<CR>')
  eq(asked()[4], { 'notify', 'files/move_file is switched off: x switches it on' })
  go_to('read_file')
  child.type_keys('<CR>')
  eq(asked()[5], { 'call', { server = 'files', tool = 'read_file' } })
  eq(leftovers(), none)
end

T['what the settings switch off cannot be switched on here, and that is said'] = function()
  child.lua([[Stub.fixed = 'old']])
  go_to('old ')
  child.type_keys('x')
  eq(asked()[2], { 'notify', 'old is switched off by your settings: settings.disabled' })
end

T['a key of a server does nothing elsewhere but say so'] = function()
  child.type_keys('gg', 'd', 'x')
  local said = { 'notify', 'the cursor is on no server' }
  eq(asked(), { said, said })
end

T['what was told already is not told again'] = function()
  child.lua([[Stub.answers.start = function(cb) cb({ kind = 'closed', message = 'x', reported = true }) end]])
  child.type_keys('s')
  eq(#asked(), 1)
end

T['what the sidecar refuses is told'] = function()
  child.lua([[Stub.answers.connect = function(cb) cb({ kind = 'response', message = 'not approved' }) end]])
  child.type_keys('c')
  eq(asked()[2], { 'notify', 'not approved' })
end

T['y copies names and messages'] = function()
  local function copied() return child.fn.getreg('"') end
  go_to('files ')
  child.type_keys('y')
  eq(copied(), 'files')
  child.type_keys('<CR>')
  go_to('read_file')
  child.type_keys('y')
  eq(copied(), 'mcp_files_read_file')
  go_to('unexpected comma')
  child.type_keys('y')
  eq(copied(), '.vscode/mcp.json:4: unexpected comma')
  go_to('search ')
  child.type_keys('<CR>')
  go_to('error ')
  child.type_keys('y')
  eq(copied(), 'server "search": connect: exec: "uvx" not found')
end

T['o opens the file at the entry'] = function()
  local dir = vim.fn.tempname()
  vim.fn.mkdir(dir)
  local path = dir .. '/a b%.json'
  vim.fn.writefile({ '{', '  "mcpServers": {', '    "files": {}', '}}' }, path)
  child.lua(
    [[local path = ...; Stub.change(function(view)
      view.servers[2].source.path = path
      view.servers[3].source.path = ''
    end)]],
    { path }
  )
  wait([[not vim.api.nvim_get_current_line():find('xx')]])
  go_to('old ')
  child.type_keys('o')
  eq(asked(), { { 'notify', 'it is configured in Neovim: there is no file to open' } })
  go_to('files ')
  child.type_keys('o')
  eq(child.api.nvim_buf_get_name(0), vim.uv.fs_realpath(path))
  eq(child.api.nvim_win_get_cursor(0), { 3, 4 })
  eq(leftovers(), none)
  vim.fn.delete(dir, 'rf')
end

T['? shows all keys, and q comes back to where one was'] = function()
  go_to('search ')
  child.type_keys('?')
  eq(lines()[1], ' Looking')
  eq(table.concat(lines(), '\n'):find('restart the sidecar', 1, true) ~= nil, true)
  child.type_keys('r', 'q')
  eq(line():match('search'), 'search')
  child.type_keys('g?', 'g?', 'q')
  eq(leftovers(), none)
end

T['it changes by itself, with one render for many events'] = function()
  child.lua([[
    Stub.renders = 0
    local lines = require('mcp_sidecar.ui.overview_lines')
    local render = lines.render
    lines.render = function(...)
      Stub.renders = Stub.renders + 1
      return render(...)
    end
    Stub.change(function(view) view.servers[1].phase = 'starting' end)
    Stub.change(function(view) view.servers[1].phase = 'ready' end)
    Stub.emit('tools_changed')
    Stub.emit('diagnostics')
    Stub.emit('state')
    Stub.emit('status', { root = '/another' })
  ]])
  wait([[vim.api.nvim_buf_get_lines(0, 3, 4, false)[1]:find('ready') ~= nil]])
  eq(child.lua_get('Stub.renders'), 1)
end

T['an event of another project changes nothing'] = function()
  child.lua([[
    Stub.view = require('overview_stub').empty()
    Stub.emit('status', { root = '/another' })
    Stub.emit('log')
  ]])
  child.lua([[Stub.seen = false; vim.schedule(function() Stub.seen = true end)]])
  wait('Stub.seen')
  eq(#lines(), 11)
end

T['only lines that changed are touched'] = function()
  child.lua([[
    Stub.touched = {}
    vim.api.nvim_buf_attach(0, false, {
      on_lines = function(_, _, _, first, last, new) table.insert(Stub.touched, { first, last, new }) end,
    })
    Stub.emit('status')
  ]])
  change([[view.servers[5].activity = 'npm: unpacking']])
  wait([[vim.api.nvim_buf_get_lines(0, 7, 8, false)[1]:find('unpacking') ~= nil]])
  eq(child.lua_get('Stub.touched'), { { 7, 8, 8 } })
end

T['the cursor stays on its server, whatever comes above'] = function()
  go_to('search ')
  child.type_keys('5<Right>')
  local column = child.fn.col('.')
  change([[
    local server = require('overview_stub').server
    table.insert(view.servers, 1, server({ name = 'aa' }))
    table.insert(view.servers, 1, server({ name = 'a' }))
  ]])
  wait([[#vim.api.nvim_buf_get_lines(0, 0, -1, false) == 13]])
  eq(line():match('search'), 'search')
  eq(child.fn.col('.'), column)
  change([[table.remove(view.servers, 1)]])
  wait([[#vim.api.nvim_buf_get_lines(0, 0, -1, false) == 12]])
  eq(line():match('search'), 'search')
end

T['what is expanded stays so, and the cursor stays on its tool'] = function()
  go_to('files ')
  child.type_keys('<CR>')
  go_to('write_file')
  child.type_keys('<Tab>')
  local tool = [[require('overview_stub').tool('files', 'a' .. n)]]
  change('for n = 1, 5 do table.insert(view.tools, ' .. tool .. ') end')
  wait([[table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), ' '):find('● a5') ~= nil]])
  eq(line():match('write_file'), 'write_file')
  eq(table.concat(lines(), '\n'):find('mcp_files_write_file', 1, true) ~= nil, true)
  -- Its tool is gone: the cursor goes to the server.
  change([[view.tools = {}]])
  wait([[vim.api.nvim_get_current_line():find('● files') ~= nil]])
end

T['a scrolled window stays where it is'] = function()
  local server = [[require('overview_stub').server({ name = ('s%02d'):format(n) })]]
  change('for n = 1, 60 do table.insert(view.servers, ' .. server .. ') end')
  wait([[#vim.api.nvim_buf_get_lines(0, 0, -1, false) > 60]])
  go_to('s40')
  child.type_keys('zt')
  change('for n = 1, 7 do table.insert(view.servers, 1, ' .. server:gsub('s%%02d', 'a%%d') .. ') end')
  wait([[#vim.api.nvim_buf_get_lines(0, 0, -1, false) > 70]])
  eq(line():match('s40'), 's40')
  eq(child.fn.winline(), 1)
end

T['servers that come late get the cursor, unless it was moved'] = function()
  child.type_keys('q')
  child.lua([[
    Stub.full, Stub.session.root = Stub.view, '/p'
    Stub.view = require('overview_stub').empty({ root = '/p', phase = 'starting' })
  ]])
  open()
  eq(child.api.nvim_win_get_cursor(0), { 1, 0 })
  child.lua([[Stub.view = vim.tbl_extend('force', Stub.full, { root = '/p' }); Stub.emit('state')]])
  wait([[vim.api.nvim_get_current_line():find('db') ~= nil]])
end

T['it counts down while a server waits, and no longer'] = function()
  local function timers() return leftovers().timers end
  eq(timers(), 0)
  change([[view.servers[4].phase = 'backoff'; view.servers[4].nextRetryMs = 60000]])
  wait([[vim.api.nvim_buf_get_lines(0, 6, 7, false)[1]:find('in 60 s', 1, true) ~= nil]])
  eq(timers(), 1)
  for _, seconds in ipairs({ 59, 58, 57 }) do
    child.advance(1000)
    eq(lines()[7]:match('in %d+ s'), ('in %d s'):format(seconds))
  end
  change([[view.servers[4].phase = 'ready']])
  wait([[vim.api.nvim_buf_get_lines(0, 6, 7, false)[1]:find('ready') ~= nil]])
  eq(child.lua([[return { Stub.timers() }]]), { 1, 0 })
  child.type_keys('q')
  eq(timers(), 0)
end

T['closing leaves nothing behind'] = MiniTest.new_set({
  parametrize = {
    { 'q' },
    { '<Esc>' },
    { ':q<CR>' },
    { ':bd<CR>' },
    { ':bw!<CR>' },
    { '<C-w>c' },
    { ':only!<CR>' },
    { '<C-w>p' },
  },
})
T['closing leaves nothing behind']['however it is closed'] = function(keys)
  change([[view.servers[4].phase = 'backoff'; view.servers[4].nextRetryMs = 60000]])
  wait([[vim.api.nvim_buf_get_lines(0, 6, 7, false)[1]:find('in 60 s', 1, true) ~= nil]])
  if keys == ':only!<CR>' then child.cmd('wincmd p') end
  child.type_keys(keys)
  wait([[#vim.api.nvim_list_wins() == 1]])
  wait([[Stub.listening() == 0]])
  eq(leftovers(), none)
  eq(child.v.errmsg, '')
  child.lua([[Stub.emit('status')]])
  open()
  eq(child.bo.filetype, 'mcpoverview')
end

T['a window command of the user leaves nothing of it behind'] = MiniTest.new_set({
  parametrize = { { '<C-w>Kq' }, { '<C-w>K<C-w>oq' }, { ':split<CR>' }, { '<C-w>T' }, { '<C-w>K<C-w>w' } },
})
T['a window command of the user leaves nothing of it behind']['such as'] = function(keys)
  child.type_keys(keys)
  wait([[not vim.iter(vim.api.nvim_list_bufs()):any(function(buffer)
    return vim.bo[buffer].filetype == 'mcpoverview'
  end)]])
  eq({ leftovers(), child.v.errmsg }, { none, '' })
end

T['it fits the screen also where it does not float'] = function()
  child.type_keys('<C-w>K', '<C-w>o')
  child.o.columns, child.o.lines = 60, 20
  eq({ child.v.errmsg, child.api.nvim_win_get_width(0) }, { '', 60 })
end

T['it goes when one goes to another tab page'] = function()
  child.cmd('tabnew')
  wait([[Stub.listening() == 0]])
  eq(#child.api.nvim_list_wins(), 2)
end

T['a command-line window does not get in the way'] = function()
  child.type_keys('q:')
  child.type_keys('<Esc>')
  eq(child.v.errmsg, '')
  open()
  child.type_keys(':', '<C-f>', '<C-c>', '<Esc>')
  eq(child.v.errmsg, '')
end

T['an event on its way when it closes does no harm'] = function()
  child.lua([[
    Stub.emit('status')
    vim.api.nvim_win_close(0, true)
    Stub.seen = false
    vim.schedule(function() Stub.seen = true end)
  ]])
  wait('Stub.seen')
  eq(child.v.errmsg, '')
  eq(leftovers(), none)
end

T['opening it again goes to it'] = function()
  local win = child.api.nvim_get_current_win()
  -- A prompt or a picker of others floats over it.
  child.lua([[
    local buf = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_open_win(buf, true, { relative = 'editor', row = 1, col = 1, width = 5, height = 1 })
  ]])
  open()
  eq(child.api.nvim_get_current_win(), win)
  eq(child.lua_get('#vim.api.nvim_list_wins()'), 3)
end

T['opening it after closing shows what was expanded, where one was'] = function()
  go_to('files ')
  child.type_keys('<CR>')
  go_to('write_file')
  child.type_keys('q')
  open()
  eq(line():match('write_file'), 'write_file')
end

T['without a session it is that of the current buffer'] = function()
  child.type_keys('q')
  child.lua([[require('mcp_sidecar.ui.overview').open()]])
  eq(lines()[1]:match('~/app'), '~/app')
end

T['another session takes the window over'] = function()
  child.lua([[
    local session = setmetatable({ root = '/other' }, { __index = Stub.session })
    session.view = function() return require('overview_stub').empty({ root = '/other' }) end
    require('mcp_sidecar.ui.overview').open(session)
  ]])
  eq(lines()[1]:match('/other'), '/other')
  eq(leftovers().wins, 2)
  eq(leftovers().listeners, 4)
end

T['it fits a screen that changes its size'] = function()
  local function size() return { child.api.nvim_win_get_width(0), child.api.nvim_win_get_height(0) } end
  eq(size(), { 76, 20 })
  child.o.columns = 50
  eq(size()[1], 46)
  eq(lines()[1]:find('running') ~= nil, true)
  for _, content in ipairs(lines()) do
    eq(vim.fn.strdisplaywidth(content) <= 46, true)
  end
  child.o.lines = 10
  eq(size()[2] <= 7, true)
end

T['without a border the keys stand at the end'] = function()
  child.type_keys('q')
  child.lua([[Stub.ui.border = 'none']])
  open()
  eq(lines()[#lines()]:find('? keys', 1, true) ~= nil, true)
end

T['the colours are there after a colorscheme, and those of the user stay'] = function()
  local function target(name) return child.api.nvim_get_hl(0, { name = name }).link end
  eq(target('McpReady'), 'DiagnosticOk')
  child.cmd('colorscheme blue')
  eq(target('McpReady'), 'DiagnosticOk')
  child.cmd('highlight! link McpReady Search')
  child.type_keys('q')
  open()
  eq(target('McpReady'), 'Search')
end

T['the buffer cannot be changed by accident, nor be replaced in its window'] = function()
  eq({ child.bo.modifiable, child.bo.buftype, child.bo.buflisted }, { false, 'nofile', false })
  eq(child.wo.winfixbuf, true)
end

T['searching works as ever'] = function()
  child.type_keys('/search<CR>')
  eq(line():match('search'), 'search')
end

return T
