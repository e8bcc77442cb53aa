-- The life of a project's sidecar, with the real one: who is told may start and stop it at any moment, and every
-- callback comes once.
local World = require('world')
local eq = MiniTest.expect.equality

local world ---@type mcp_sidecar.test.World
local T = MiniTest.new_set({ hooks = World.hooks(function(opened) world = opened end) })

---neovim starts one that keeps what it is notified of and the phases that two listeners are told.
---@param options? table
local function neovim(options)
  local child = world:attentive(options)
  child.lua([[
    outcomes, phases, seen = {}, {}, {}
    function outcome_of(name)
      outcomes[name] = {}
      return function(err) table.insert(outcomes[name], err and err.message or 'ok') end
    end
    -- once calls a function at the first event for which it says so, before any other listener.
    function once(event, says, fn)
      local off
      off = mcp.on(event, function(data)
        if not says(data) then return end
        off()
        fn(data)
      end)
    end
    function call(callback) return mcp.call({ server = 'a', tool = 'echo' }, nil, nil, callback) end
    function at(phase, fn) once('state', function(view) return view.phase == phase end, fn) end
    function keep(list)
      mcp.on('state', function(view) if list[#list] ~= view.phase then table.insert(list, view.phase) end end)
    end
  ]])
  return child
end

---settled waits until all callbacks were called, and gives what they got; that each comes once shows later.
local function settled(child)
  child.await([[return vim.iter(pairs(outcomes)):all(function(_, got) return #got > 0 end)]])
  return child.lua('return outcomes')
end

---no_sidecar waits until none is left.
local function no_sidecar()
  local function is_sidecar(process) return process.command == vim.env.MCP_SIDECAR_TEST_BINARY end
  require('patience').await(
    'the sidecar to end',
    function() return not vim.iter(world:processes()):any(is_sidecar) end
  )
end

local function phase(child, wanted) child.await('return mcp.status().phase == ...', wanted) end

T['a listener that stops it when it starts'] = function()
  world:user_servers({ a = 'tool echo' })
  local child = neovim()
  child.lua([[
    at('starting', function() mcp.stop(outcome_of('stop')) end)
    keep(phases)
    mcp.start(outcome_of('start'))
    call(outcome_of('call'))
  ]])
  -- The call came after the stop, and started it again.
  eq(settled(child), { start = { 'the sidecar was stopped' }, stop = { 'ok' }, call = { 'ok' } })
  phase(child, 'running')
  eq(child.lua('return phases'), { 'starting', 'stopped', 'starting', 'running' })
  eq(world.hub:count('a started'), 1)
end

T['a listener that stops it when it is open'] = function()
  world:user_servers({ a = 'tool echo' })
  local child = neovim()
  child.lua([[
    at('running', function() mcp.stop(outcome_of('stop')) end)
    keep(phases)
    call(outcome_of('call'))
  ]])
  eq(settled(child), { stop = { 'ok' }, call = { 'the sidecar was stopped' } })
  phase(child, 'stopped')
  -- Both listeners hear the same, in the same order.
  eq(
    child.lua('return { phases, mcp.status().calls }'),
    { { 'stopped', 'starting', 'running', 'stopped' }, 0 }
  )
  world.hub:empty()
end

T['a listener that starts it when it is stopped'] = function()
  world:user_servers({ a = 'tool echo' })
  local child = neovim()
  child.lua([[
    keep(phases)
    mcp.start(outcome_of('first'))
  ]])
  world.hub:saw('a started')
  child.lua([[
    at('stopped', function() mcp.start(outcome_of('second')) end)
    mcp.stop(outcome_of('stop'))
  ]])
  eq(settled(child), { first = { 'ok' }, stop = { 'ok' }, second = { 'ok' } })
  world.hub:saw('a started')
  phase(child, 'running')
  local trace = world.hub:trace()
  -- Not before the former one was gone.
  eq(
    { trace:find('a gone', 1, true) < trace:find('a started', trace:find('a started', 1, true) + 1, true) },
    { true }
  )
end

T['a call whose failure makes another call'] = function()
  world:user_servers({ a = 'tool echo\non tools/call echo\n  hold call\n  default' })
  local child = neovim()
  child.lua([[
    local function again(err)
      outcome_of('first')(err)
      call(outcome_of('second'))
    end
    call(again)
  ]])
  world.hub:saw('a holding call')
  child.lua([[mcp.stop(outcome_of('stop'))]])
  world.hub:saw('a holding call')
  world.hub:release('a', 'call')
  eq(settled(child), { first = { 'the sidecar was stopped' }, stop = { 'ok' }, second = { 'ok' } })
  eq(child.lua('return mcp.status().calls'), 0)
end

T['started, stopped and restarted in one breath'] = function()
  world:user_servers({ a = 'tool echo' })
  local child = neovim()
  child.lua([[
    local session = require('mcp_sidecar.sessions').current()
    session:start(outcome_of('start 1'))
    session:stop(outcome_of('stop 1'))
    session:start(outcome_of('start 2'))
    session:restart(outcome_of('restart'))
    session:stop(outcome_of('stop 2'))
    session:stop(outcome_of('stop 3'))
    session:start(outcome_of('start 3'))
    session:start(outcome_of('start 4'))
  ]])
  local stopped = 'the sidecar was stopped'
  eq(settled(child), {
    ['start 1'] = { stopped },
    ['stop 1'] = { 'ok' },
    ['start 2'] = { stopped },
    restart = { stopped },
    ['stop 2'] = { 'ok' },
    ['stop 3'] = { 'ok' },
    ['start 3'] = { 'ok' },
    ['start 4'] = { 'ok' },
  })
  world.hub:saw('a started')
  child.lua([[outcomes = {} mcp.stop(outcome_of('end'))]])
  eq(settled(child), { ['end'] = { 'ok' } })
  world.hub:empty()
  eq(child.lua('return notes'), {})
end

T['a request that is cancelled before the sidecar runs is not made'] = function()
  world:user_servers({ a = 'tool echo' })
  local child = neovim()
  child.lua([[
    local cancel = call(outcome_of('call'))
    cancel()
    cancel()
    mcp.start(outcome_of('start'))
  ]])
  eq(settled(child), { call = { 'the request was cancelled before it was sent' }, start = { 'ok' } })
  eq({ child.lua('return mcp.status().calls'), world.hub:count('a got tools/call') }, { 0, 0 })
end

T['a sidecar that crashes is started again, and its tools stay'] = function()
  world:user_servers({ a = 'tool echo\non tools/call echo\n  hold call' })
  local child = neovim()
  child.lua([[
    keep(phases)
    mcp.on('tools_changed', function(change) table.insert(seen, { change.reason, #change.removed }) end)
    call(outcome_of('call'))
  ]])
  world.hub:saw('a holding call')
  -- Its tools are remembered: the next sidecar has them at once.
  local kept = vim.fs.joinpath(world.dir, 'cache')
  require('patience').await('the cache', function() return vim.fn.globpath(kept, '**/tools/*') ~= '' end)
  for _, process in ipairs(world:processes()) do
    if process.command == vim.env.MCP_SIDECAR_TEST_BINARY then vim.uv.kill(process.pid, 'sigkill') end
  end
  child.await('return #phases == 5')
  world.hub:saw('a started')
  world.hub:saw('a started')
  child.await([[return mcp.servers()[1].phase == 'ready']])
  eq(child.lua('return phases'), { 'stopped', 'starting', 'running', 'starting', 'running' })
  for _, change in ipairs(child.lua('return seen')) do
    eq(change[2], 0)
  end
  local got = settled(child).call
  eq({ #got, got[1]:match('was killed by signal 9') }, { 1, 'was killed by signal 9' })
  eq(child.lua('return { #notes, notes[1][2], notes[1][1]:match("It is started again%.$") }'), {
    1,
    vim.log.levels.ERROR,
    'It is started again.',
  })
end

T['what is switched while it starts counts'] = function()
  world:user_servers({ a = 'tool one\ntool two' })
  local child = neovim()
  child.lua([[
    mcp.start(outcome_of('start'))
    mcp.toggle('a/one', outcome_of('toggle'))
  ]])
  eq(settled(child), { start = { 'ok' }, toggle = { 'ok' } })
  child.await([[return #mcp.tools() == 1 and mcp.tools()[1].definition.name == 'two']])
end

T['a file of switches that is broken is told'] = function()
  world:user_servers({ a = 'tool one' })
  local path = world:write('state/nvim/mcp_sidecar/disabled.json', '{')
  local child = neovim()
  child.lua([[mcp.toggle('a/one')]])
  local notes = child.lua('return notes')
  local why = path .. ' is not the JSON that is written there: repair or remove it'
  eq(notes, {
    { 'mcp-sidecar: it is not known what is switched off: ' .. why, vim.log.levels.WARN },
    { 'mcp-sidecar: cannot remember what is switched off: ' .. why, vim.log.levels.WARN },
  })
  eq(child.lua('return mcp.status().disabled'), { 'a/one' })
end

T['an editor that ends starts nothing more'] = function()
  world:user_servers({ a = 'tool echo\non tools/call echo\n  hold call' })
  local child = neovim()
  child.lua([[
    call(function(err)
      call()
      vim.fn.writefile({ err.message }, 'told')
    end)
  ]])
  world.hub:saw('a holding call')
  pcall(child.cmd, 'qa!')
  world:empty()
  eq(vim.fn.readfile(world.project .. '/told'), { 'the sidecar was stopped' })
  eq(world.hub:count('a started'), 1)
end

---A program in the place of the sidecar, and what is said of it: once for each time that it is started. PROGRAM stands
---for its path.
local STANDINS = {
  {
    'nothing at all',
    '#!/bin/sh\nexit 3\n',
    'the sidecar (PROGRAM) ended with exit code 3 before it said anything',
  },
  {
    'no protocol',
    '#!/bin/sh\necho usage: x\necho try --help >&2\n',
    'PROGRAM does not speak the protocol: it printed "usage: x\\n"\n  stderr: try --help',
  },
  {
    'no interpreter',
    '#!/no/such\n',
    'cannot start PROGRAM: ENOENT: no such file or directory. It is there: the interpreter in its first line, '
      .. 'or the loader that it is built for, is not',
    2,
  },
  {
    'its own words again',
    '#!/bin/sh\ncat\n',
    'the sidecar only repeats what it is sent: it is not mcp-sidecar',
  },
  {
    'never a word',
    '#!/bin/sh\nexec sleep 1000\n',
    'PROGRAM has said nothing in 0.1 seconds. Is it mcp-sidecar?',
  },
  {
    'another version',
    [[#!/bin/sh
body='{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":99,"sidecar":{"name":"x","version":"9"},"methods":[]}}'
printf 'Content-Length: %d\r\n\r\n%s' ${#body} "$body"
cat >/dev/null
]],
    'this plugin speaks version 1 of the protocol, mcp-sidecar 99: install a matching one',
  },
}

T['a program that is no sidecar is told once, and everybody who waits gets it'] = MiniTest.new_set({
  parametrize = STANDINS,
})

T['a program that is no sidecar is told once, and everybody who waits gets it']['test'] = function(
  _,
  text,
  message,
  starts
)
  local program = world:script('standin', text)
  local child = neovim({ binary = program })
  child.lua([[
    require('mcp_sidecar.session').SILENCE_MS = 100
    mcp.start(outcome_of('start'))
    call(outcome_of('call'))
  ]])
  message = message:gsub('PROGRAM', (program:gsub('%%', '%%%%')))
  eq(settled(child), { start = { message }, call = { message } })
  eq(
    child.lua('return { mcp.status().phase, mcp.status().error, #notes }'),
    { 'failed', message, starts or 1 }
  )
  eq(child.lua('return notes[1]'), { 'mcp-sidecar: ' .. message, vim.log.levels.ERROR })
end

T['settings that the sidecar refuses are told'] = function()
  local child = neovim({ settings = { startup = { gateMs = 'soon' } } })
  child.lua([[mcp.start(outcome_of('start'))]])
  local got = settled(child).start
  eq({ #got, got[1]:match('settings%.startup%.gateMs') }, { 1, 'settings.startup.gateMs' })
  phase(child, 'failed')
  no_sidecar()
end

T['a project that is gone is told'] = function()
  local child = neovim()
  child.lua([[mcp.start(outcome_of('start'), { root = '/no/such/project' })]])
  eq(settled(child), { start = { "the project's directory /no/such/project does not exist" } })
end

return T
