-- When the user is asked about a project's servers, and what becomes of the answer.
local eq = MiniTest.expect.equality

---How long no key was pressed when a question comes up, and how long after a command it may.
local PAUSE_MS, EXPECTED_MS = 300, 10000

local child, hooks = require('fresh').neovim({
  lines = 24,
  columns = 80,
  begin = [[
    trust = require('mcp_sidecar.ui.trust')
    said, replies, requests, answers = {}, {}, {}, {}
    vim.notify = function(text) said[#said + 1] = text end
    function server(name, more)
      local one = { name = name, path = '/p/.mcp.json', project = '/p', command = name, uses = {} }
      one.hash = 'h-' .. name
      return vim.tbl_extend('force', one, more or {})
    end
    function session_of(root)
      return {
        root = root,
        request = function(_, method, params, callback)
          requests[#requests + 1] = { method, params }
          answers[#answers + 1] = callback
        end,
      }
    end
    session = session_of('/p')
    function ask(servers, of)
      return trust.ask(of or session, { servers = servers }, function(value, failure)
        replies[#replies + 1] = { value = value, failure = failure }
      end)
    end
    function dialogs()
      local function is_dialog(buffer) return vim.bo[buffer].filetype == 'mcptrust' end
      return #vim.tbl_filter(is_dialog, vim.api.nvim_list_bufs())
    end
    function heads()
      local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
      return vim.tbl_filter(function(text) return text:find('^%[') end, lines)
    end
  ]],
})
local T = MiniTest.new_set({ hooks = hooks })

---shows says what the dialog shows, after the pauses for which it waits: one, and the one in which keys came.
local function shows(heads)
  child.advance(2 * PAUSE_MS)
  eq({ child.bo.filetype, child.lua_get('heads()') }, { 'mcptrust', heads })
end

---calm lets everything come up that will.
local function calm() child.advance(2 * EXPECTED_MS) end

T['a question comes up right after a command, and its answer goes back by name'] = function()
  child.lua([[trust.expect('/p') ask({ server('a'), server('b'), server('c') })]])
  shows({ '[ ] a   not decided', '[ ] b   not decided', '[ ] c   not decided' })
  eq(child.lua_get('replies'), {})
  child.type_keys('a', 'G', 'd', '<CR>')
  eq(child.lua_get('replies'), { { value = { a = 'allow', b = 'later', c = 'deny' } } })
  eq({ child.lua_get('said'), child.lua_get('requests') }, { {}, {} })
end

T['a question comes up as long as it is expected'] = function()
  child.lua([[trust.expect('/p')]])
  child.advance(EXPECTED_MS - PAUSE_MS - 1)
  child.lua([[ask({ server('a') })]])
  shows({ '[ ] a   not decided' })
end

T['one that is closed decides nothing'] = function()
  child.lua([[trust.expect('/p') ask({ server('a') })]])
  shows({ '[ ] a   not decided' })
  child.type_keys('a', 'q')
  eq(child.lua_get('replies'), { {} })
end

T['nobody is asked out of the blue'] = MiniTest.new_set({
  parametrize = {
    { 'without a command', '', 0 },
    { 'after a command elsewhere', [[trust.expect('/other')]], 0 },
    { 'long after a command', [[trust.expect('/p')]], EXPECTED_MS },
  },
})
T['nobody is asked out of the blue']['but told'] = function(_, before, ms)
  child.lua(before)
  child.advance(ms)
  child.lua([[ask({ server('a'), server('b') })]])
  -- The sidecar asks one thing at a time: it must not wait for an answer.
  eq(child.lua_get('replies'), { {} })
  eq(child.lua_get('said'), { 'mcp-sidecar: servers wait for you: a, b (`:Mcp trust`)' })
  calm()
  eq(child.lua_get('dialogs()'), 0)
end

T['a dialog that waited until it is not expected any more does not come up'] = function()
  child.type_keys('i')
  child.lua([[trust.expect('/p') ask({ server('a') })]])
  child.advance(EXPECTED_MS)
  eq(child.lua_get('replies'), {})
  child.type_keys('<Esc>')
  calm()
  eq(child.lua_get('{ dialogs(), replies, #said }'), { 0, { {} }, 1 })
end

T['keys that follow <Esc> do not go into the dialog'] = function()
  child.type_keys('i')
  child.lua([[trust.expect('/p') ask({ server('x') })]])
  child.type_keys('text')
  for _, keys in ipairs({ '<Esc>', 'A', ' more', '<CR>' }) do
    child.advance(PAUSE_MS - 20)
    child.type_keys(keys)
  end
  eq(child.api.nvim_buf_get_lines(0, 0, -1, false), { 'text more', '' })
  child.type_keys('<Esc>')
  shows({ '[ ] x   not decided' })
end

T['the same servers are announced once, others again'] = function()
  child.lua([[
    ask({ server('a') }) ask({ server('a') })
    ask({ server('a', { hash = 'changed' }) })
    ask({ server('a'), server('b') })
    ask({ server('a') }, session_of('/other'))
  ]])
  eq(#child.lua_get('said'), 4)
end

T['what is announced fits a line'] = function()
  child.lua([[
    local many = {}
    for i = 1, 40 do many[i] = server('server-' .. i) end
    ask(many)
    ask({ server('a\nb\27[2J') })
  ]])
  local said = child.lua_get('said')
  eq(vim.fn.strdisplaywidth(said[1]) <= child.v.echospace, true)
  eq(said[1]:find('wait for you: server%-1, .*… %(`:Mcp trust`%)$') ~= nil, true)
  eq(said[2], 'mcp-sidecar: servers wait for you: a\\nb\\e[2J (`:Mcp trust`)')
end

T['a question is withdrawn'] = MiniTest.new_set()
T['a question is withdrawn']['from the screen'] = function()
  child.lua([[trust.expect('/p') withdraw = ask({ server('a') })]])
  shows({ '[ ] a   not decided' })
  child.lua('withdraw()')
  eq(child.lua_get('{ dialogs(), #vim.api.nvim_list_wins() }'), { 0, 1 })
  child.lua('withdraw()')
  eq(child.lua_get('replies'), { {} })
end
T['a question is withdrawn']['before it comes up'] = function()
  child.lua([[trust.expect('/p') ask({ server('a') })()]])
  calm()
  eq(child.lua_get('{ dialogs(), replies }'), { 0, { {} } })
end
T['a question is withdrawn']['when it was answered'] = function()
  child.lua([[trust.expect('/p') withdraw = ask({ server('a') })]])
  shows({ '[ ] a   not decided' })
  child.type_keys('<CR>')
  child.lua('withdraw()')
  eq(#child.lua_get('replies'), 1)
end
T['a question is withdrawn']['while the next one waits'] = function()
  child.lua([[trust.expect('/p') withdraw = ask({ server('a') })]])
  shows({ '[ ] a   not decided' })
  child.lua([[ask({ server('b') }) withdraw()]])
  shows({ '[ ] b   not decided' })
  child.type_keys('a', '<CR>')
  eq(child.lua_get('replies'), { {}, { value = { b = 'allow' } } })
end

T['a second question waits for the first, also of another project'] = function()
  child.lua([[
    trust.expect('/p') trust.expect('/q')
    ask({ server('a') })
    ask({ server('b') }, session_of('/q'))
  ]])
  shows({ '[ ] a   not decided' })
  eq(child.lua_get('dialogs()'), 1)
  child.type_keys('d', '<CR>')
  shows({ '[ ] b   not decided' })
  child.type_keys('a', '<CR>')
  eq(child.lua_get('replies'), { { value = { a = 'deny' } }, { value = { b = 'allow' } } })
end

T['a dialog that cannot be opened answers nothing, and is reported'] = function()
  child.lua([[
    vim.api.nvim_open_win = function() error('no window') end
    trust.expect('/p')
    ask({ server('a') })
  ]])
  child.advance(PAUSE_MS)
  eq(#child.lua_get('said'), 1)
  eq({ child.lua_get('said[1]'):match('no window'), child.lua_get('replies') }, { 'no window', { {} } })
end

---lists answers trust/list.
local LIST = [[
  answers[1](nil, { servers = {
    server('a', { decision = 'allow' }), server('b', { decision = 'deny' }), server('c'),
  } })
]]

T[':Mcp trust shows all servers, and asks only for what is changed'] = function()
  child.lua('trust.manage(session)')
  eq(child.lua_get('requests'), { { 'trust/list' } })
  child.lua(LIST)
  shows({ '[+] a   allowed', '[-] b   denied', '[ ] c   not decided' })
  child.type_keys('l', '/\\] c<CR>', 'a', '<CR>')
  eq(child.lua_get('vim.list_slice(requests, 2)'), {
    { 'trust/revoke', { server = 'a', hash = 'h-a' } },
    { 'trust/allow', { server = 'c', hash = 'h-c' } },
  })
  child.lua([[answers[2](nil, {}) answers[3]({ message = 'trust/allow: it has changed' })]])
  eq(child.lua_get('said'), { 'mcp-sidecar: trust/allow: it has changed' })
end

T[':Mcp trust that is closed, or changes nothing, asks for nothing'] = function()
  for _, keys in ipairs({ 'Aq', '<CR>', 'D<Esc>' }) do
    child.lua('requests, answers = {}, {} trust.manage(session)')
    child.lua(LIST)
    shows({ '[+] a   allowed', '[-] b   denied', '[ ] c   not decided' })
    child.type_keys(keys)
    eq(#child.lua_get('requests'), 1)
  end
end

T[':Mcp trust twice is one dialog'] = function()
  child.lua('trust.manage(session) trust.manage(session)')
  eq(#child.lua_get('requests'), 1)
  child.lua(LIST)
  child.lua('trust.manage(session)')
  shows({ '[+] a   allowed', '[-] b   denied', '[ ] c   not decided' })
  child.cmd('wincmd p | tabnew')
  child.lua('trust.manage(session)')
  eq({ child.bo.filetype, child.lua_get('{ #requests, dialogs() }') }, { 'mcptrust', { 1, 1 } })
end

T[':Mcp trust while it is asked brings the user to the dialog'] = function()
  child.lua([[trust.expect('/p') ask({ server('a') })]])
  shows({ '[ ] a   not decided' })
  child.cmd('wincmd p')
  child.lua('trust.manage(session)')
  eq({ child.bo.filetype, child.lua_get('{ #requests, dialogs() }') }, { 'mcptrust', { 0, 1 } })
end

T[':Mcp trust takes the place of a question'] = MiniTest.new_set()
T[':Mcp trust takes the place of a question']['that comes meanwhile'] = function()
  child.lua([[trust.expect('/p') trust.manage(session) ask({ server('c') })]])
  eq(child.lua_get('replies'), { {} })
  child.lua(LIST)
  shows({ '[+] a   allowed', '[-] b   denied', '[ ] c   not decided' })
  child.type_keys('q')
  calm()
  eq(child.lua_get('{ dialogs(), said }'), { 0, {} })
end
T[':Mcp trust takes the place of a question']['that waits for its turn'] = function()
  child.lua([[trust.expect('/p') ask({ server('c') }) trust.manage(session)]])
  eq(child.lua_get('replies'), { {} })
  child.lua(LIST)
  shows({ '[+] a   allowed', '[-] b   denied', '[ ] c   not decided' })
  child.type_keys('q')
  calm()
  eq(child.lua_get('{ dialogs(), #replies }'), { 0, 1 })
end

T[':Mcp trust says why there is no dialog'] = MiniTest.new_set({
  parametrize = {
    { [[nil, { servers = {} }]], { 'mcp-sidecar: the files of this project name no servers' } },
    { [[{ message = 'trust/list: no' }]], { 'mcp-sidecar: trust/list: no' } },
    { [[{ message = 'no binary', reported = true }]], {} },
  },
})
T[':Mcp trust says why there is no dialog']['and can be tried again'] = function(answer, said)
  child.lua('trust.manage(session)')
  child.lua(('answers[1](%s)'):format(answer))
  eq(child.lua_get('said'), said)
  child.lua('trust.manage(session)')
  eq(#child.lua_get('requests'), 2)
end

T['o shows the entry, and decides nothing'] = function()
  local path = vim.fn.tempname() .. ' #%.json'
  vim.fn.writefile({ '{', '  "a": "b",', '  "mcpServers": {', '    "b": {} } }' }, path)
  child.lua(
    [[
    path = ...
    trust.expect('/p')
    ask({ server('a', { path = path, line = 3, column = 5 }), server('b', { path = path }) })
  ]],
    { path }
  )
  shows({ '[ ] a   not decided', '[ ] b   not decided' })
  child.type_keys('a', 'o')
  eq(child.lua_get('replies'), { {} })
  eq(child.api.nvim_win_get_cursor(0), { 3, 4 })
  eq(vim.uv.fs_realpath(child.api.nvim_buf_get_name(0)), vim.uv.fs_realpath(path))
  -- A file that became shorter, and a place that is not known.
  child.lua([[trust.expect('/p') ask({ server('b', { path = path, line = 9, column = 2 }) })]])
  shows({ '[ ] b   not decided' })
  child.type_keys('o')
  eq(child.api.nvim_win_get_cursor(0), { 4, 1 })
  child.lua([[trust.expect('/p') ask({ server('b', { path = path }) })]])
  shows({ '[ ] b   not decided' })
  child.type_keys('o')
  eq(child.api.nvim_win_get_cursor(0), { 4, 1 })
  eq(child.lua_get('said'), {})
  vim.fn.delete(path)
end

T['o finds a window for the entry'] = MiniTest.new_set({
  parametrize = {
    -- The overview is closed, for the window that it was opened from.
    {
      [[
        vim.cmd('split | wincmd j')
        session.view = function() return require('overview_stub').empty() end
        require('mcp_sidecar.ui.overview').open(session)
      ]],
      { 2, 2 },
    },
    {
      [[
        local place = { relative = 'editor', row = 1, col = 1, width = 20, height = 1 }
        vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true, place)
        vim.wo.winfixbuf = true
      ]],
      { 1, 2 },
    },
    { 'vim.wo.winfixbuf = true', { 2, 2 } },
  },
})
T['o finds a window for the entry']['from where none can be shown'] = function(begin, window)
  local path = vim.fn.tempname() .. '.json'
  vim.fn.writefile({ '{ "mcpServers": {', '    "b": {} } }' }, path)
  child.lua(begin)
  child.lua([[trust.expect('/p') ask({ server('b', { path = ..., line = 2, column = 5 }) })]], { path })
  shows({ '[ ] b   not decided' })
  child.type_keys('o')
  eq(vim.uv.fs_realpath(child.api.nvim_buf_get_name(0)), vim.uv.fs_realpath(path))
  eq({ child.fn.winnr(), #child.api.nvim_list_wins() }, window)
  eq({ child.api.nvim_win_get_cursor(0), child.lua_get('said') }, { { 2, 4 }, {} })
  vim.fn.delete(path)
end

T['o says why a file cannot be shown'] = function()
  child.lua([[
    vim.api.nvim_create_autocmd('BufReadCmd', { pattern = '*.json', callback = function() error('no disk') end })
    trust.expect('/p')
    ask({ server('b', { path = '/nowhere/b.json' }) })
  ]])
  shows({ '[ ] b   not decided' })
  child.type_keys('o')
  eq(child.lua_get('said[1]'):match('no disk'), 'no disk')
end

return T
