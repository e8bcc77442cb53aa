-- The queue of questions to the user: one after the other, when nothing is typed, and held up by none for ever.
local eq = MiniTest.expect.equality

---How long no key was pressed when a question comes up, and how long one without windows is still there.
local PAUSE_MS, GONE_MS = 300, 1000

local child, hooks = require('fresh').neovim({
  begin = [[
    ask = require('mcp_sidecar.ui.prompts').ask
    shown, done, dropped, said = {}, {}, {}, {}
    vim.notify = function(text) said[#said + 1] = text end
    -- A question that is open until its `done`, in whatever way it is shown.
    function question(name, show)
      return ask(function(finish)
        shown[#shown + 1] = name
        done[name] = finish
        if show then show(finish) end
      end, function() dropped[#dropped + 1] = name end)
    end
    function float()
      local buffer = vim.api.nvim_create_buf(false, true)
      local place = { relative = 'editor', row = 1, col = 1, width = 20, height = 1 }
      window = vim.api.nvim_open_win(buffer, true, place)
    end
  ]],
})
local T = MiniTest.new_set({ hooks = hooks })

---is says what was shown so far, in this order, and what was dropped.
local function is(shown, dropped) eq(child.lua_get('{ shown, dropped }'), { shown, dropped or {} }) end

---shows lets a pause pass, and only then the last of these is shown.
local function shows(names)
  child.advance(PAUSE_MS - 1)
  is(vim.list_slice(names, 1, #names - 1))
  child.advance(1)
  is(names)
end

T['one comes after the other'] = function()
  child.lua([[for _, name in ipairs({ 'a', 'b', 'c' }) do question(name, float) end]])
  shows({ 'a' })
  child.advance(2 * PAUSE_MS)
  is({ 'a' })
  child.lua([[done.a() done.a()]])
  shows({ 'a', 'b' })
  child.advance(2 * PAUSE_MS)
  is({ 'a', 'b' })
  child.lua([[done.b()]])
  shows({ 'a', 'b', 'c' })
end

T['one that is answered as it is shown makes room at once'] = function()
  child.lua([[for _, name in ipairs({ 'a', 'b', 'c' }) do question(name, function(finish) finish() end) end]])
  shows({ 'a' })
  shows({ 'a', 'b' })
  shows({ 'a', 'b', 'c' })
end

T['it waits for normal mode'] = MiniTest.new_set({
  parametrize = {
    { 'itext', '<Esc>' },
    { 'vj', '<Esc>' },
    { 'd', '<Esc>' }, -- an operator that waits for its motion
    { ':let x', '<Esc>' },
    { '/x', '<Esc>' },
    { 'q:', ':q<CR>' },
    { 'Rx', '<Esc>' },
    { 'i<C-o>', '<Esc><Esc>' },
    { ':terminal<CR>i', '<C-\\><C-n>' },
  },
})
T['it waits for normal mode']['out of'] = function(into, out_of)
  child.api.nvim_input(into)
  child.lua([[question('a')]])
  child.advance(2 * PAUSE_MS)
  is({})
  child.api.nvim_input(out_of)
  child.advance(PAUSE_MS)
  is({})
  shows({ 'a' })
end

T['keys that follow each other keep it away, also in normal mode'] = function()
  child.lua([[question('a')]])
  for _ = 1, 20 do
    child.type_keys('j')
    child.advance(PAUSE_MS - 20)
    is({})
  end
  child.advance(2 * PAUSE_MS)
  is({ 'a' })
end

T['keys that nobody typed do not keep it away'] = function()
  child.lua([[question('a')]])
  child.lua([[vim.api.nvim_feedkeys('j', 'n', false)]])
  shows({ 'a' })
end

T['one that is on the screen in whatever way keeps the next away'] = MiniTest.new_set({
  parametrize = {
    { 'as long as showing it takes', [[function() vim.wait(30000, function() return answered end, 1) end]] },
    { 'with a window that comes up in silence', [[function() vim.cmd('noautocmd lua float()') end]] },
  },
})
T['one that is on the screen in whatever way keeps the next away']['case'] = function(_, show)
  child.lua(([[question('a', %s) question('b')]]):format(show))
  shows({ 'a' })
  child.advance(10 * PAUSE_MS)
  is({ 'a' })
  child.lua([[answered = true done.a()]])
  shows({ 'a', 'b' })
end

T['it looks, and listens to keys, only while one waits'] = function()
  child.lua([[
    listeners = vim.on_key()
    timers = {}
    local new_timer = vim.uv.new_timer
    vim.uv.new_timer = function() timers[#timers + 1] = new_timer() return timers[#timers] end
    question('a')
    question('b')
  ]])
  eq(child.lua_get('{ vim.on_key() - listeners, #timers, timers[1]:is_active() }'), { 1, 1, true })
  shows({ 'a' })
  eq(child.lua_get('{ vim.on_key() - listeners, timers[1]:is_active() }'), { 1, true })
  shows({ 'a', 'b' })
  eq(child.lua_get('{ vim.on_key() - listeners, timers[1]:is_closing() }'), { 0, true })
end

T['one that is withdrawn'] = MiniTest.new_set()
T['one that is withdrawn']['does not come up'] = function()
  child.lua([[local withdraw = question('a') question('b') withdraw() withdraw()]])
  shows({ 'b' })
end
T['one that is withdrawn']['makes room, though it is on the screen'] = function()
  child.lua([[withdraw = question('a', float) question('b')]])
  shows({ 'a' })
  child.lua([[withdraw()]])
  shows({ 'a', 'b' })
  -- Its own end, later, is not that of the other.
  child.lua([[float() question('c') done.a() withdraw()]])
  child.advance(2 * PAUSE_MS)
  is({ 'a', 'b' })
end
T['one that is withdrawn']['is not dropped'] = function()
  child.lua([[withdraw = question('a', float)]])
  shows({ 'a' })
  child.lua([[withdraw() vim.api.nvim_win_close(window, true)]])
  child.advance(2 * GONE_MS)
  is({ 'a' })
end

T['one that cannot be shown is reported, and makes room'] = function()
  child.lua([[question('a', function() error('no screen') end) question('b')]])
  shows({ 'a' })
  eq(child.lua_get('#said'), 1)
  eq(child.lua_get('said[1]'):match('no screen'), 'no screen')
  shows({ 'a', 'b' })
  eq(child.lua_get('#said'), 1)
end

T['Ctrl-C in a list of choices is no error'] = function()
  child.lua([[question('a', function() error('Keyboard interrupt', 0) end) question('b')]])
  shows({ 'a' })
  shows({ 'a', 'b' })
  eq(child.lua_get('said'), {})
end

---is_dropped waits until `a`, whose window was closed this long ago, is dropped: after its time, and not before.
local function is_dropped(shown, ago)
  child.advance(GONE_MS - (ago or 0) - 1)
  is(shown)
  child.advance(1)
  is(shown, { 'a' })
  child.advance(2 * GONE_MS)
  is(shown, { 'a' })
end

T['a callback that is forgotten'] = MiniTest.new_set()
T['a callback that is forgotten']['with its window is dropped'] = function()
  child.lua([[question('a', float) question('b')]])
  shows({ 'a' })
  child.lua([[vim.api.nvim_win_close(window, true)]])
  shows({ 'a', 'b' })
  is_dropped({ 'a', 'b' }, PAUSE_MS)
end
T['a callback that is forgotten']['is dropped though no other waits'] = function()
  child.lua([[question('a', float)]])
  shows({ 'a' })
  child.type_keys(':q<CR>')
  is_dropped({ 'a' })
end
T['a callback that is forgotten']['with a window that is closed in silence is dropped'] = function()
  child.cmd('split')
  child.lua([[question('a', float)]])
  shows({ 'a' })
  child.lua([[vim.cmd(('noautocmd call nvim_win_close(%d, v:true)'):format(window)) vim.cmd('wincmd w')]])
  is_dropped({ 'a' })
end
T['a callback that is forgotten']['is dropped whatever other windows there are'] = function()
  child.lua([[question('a', float)]])
  shows({ 'a' })
  child.cmd('wincmd p | split')
  child.lua([[vim.api.nvim_win_close(window, true)]])
  is_dropped({ 'a' })
end
T['a callback that is forgotten']['by one who never showed a window holds up nobody'] = function()
  child.lua([[question('a') question('b')]])
  shows({ 'a' })
  shows({ 'a', 'b' })
  child.advance(2 * GONE_MS)
  is({ 'a', 'b' })
end

T['one that is still there is not dropped'] = MiniTest.new_set()
local function is_not_dropped()
  child.advance(2 * GONE_MS)
  is({ 'a' })
end
T['one that is still there is not dropped']['while the user is elsewhere'] = function()
  child.lua([[question('a', float) question('b')]])
  shows({ 'a' })
  child.cmd('wincmd p | split | quit | tabnew | tabclose')
  is_not_dropped()
end
T['one that is still there is not dropped']['while it goes from one window to the next'] = function()
  child.lua([[
    question('a', function()
      float()
      local first = window
      vim.defer_fn(function()
        float()
        vim.api.nvim_win_close(first, true)
      end, 10)
    end)
    question('b')
  ]])
  shows({ 'a' })
  child.advance(10)
  eq(child.lua_get('{ #vim.api.nvim_list_wins(), vim.api.nvim_win_is_valid(window) }'), { 2, true })
  is_not_dropped()
end
T['one that is still there is not dropped']['if it is elsewhere, whatever windows come and go'] = function()
  child.lua([[question('a')]])
  shows({ 'a' })
  child.advance(GONE_MS)
  child.cmd('split | quit')
  is_not_dropped()
end
T['one that is still there is not dropped']['if it calls back a moment after its window'] = function()
  child.lua([[question('a', float)]])
  shows({ 'a' })
  child.lua([[vim.api.nvim_win_close(window, true) vim.defer_fn(done.a, 100)]])
  is_not_dropped()
end

T['nothing is left behind of one that is over'] = function()
  local count = [[#vim.api.nvim_get_autocmds({ event = { 'WinEnter', 'WinClosed' } })]]
  local before = child.lua_get(count)
  child.lua([[question('a', float)]])
  shows({ 'a' })
  eq(child.lua_get(count), before + 2)
  child.lua('done.a()')
  eq(child.lua_get(count), before)
  -- Nor of one that never had a window, and never ends.
  child.lua([[question('b')]])
  child.advance(PAUSE_MS)
  is({ 'a', 'b' })
  child.advance(GONE_MS)
  eq(child.lua_get(count), before)
end

return T
