-- What each message makes of the tools that a host knows. Values are never changed: the tests look at the old ones.
local toolset = require('mcp_sidecar.toolset')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

local function tool(name, more)
  return vim.tbl_extend(
    'force',
    { name = name, server = name:sub(1, 1), tool = name, state = 'live' },
    more or {}
  )
end

local function names(tools)
  return vim.tbl_map(function(one) return one.name end, tools)
end

local function snapshot(revision, tools, more)
  return vim.tbl_extend('force', {
    revision = revision,
    hash = 'h' .. revision,
    tools = tools,
    servers = {},
    errors = {},
  }, more or {})
end

local function push(previous, revision, more)
  return vim.tbl_extend('force', {
    previousRevision = previous,
    revision = revision,
    hash = 'h' .. revision,
    added = {},
    updated = {},
    removed = {},
    servers = {},
    reason = 'reconnect',
  }, more or {})
end

local function start(...) return (toolset.after_snapshot(toolset.NOTHING, snapshot(1, { ... }), 'snapshot')) end

T['the first snapshot is no change, and is sorted by bytes'] = function()
  local set, change = toolset.after_snapshot(
    toolset.NOTHING,
    snapshot(
      4,
      { tool('b'), tool('_'), tool('B'), tool('é'), tool('a') },
      { exaApiKeys = { 'k' }, errors = { 1 } }
    ),
    'snapshot'
  )
  eq({ names(set.tools), change }, { { 'B', '_', 'a', 'b', 'é' } })
  eq({ set.revision, set.hash, set.exa_api_keys, set.errors }, { 4, 'h4', { 'k' }, { 1 } })
  eq(toolset.NOTHING, { revision = 0, hash = '', tools = {}, servers = {}, errors = {}, exa_api_keys = {} })
end

T['a push that follows is applied and told as it says'] = function()
  local before = start(tool('a'), tool('b'), tool('c'))
  local told = push(1, 2, {
    added = { tool('bb') },
    updated = { tool('c', { title = 'new' }) },
    removed = { 'a' },
    servers = { 'a', 'b', 'c' },
  })
  local set, change = toolset.after_push(before, told)
  eq(names(set.tools), { 'b', 'bb', 'c' })
  eq(set.tools[3].title, 'new')
  eq({ names(before.tools), before.tools[3].title }, { { 'a', 'b', 'c' } })
  eq(change, {
    tools = set.tools,
    added = told.added,
    updated = told.updated,
    removed = { 'a' },
    servers = { 'a', 'b', 'c' },
    reason = 'reconnect',
    revision = 2,
    hash = 'h2',
  })
end

T['a push may say nothing, repeat itself, and add what is there'] = function()
  local before = start(tool('a'))
  local set, change = toolset.after_push(before, push(1, 2))
  eq({ set.revision, names(set.tools), change.added }, { 2, { 'a' }, {} })
  set =
    toolset.after_push(before, push(1, 2, { added = { tool('a', { title = 'x' }) }, removed = { 'a', 'z' } }))
  eq({ names(set.tools), set.tools[1].title }, { { 'a' }, 'x' })
end

T['a stale push is nothing; one that is ahead is a gap'] = function()
  local set = toolset.after_snapshot(toolset.NOTHING, snapshot(5, {}), 'snapshot')
  for _, revision in ipairs({ 0, 1, 5 }) do
    local after, change = toolset.after_push(set, push(revision - 1, revision, { added = { tool('a') } }))
    eq({ after == set, change }, { true })
  end
  eq({ toolset.after_push(set, push(6, 7)) }, { 'gap' })
  eq({ toolset.after_push(set, push(4, 7)) }, { 'gap' })
  eq({ toolset.after_push(toolset.NOTHING, push(1, 2)) }, { 'gap' })
  local first, change = toolset.after_push(toolset.NOTHING, push(0, 1, { added = { tool('a') } }))
  eq({ names(first.tools), change.revision }, { { 'a' }, 1 })
end

T['a snapshot is told as what is different, but for states'] = function()
  local before = start(tool('a'), tool('b'), tool('c'), tool('d'))
  local after, change = toolset.after_snapshot(
    before,
    snapshot(3, {
      tool('d', { state = 'deferred' }),
      tool('e'),
      tool('a'),
      tool('b', { title = 'new', state = 'deferred' }),
    }),
    'reload'
  )
  eq({ names(change.added), names(change.updated), change.removed }, { { 'e' }, { 'b' }, { 'c' } })
  eq({ change.servers, change.reason, change.revision }, { { 'b', 'c', 'e' }, 'reload', 3 })
  eq(change.tools == after.tools, true)
  eq(after.tools[1] == before.tools[1], true)
  eq(after.tools[3].state, 'deferred')
  eq(before.tools[4].state, 'live')
end

T['a snapshot of the same set is no change, and keeps the table of tools'] = function()
  local before = start(tool('a'), tool('b'))
  local after, change = toolset.after_snapshot(before, snapshot(1, { tool('b'), tool('a') }), 'snapshot')
  eq({ change, after.tools == before.tools }, { nil, true })
  after, change =
    toolset.after_snapshot(before, snapshot(1, { tool('b', { state = 'deferred' }), tool('a') }), 'snapshot')
  eq({ change, after.tools == before.tools, after.tools[2].state }, { nil, false, 'deferred' })
  eq(before.tools[2].state, 'live')
end

T['a snapshot that is older than what is known is nothing'] = function()
  local set = toolset.after_snapshot(toolset.NOTHING, snapshot(5, { tool('a') }), 'snapshot')
  local after, change = toolset.after_snapshot(set, snapshot(4, {}), 'snapshot')
  eq({ after == set, change }, { true })
end

T['a session that is started anew is told as one difference'] = function()
  local old = start(tool('a'), tool('b')).tools
  local again = start(tool('a'), tool('b'))
  eq(toolset.between(old, again, 'snapshot'), nil)
  local change = toolset.between(old, start(tool('b', { title = 'x' }), tool('c')), 'snapshot')
  eq({ names(change.added), names(change.updated), change.removed }, { { 'c' }, { 'b' }, { 'a' } })
  change = toolset.between(old, toolset.NOTHING, 'stopped')
  eq({ change.removed, change.tools, change.revision, change.reason }, { { 'a', 'b' }, {}, 0, 'stopped' })
  eq(toolset.between({}, toolset.NOTHING, 'stopped'), nil)
end

local function server(name, more)
  return vim.tbl_extend(
    'force',
    { name = name, phase = 'ready', tools = { from = 'live', count = 1 } },
    more or {}
  )
end

T['a status replaces the record of its server, and says where its tools are from'] = function()
  local before = start(tool('a1'), tool('a2', { state = 'deferred' }), tool('b1'))
  local set = toolset.after_status(before, server('b'))
  set = toolset.after_status(set, server('a', { tools = { from = 'cache', count = 2 } }))
  eq({ names(set.servers), set.tools[1].state, set.tools[2].state, set.tools[3].state }, {
    { 'a', 'b' },
    'deferred',
    'deferred',
    'live',
  })
  eq(set.tools[3] == before.tools[3], true)
  local live = toolset.after_status(set, server('a'))
  eq({ live.tools[1].state, live.tools[2].state, set.tools[1].state }, { 'live', 'live', 'deferred' })
  eq(toolset.after_status(live, server('a')).tools == live.tools, true)
  eq(
    toolset.after_status(live, server('a', { tools = { from = 'later', count = 0 } })).tools == live.tools,
    true
  )
  eq({ set.revision, set.hash }, { before.revision, before.hash })
end

T['a server that was removed is gone'] = function()
  local set = toolset.after_status(toolset.after_status(start(), server('a')), server('b'))
  eq(
    names(
      toolset.after_status(set, server('a', { phase = 'removed', tools = { from = 'none', count = 0 } })).servers
    ),
    { 'b' }
  )
  eq(names(set.servers), { 'a', 'b' })
end

T['diagnostics are the whole list'] = function()
  local set = toolset.after_diagnostics(start(tool('a')), { { error = 'x' } })
  eq({ set.errors, names(set.tools) }, { { { error = 'x' } }, { 'a' } })
  eq(toolset.after_diagnostics(set, {}).errors, {})
end

return T
