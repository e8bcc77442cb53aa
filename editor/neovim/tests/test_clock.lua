-- The clock of the tests runs timers as libuv does, but for the time they take.
local Clock = require('clock')
local eq = MiniTest.expect.equality

local clock ---@type mcp_sidecar.test.Clock
local T = MiniTest.new_set()
T['here'] = MiniTest.new_set({
  hooks = {
    pre_case = function() clock = Clock.install() end,
    post_case = function() clock:remove() end,
  },
})

---A notebook of what happens, with the time since it was begun.
local function notebook()
  local began, notes = vim.uv.now(), {}
  local function note(what) notes[#notes + 1] = ('%d %s'):format(vim.uv.now() - began, what) end
  return notes, note
end

---@return uv.uv_timer_t
local function timer(after, period, callback)
  local one = assert(vim.uv.new_timer())
  one:start(after, period, callback)
  return one
end

T['here']['timers run in the order in which they are due'] = function()
  local notes, note = notebook()
  for _, row in ipairs({ { 'd', 20 }, { 'a', 10 }, { 'b', 10 }, { 'e', 30 }, { 'now', 0 } }) do
    timer(row[2], 0, function() note(row[1]) end)
  end
  eq(notes, {})
  clock:advance(0)
  eq(notes, { '0 now' })
  clock:advance(19)
  eq(notes, { '0 now', '10 a', '10 b' })
  clock:advance(1)
  eq(notes, { '0 now', '10 a', '10 b', '20 d' })
end

T['here']['a timer that repeats keeps its pace until it is stopped'] = function()
  local notes, note = notebook()
  local count, one = 0, nil
  one = timer(5, 10, function()
    note('tick')
    count = count + 1
    if count == 3 then one:stop() end
  end)
  eq({ one:is_active(), one:is_closing() }, { true, false })
  clock:advance(100)
  eq(notes, { '5 tick', '15 tick', '25 tick' })
  eq({ one:is_active(), one:is_closing() }, { false, false })
  one:start(1, 0, function() note('again') end)
  clock:advance(1)
  eq({ notes[4], one:is_active() }, { '101 again', false })
end

T['here']['one that is started anew, stopped or closed does not run as it was'] = function()
  local notes, note = notebook()
  local anew = timer(10, 0, function() note('old') end)
  local closed = timer(20, 0, function() note('closed') end)
  local stopped = timer(20, 0, function() note('stopped') end)
  anew:start(15, 0, function()
    note('new')
    closed:close()
    stopped:stop()
    timer(2, 0, function() note('of a timer') end)
  end)
  clock:advance(30)
  eq(notes, { '15 new', '17 of a timer' })
  eq({ closed:is_closing(), closed:is_active(), stopped:is_closing() }, { true, false, false })
  eq({ pcall(closed.start, closed, 0, 0, function() end), (pcall(closed.close, closed)) }, { false, false })
end

T['here']['callbacks may do only what is api-fast, and what they schedule comes before the next'] = function()
  local notes, note = notebook()
  local function fast() return vim.in_fast_event() and 'fast' or 'slow' end
  timer(10, 0, function()
    note(fast())
    vim.schedule(function()
      note(fast())
      vim.schedule(function() note('later') end)
    end)
  end)
  timer(11, 0, function() note(fast()) end)
  clock:advance(11)
  eq(notes, { '10 fast', '10 slow', '10 later', '11 fast' })
end

T['here']['deferred functions wait for it'] = function()
  local notes, note = notebook()
  vim.defer_fn(function() note(vim.in_fast_event() and 'fast' or 'slow') end, 10)
  clock:advance(9)
  eq(notes, {})
  clock:advance(1)
  eq(notes, { '10 slow' })
end

T['here']['both clocks tell it'] = function()
  local ms, ns = vim.uv.now(), vim.uv.hrtime()
  clock:advance(1500)
  eq({ vim.uv.now() - ms, vim.uv.hrtime() - ns }, { 1500, 1500 * 1e6 })
end

local child = MiniTest.new_child_neovim()
T['in a child'] = MiniTest.new_set({
  hooks = {
    pre_case = function()
      child.restart({ '-u', 'tests/minit.lua' })
      clock = Clock.install_in(child)
      child.lua([[
        notes, began = {}, vim.uv.now()
        function note(what) notes[#notes + 1] = ('%d %s'):format(vim.uv.now() - began, what) end
        timer = vim.uv.new_timer()
      ]])
    end,
    post_once = child.stop,
  },
})

T['in a child']['keys are taken in time'] = function()
  child.lua([[
    vim.on_key(function(_, typed) if typed and typed ~= '' then note(typed) end end)
    timer:start(10, 10, vim.schedule_wrap(function() note(vim.fn.mode()) end))
  ]])
  child.type_keys('i')
  clock:advance(10)
  child.type_keys('x')
  clock:advance(15)
  eq(child.lua_get('notes'), { '0 i', '10 i', '10 x', '20 i' })
end

T['in a child']['time goes on while a line is typed, and not while a key is waited for'] = function()
  child.lua([[
    timer:start(10, 10, function() note('tick') end)
    vim.defer_fn(function() note(vim.fn.input('> ')) end, 15)
  ]])
  clock:advance(30)
  eq({ child.fn.mode(), child.lua_get('notes') }, { 'c', { '10 tick', '20 tick', '30 tick' } })
  child.type_keys('x<CR>')
  eq(child.lua_get('notes[4]'), '30 x')
  -- The letter that takes the place of another.
  child.lua([[vim.defer_fn(function() vim.api.nvim_input('r') end, 15)]])
  clock:advance(15)
  eq(child.is_blocked(), true)
  eq({ pcall(clock.advance, clock, 1) }, { false, 'Neovim waits for a key, and 1 ms are left' })
  child.api.nvim_input('<Esc>')
  clock:advance(5)
  eq(child.lua_get('vim.list_slice(notes, 5)'), { '40 tick', '50 tick' })
end

return T
