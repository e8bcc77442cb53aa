-- The queue of questions to the user: one after the other, when nothing is typed, and held up by none for ever.
local await = require('patience').await
local eq = MiniTest.expect.equality
local child = MiniTest.new_child_neovim()

local T = MiniTest.new_set({
  hooks = {
    pre_case = function()
      child.restart({ '-u', 'tests/minit.lua' })
      child.lua([[
        ask = require('mcp_sidecar.ui.prompts').ask
        shown, done, dropped, said = {}, {}, {}, {}
        vim.notify = function(text) said[#said + 1] = text end
        function wait(condition) return (vim.wait(20000, condition, 5)) end
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
      ]])
    end,
    post_once = child.stop,
  },
})

---shows waits until these were shown, in this order, and no other. The child must not wait itself: it would take no
---keys meanwhile.
local function shows(names)
  await('the question', function() return not child.is_blocked() and child.lua_get('#shown') >= #names end)
  eq(child.lua_get('shown'), names)
end

---ticks lets the queue look some times.
local function ticks()
  child.lua([[
    looked = 0
    local mode = vim.fn.mode
    vim.fn.mode = function(...) looked = looked + 1 return mode(...) end
  ]])
  await('the queue to look', function() return child.lua_get('looked') >= 2 end)
end

T['one comes after the other'] = function()
  child.lua([[for _, name in ipairs({ 'a', 'b', 'c' }) do question(name, float) end]])
  shows({ 'a' })
  ticks()
  shows({ 'a' })
  child.lua([[done.a() done.a()]])
  shows({ 'a', 'b' })
  ticks()
  shows({ 'a', 'b' })
  child.lua([[done.b()]])
  shows({ 'a', 'b', 'c' })
end

T['one that is answered as it is shown makes room at once'] = function()
  child.lua([[for _, name in ipairs({ 'a', 'b', 'c' }) do question(name, function(finish) finish() end) end]])
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
  ticks()
  eq(child.lua_get('shown'), {})
  child.api.nvim_input(out_of)
  shows({ 'a' })
end

T['keys that follow each other keep it away, also in normal mode'] = function()
  child.lua([[
    question('a')
    -- A user who types faster than it looks.
    user = vim.uv.new_timer()
    user:start(0, 20, vim.schedule_wrap(function() vim.api.nvim_input('j') end))
  ]])
  ticks()
  eq(child.lua_get('shown'), {})
  child.lua('user:stop()')
  shows({ 'a' })
end

T['it looks, and listens to keys, only while one waits'] = function()
  child.lua([[
    listeners = vim.on_key()
    started = 0
    local new_timer = vim.uv.new_timer
    vim.uv.new_timer = function() local timer = new_timer() last = timer started = started + 1 return timer end
    question('a', float)
  ]])
  eq(child.lua_get('{ vim.on_key() - listeners, started }'), { 1, 1 })
  shows({ 'a' })
  eq(child.lua_get('wait(function() return last:is_closing() end)'), true)
  eq(child.lua_get('vim.on_key() - listeners'), 0)
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
  ticks()
  eq(child.lua_get('shown'), { 'a', 'b' })
end
T['one that is withdrawn']['is not dropped'] = function()
  child.lua([[withdraw = question('a', float)]])
  shows({ 'a' })
  child.lua(
    [[withdraw() vim.api.nvim_win_close(window, true) gone = false vim.defer_fn(function() gone = true end, 1500)]]
  )
  eq(child.lua_get('wait(function() return gone end)'), true)
  eq(child.lua_get('dropped'), {})
end

T['one that cannot be shown is reported, and makes room'] = function()
  child.lua([[question('a', function() error('no screen') end) question('b')]])
  shows({ 'a', 'b' })
  eq(child.lua_get('wait(function() return #said == 1 end)'), true)
  eq(child.lua_get('said[1]'):match('no screen'), 'no screen')
end

T['Ctrl-C in a list of choices is no error'] = function()
  child.lua([[question('a', function() error('Keyboard interrupt', 0) end) question('b')]])
  shows({ 'a', 'b' })
  eq(child.lua_get('said'), {})
end

T['a callback that is forgotten'] = MiniTest.new_set()
T['a callback that is forgotten']['with its window is dropped'] = function()
  child.lua([[question('a', float) question('b')]])
  shows({ 'a' })
  child.lua([[vim.api.nvim_win_close(window, true)]])
  shows({ 'a', 'b' })
  eq(child.lua_get('wait(function() return #dropped == 1 end)'), true)
  eq(child.lua_get('dropped'), { 'a' })
end
T['a callback that is forgotten']['is dropped though no other waits'] = function()
  child.lua([[question('a', float)]])
  shows({ 'a' })
  child.type_keys(':q<CR>')
  eq(child.lua_get('wait(function() return #dropped == 1 end)'), true)
end
T['a callback that is forgotten']['with a window that is closed in silence is dropped'] = function()
  child.cmd('split')
  child.lua([[question('a', float)]])
  shows({ 'a' })
  child.lua([[vim.cmd(('noautocmd call nvim_win_close(%d, v:true)'):format(window)) vim.cmd('wincmd w')]])
  eq(child.lua_get('wait(function() return #dropped == 1 end)'), true)
end
T['a callback that is forgotten']['is dropped whatever other windows there are'] = function()
  child.lua([[question('a', float)]])
  shows({ 'a' })
  child.cmd('wincmd p | split')
  child.lua([[vim.api.nvim_win_close(window, true)]])
  eq(child.lua_get('wait(function() return #dropped == 1 end)'), true)
end
T['a callback that is forgotten']['by one who never showed a window holds up nobody'] = function()
  child.lua([[question('a') question('b')]])
  shows({ 'a', 'b' })
  eq(child.lua_get('dropped'), {})
end

T['one that is still there is not dropped'] = MiniTest.new_set()
---longer lets more time pass than a question without a window has.
local function longer()
  child.lua([[gone = false vim.defer_fn(function() gone = true end, 1500)]])
  eq(child.lua_get('wait(function() return gone end)'), true)
end
local function is_not_dropped()
  longer()
  eq(child.lua_get('{ shown, dropped }'), { { 'a' }, {} })
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
  eq(child.lua_get('wait(function() return #vim.api.nvim_list_wins() == 2 end)'), true)
  is_not_dropped()
end
T['one that is still there is not dropped']['if it is elsewhere, whatever windows come and go'] = function()
  child.lua([[question('a')]])
  shows({ 'a' })
  longer()
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
end

return T
