-- `require('mcp_sidecar').co` and the coroutines that use it, in real Neovims with the real sidecar.
local World = require('world')
local eq = MiniTest.expect.equality

local world ---@type mcp_sidecar.test.World
local T = MiniTest.new_set({ hooks = World.hooks(function(opened) world = opened end) })

local ECHO = 'tool echo'

T['a coroutine that somebody else resumes waits on'] = function()
  world:user_servers({ a = ECHO .. '\non tools/call echo\n  hold go\n  default' })
  local child = world:attentive()
  child.lua([[
    thread = coroutine.create(function()
      local outcome, err = mcp.co.call({ server = 'a', tool = 'echo' }, { n = 1 })
      first = outcome and outcome.result.content[1].text or err
      stray = { coroutine.yield('mine') }
    end)
    strays = { coroutine.resume(thread) }
    for _ = 1, 3 do
      vim.list_extend(strays, { coroutine.resume(thread, nil, { result = 'no answer' }) })
    end
  ]])
  eq(child.lua_get('strays'), { true, true, true, true })
  world.hub:saw('a holding go')
  child.lua([[coroutine.resume(thread, 'nor this')]])
  eq(child.lua_get('{ first == nil, coroutine.status(thread) }'), { true, 'suspended' })
  world.hub:release('a', 'go')
  eq(child.await('return first'), 'echo {"n":1}')
  -- What it waits for after that is not ours.
  eq(child.lua_get('{ stray == nil, coroutine.status(thread) }'), { true, 'suspended' })
  child.lua([[coroutine.resume(thread, 'theirs')]])
  eq(child.lua_get('{ stray, coroutine.status(thread) }'), { { 'theirs' }, 'dead' })
end

T['an error in a coroutine is shown with its traceback, and hurts nobody else'] = function()
  world:user_servers({ a = ECHO })
  local child = world:attentive()
  child.lua([[
    function careless()
      mcp.co.start()
      error('my mistake')
    end
    coroutine.wrap(function() careless() end)()
    coroutine.wrap(function() mcp.co.start() second = 'started' end)()
    mcp.start(function() third = 'started' end)
  ]])
  child.await('return #notes > 0')
  eq(child.lua_get('{ second, third, #notes }'), { 'started', 'started', 1 })
  local note = child.lua_get('notes[1]')
  eq(note[1]:find("a coroutine failed: .*my mistake.*stack traceback:.*in function 'careless'") ~= nil, true)
  eq(note[2], vim.log.levels.ERROR)
end

T['outside of a coroutine, its functions throw where they are called'] = function()
  local child = world:attentive()
  for _, name in ipairs(child.lua_get('vim.tbl_keys(mcp.co)')) do
    local said = child.lua(
      ("return select(2, pcall(loadstring([[local r = mcp.co.%s('x') return r]], '@mine.lua')))"):format(name)
    )
    eq(said, 'mine.lua:1: mcp_sidecar.co: not in a coroutine')
  end
  eq(child.lua_get('mcp.status().phase'), 'stopped')
end

T['one coroutine makes several requests, in turn'] = function()
  world:user_servers({ a = ECHO, b = 'tool look' })
  local child = world:attentive()
  child.lua([[
    coroutine.wrap(function()
      local log = {}
      local function note(result, err) log[#log + 1] = err and err.message or result end
      note(select('#', mcp.co.start()))
      note((mcp.co.request('mcp/wait')).connected)
      note((mcp.co.disconnect('b')).phase)
      note((mcp.co.connect('b')).phase)
      note(select(2, mcp.co.toggle('b')) or 'toggled')
      note(#mcp.tools())
      mcp.co.stop()
      note(mcp.status().phase)
      trail = log
    end)()
  ]])
  local trail = child.await('return trail')
  eq({ trail[1], trail[3], trail[4], trail[5], trail[6], trail[7] }, {
    2,
    'stopped',
    'ready',
    'toggled',
    1,
    'stopped',
  })
end

return T
