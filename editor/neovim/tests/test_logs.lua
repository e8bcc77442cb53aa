-- Logs in a buffer that follows them, in a Neovim of its own.
local eq = MiniTest.expect.equality

---How often a log is asked for.
local PERIOD_MS = 1000

local child, hooks = require('fresh').neovim({
  lines = 24,
  columns = 80,
  begin = [[
    require('overview_stub').install()
    -- The server has written `Stub.written` lines; a request gets those that it does not know.
    Stub.written, Stub.noise = 3, { count = 0, samples = {} }
    Stub.answers.logs = function(cb, _, params)
      local lines = {}
      for seq = math.max(params.after or 0, Stub.written - params.lines) + 1, Stub.written do
        table.insert(lines, { seq = seq, time = 'T', source = 'stderr', text = 'line ' .. seq })
      end
      cb(nil, { lines = lines, noise = Stub.noise })
    end
  ]],
})
local T = MiniTest.new_set({ hooks = hooks })

local function open(server) child.lua([[require('mcp_sidecar.ui.logs').open(Stub.session, ...)]], { server }) end

local function lines() return child.api.nvim_buf_get_lines(0, 0, -1, false) end

---follows lets a period pass, and only then the buffer has so many lines.
local function follows(count)
  local before = lines()
  child.advance(PERIOD_MS - 1)
  eq(lines(), before)
  child.advance(1)
  eq(#lines(), count)
end

---wait waits for what the main loop does soon.
local function wait(expression)
  require('patience').await(expression, function() return child.lua_get(expression) end)
end

local function requests() return child.lua_get('#Stub.asked') end

local function state()
  return child.lua([[
    local open, active = Stub.timers()
    local groups = vim.tbl_filter(function(au)
      return (au.group_name or ''):find('mcp_sidecar_log', 1, true) ~= nil
    end, vim.api.nvim_get_autocmds({}))
    return { open = open, active = active, listening = Stub.listening(), autocommands = #groups }
  ]])
end
local nothing = { open = 0, active = 0, listening = 0, autocommands = 0 }

T['it shows the last lines of a server, with the cursor at the end'] = function()
  open('files')
  eq(lines(), { 'T stderr    line 1', 'T stderr    line 2', 'T stderr    line 3' })
  eq(child.api.nvim_win_get_cursor(0)[1], 3)
  eq(child.lua_get('Stub.asked'), { { 'logs', 'files', { lines = 200 } } })
  eq({ child.bo.filetype, child.bo.buftype, child.bo.modifiable }, { 'mcplog', 'nofile', false })
end

T['it follows, and asks only for what is new'] = function()
  open('files')
  child.lua('Stub.written = 5')
  follows(5)
  eq(lines()[5], 'T stderr    line 5')
  eq(child.api.nvim_win_get_cursor(0)[1], 5)
  eq(child.lua_get('Stub.asked[2]'), { 'logs', 'files', { lines = 2000, after = 3 } })
end

T['it scrolls only for those who look at its end'] = function()
  open('files')
  local top = child.api.nvim_get_current_win()
  child.cmd('split')
  child.type_keys('gg')
  child.lua('Stub.written = 5')
  follows(5)
  eq(child.api.nvim_win_get_cursor(0)[1], 1)
  eq(child.api.nvim_win_get_cursor(top)[1], 5)
end

T['an empty log says so, until there is something'] = function()
  child.lua('Stub.written = 0')
  open('files')
  eq(lines(), { 'Nothing yet.' })
  child.lua('Stub.written = 2')
  follows(2)
  eq(lines(), { 'T stderr    line 1', 'T stderr    line 2' })
end

T['noise stands above, and is kept true'] = function()
  open('files')
  child.lua([[Stub.noise = { count = 1, samples = { 'hello' } }]])
  follows(5)
  eq(vim.list_slice(lines(), 1, 3), {
    '1 line on stdout is no message of the protocol:',
    '  hello',
    'T stderr    line 1',
  })
  child.lua([[Stub.noise = { count = 7, samples = { 'hello', 'again' } }; Stub.written = 4]])
  follows(7)
  eq(lines()[3], '  again')
  eq(lines()[7], 'T stderr    line 4')
end

T['an error is told, and goes when it is over'] = function()
  child.lua([[
    Stub.working = Stub.answers.logs
    Stub.answers.logs = function(cb) cb({ kind = 'response', message = 'no server has this name' }) end
  ]])
  open('files')
  eq(lines(), { 'no server has this name' })
  child.lua('Stub.answers.logs = Stub.working')
  follows(3)
  eq(lines()[1], 'T stderr    line 1')
end

T['there is one request at a time'] = function()
  child.lua('Stub.answers.logs = function(cb) Stub.answer = cb end')
  open('files')
  child.advance(3 * PERIOD_MS)
  eq(requests(), 1)
  child.lua('Stub.answer(nil, { lines = {}, noise = Stub.noise })')
  child.advance(PERIOD_MS)
  eq(requests(), 2)
end

T['a sidecar that was started again is read from its beginning'] = function()
  open('files')
  child.lua([[
    Stub.view = require('overview_stub').empty({ phase = 'starting' })
    Stub.emit('state', Stub.view)
    Stub.written = 1
  ]])
  child.lua([[Stub.view = require('overview_stub').empty(); Stub.emit('state', Stub.view)]])
  follows(4)
  eq(lines()[4], 'T stderr    line 1')
end

T['a sidecar that does not run is not asked, and so not started'] = function()
  open('files')
  child.lua([[Stub.view = require('overview_stub').empty({ phase = 'stopped' })]])
  child.advance(3 * PERIOD_MS)
  eq(requests(), 1)
  child.lua([[Stub.view = require('overview_stub').empty()]])
  child.advance(PERIOD_MS)
  eq(requests(), 2)
end

T['it rests while no window shows it, and goes on when one does'] = function()
  open('files')
  local buf = child.api.nvim_get_current_buf()
  eq(state().active, 1)
  child.cmd('quit')
  eq(state().active, 0)
  child.advance(3 * PERIOD_MS)
  eq(requests(), 1)
  open('files')
  eq({ child.api.nvim_get_current_buf(), state().active }, { buf, 1 })
  child.advance(PERIOD_MS)
  eq(requests(), 2)
  open('files')
  eq(child.lua_get('#vim.api.nvim_list_wins()'), 2)
end

T['closing ends it'] = MiniTest.new_set({
  parametrize = { { 'q' }, { ':bw<CR>' }, { ':bd<CR>' }, { ':edit<CR>' } },
})
T['closing ends it']['and leaves nothing behind'] = function(keys)
  child.lua('Stub.answers.logs = nil')
  open('files')
  child.type_keys(keys)
  eq(state(), nothing)
  eq(child.lua_get('Stub.asked[2]'), { 'cancel logs' })
  wait('#vim.api.nvim_list_wins() == 1')
end

T['it can be opened again at once, whole'] = MiniTest.new_set({
  parametrize = { { 'normal q' }, { 'bdelete' } },
})
T['it can be opened again at once, whole']['after'] = function(how)
  open('files')
  child.lua([[vim.cmd(...) require('mcp_sidecar.ui.logs').open(Stub.session, 'files')]], { how })
  eq(lines(), { 'T stderr    line 1', 'T stderr    line 2', 'T stderr    line 3' })
  eq({ child.bo.filetype, child.bo.modifiable }, { 'mcplog', false })
  wait([[#vim.tbl_filter(function(buf)
    return vim.api.nvim_buf_get_name(buf):find('^mcp%-log:') ~= nil
  end, vim.api.nvim_list_bufs()) == 1]])
end

T['where there is no room, it opens in a tab page'] = function()
  child.o.lines = 10
  for _ = 1, 3 do
    child.cmd('split')
  end
  open('files')
  eq({ #child.api.nvim_list_tabpages(), lines()[1], child.wo.wrap }, { 2, 'T stderr    line 1', true })
end

T['an answer that comes after closing does no harm'] = function()
  child.lua('Stub.answers.logs = function(cb) Stub.answer = cb end')
  open('files')
  child.type_keys('q')
  child.lua('Stub.answer(nil, { lines = {}, noise = Stub.noise })')
  eq(child.v.errmsg, '')
end

T['a log that grows for ever does not'] = function()
  child.lua([[
    Stub.written = 12000
    local answer = Stub.answers.logs
    Stub.answers.logs = function(cb, server, params)
      answer(cb, server, { lines = 12000, after = params.after })
    end
  ]])
  open('files')
  eq(#lines(), 10000)
  eq(lines()[1], 'T stderr    line 2001')
  eq(child.api.nvim_win_get_cursor(0)[1], 10000)
end

T['the log of the sidecar comes by itself'] = function()
  child.lua([[
    function Stub.say(message, level)
      table.insert(Stub.log, { level = level or 'info', message = message, time = 'T' })
      if #Stub.log > 3 then table.remove(Stub.log, 1) end
      Stub.emit('log')
    end
    Stub.say('begun')
  ]])
  open()
  eq(lines(), { 'T info      begun' })
  eq(state().open, 0)
  child.lua([[Stub.say('more', 'error'); Stub.say('and more')]])
  child.advance(0)
  eq(#lines(), 3)
  child.lua([[Stub.say('no room in the ring')]])
  child.advance(0)
  eq(#lines(), 4)
  eq(vim.list_slice(lines(), 1, 2), { 'T info      begun', 'T error     more' })
  eq(vim.list_slice(lines(), 3), { 'T info      and more', 'T info      no room in the ring' })
  eq(child.api.nvim_win_get_cursor(0)[1], 4)
  eq(requests(), 0)
  child.type_keys('q')
  eq(state(), nothing)
end

T['l and L in the overview open them'] = function()
  child.lua([[require('mcp_sidecar.ui.overview').open(Stub.session)]])
  child.type_keys('j', 'l')
  eq(child.api.nvim_buf_get_name(0), 'mcp-log:///home/me/app//files')
  eq(child.lua_get('#vim.api.nvim_list_wins()'), 2)
  child.type_keys('q')
  child.lua([[require('mcp_sidecar.ui.overview').open(Stub.session)]])
  child.type_keys('L')
  eq(child.api.nvim_buf_get_name(0), 'mcp-log:///home/me/app')
  eq(lines(), { 'Nothing yet.' })
end

return T
