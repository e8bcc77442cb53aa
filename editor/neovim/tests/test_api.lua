-- What `require('mcp_sidecar')` offers, in real Neovims with the real sidecar: every function, its form for
-- coroutines, its errors, and what names a project.
local World = require('world')
local eq = MiniTest.expect.equality

local world ---@type mcp_sidecar.test.World
local T = MiniTest.new_set({ hooks = World.hooks(function(opened) world = opened end) })

---neovim starts one. There, `request` makes a request that is given as text, with
---`done` for a callback or in its form for coroutines, and keeps how it `ends`: { result, err }.
---@param options? table
local function neovim(options)
  local child = world:attentive(options)
  child.lua([[
    function request(text)
      ends = nil
      local chunk = assert(loadstring('local done = ... return ' .. text))
      if not text:find('^mcp%.co%.') then return chunk(function(err, result) ends = { result, err } end) end
      coroutine.wrap(function() ends = { chunk() } end)()
    end
  ]])
  return child
end

---ended makes a request, in the form that its text has, waits for its end, and gives what `show` makes of that.
---@param text string of Lua; `done` is the callback
---@param show string of Lua, with `result` and `err`
local function ended(child, text, show)
  child.lua('request(...)', { text })
  child.await('return ends ~= nil')
  return child.lua('local result, err = ends[1], ends[2] return ' .. show)
end

local ECHO = 'tool echo'

T['what only reads starts nothing'] = function()
  world:user_servers({ a = ECHO })
  local child = neovim()
  local seen = child.lua([[
    local off = mcp.on('state', function() end)
    off()
    return { mcp.tools(), mcp.servers(), mcp.status().phase, mcp.status().calls, mcp.statusline() }
  ]])
  eq(seen, { {}, {}, 'stopped', 0, '' })
  child.lua([[mcp.toggle('a', function(err) toggled = { err } end)]])
  eq(child.await('return toggled'), {})
  eq(child.lua_get('mcp.status().phase'), 'stopped')
  eq(child.lua_get('mcp.status().disabled'), { 'a' })
  eq(world.hub:count('a'), 0)
end

---Requests that go well: with a callback, in a coroutine, and what is looked at of their results.
local GOOD = {
  {
    "mcp.call('mcp_a_echo', { n = 1 }, nil, done)",
    "mcp.co.call('mcp_a_echo', { n = 1 })",
    'result.result.content[1].text',
    'echo {"n":1}',
  },
  {
    "mcp.call({ server = 'a', tool = 'echo' }, '{\"n\":12345678901234567890}', { timeout_ms = 9000 }, done)",
    "mcp.co.call({ server = 'a', tool = 'echo' }, '{\"n\":12345678901234567890}')",
    'result.json',
    '{"content":[{"type":"text","text":"echo {\\"n\\":12345678901234567890}"}]}',
  },
  {
    "mcp.request('mcp/servers', nil, done)",
    "mcp.co.request('mcp/servers')",
    'vim.tbl_map(function(server) return server.name end, result.servers)',
    { 'a', 'b' },
  },
  {
    "mcp.connect('a', nil, done)",
    "mcp.co.connect('a')",
    '{ result.name, result.phase }',
    { 'a', 'ready' },
  },
  {
    "mcp.connect('a', { restart = true }, done)",
    "mcp.co.connect('a', { restart = true })",
    '{ result.name, result.phase }',
    { 'a', 'ready' },
  },
  {
    "mcp.reload('changed', done)",
    "mcp.co.reload('changed')",
    '{ #result.servers, #result.tools }',
    { 2, 2 },
  },
  { 'mcp.share(done)', 'mcp.co.share()', "type(result) == 'string' and result:match('^%w+:')", 'unix:' },
  { 'mcp.start(done)', 'mcp.co.start()', '{ result or "none", err or "none" }', { 'none', 'none' } },
  {
    "mcp.disconnect('a', done)",
    "mcp.co.disconnect('a')",
    '{ result.name, result.phase, #mcp.tools() }',
    { 'a', 'stopped', 1 },
  },
  {
    'mcp.reload(nil, done)',
    'mcp.co.reload()',
    '{ #result.servers, result.errors }',
    { 2, {} },
  },
  {
    "mcp.toggle('b', done)",
    "mcp.co.toggle('b')",
    '{ result or "none", err or "none" }',
    { 'none', 'none' },
  },
  {
    'mcp.stop(done)',
    'mcp.co.stop()',
    '{ result or "none", err or "none", mcp.status().phase, #mcp.tools() }',
    { 'none', 'none', 'stopped', 0 },
  },
}

T['every request has its result, in both forms'] = function()
  world:user_servers({ a = ECHO, b = 'tool look' })
  local child = neovim()
  for _, row in ipairs(GOOD) do
    for _, text in ipairs({ row[1], row[2] }) do
      child.started()
      eq({ text, ended(child, text, row[3]) }, { text, row[4] })
    end
  end
  eq(child.lua_get('notes'), {})
end

T['every function with a callback has a form for coroutines'] = function()
  local child = neovim()
  local taken = {}
  for _, row in ipairs(GOOD) do
    taken[row[2]:match('^mcp%.co%.(%w+)')] = true
  end
  local names = child.lua_get('vim.tbl_keys(mcp.co)')
  table.sort(names)
  local tried = vim.tbl_keys(taken)
  table.sort(tried)
  eq(names, tried)
  for _, name in ipairs(names) do
    eq({ name, child.lua_get(('type(mcp[%q])'):format(name)) }, { name, 'function' })
  end
end

---Requests that do not: what their errors are.
local BAD = {
  { "mcp.call('mcp_a_ecko', nil, nil, done)", "mcp.co.call('mcp_a_ecko')", 'response', 1001, 'mcp_a_echo' },
  { 'mcp.call(7, nil, nil, done)', 'mcp.co.call(7)', 'argument', nil, 'called by its name' },
  {
    "mcp.call('mcp_a_echo', '{', nil, done)",
    "mcp.co.call('mcp_a_echo', '{')",
    'argument',
    nil,
    'JSON',
  },
  {
    "mcp.call('mcp_a_echo', print, nil, done)",
    "mcp.co.call('mcp_a_echo', print)",
    'argument',
    nil,
    'are an object',
  },
  { "mcp.request('no/such', nil, done)", "mcp.co.request('no/such')", 'response', -32601, 'no/such' },
  { "mcp.connect('x', nil, done)", "mcp.co.connect('x')", 'response', 1002, '"x"' },
  { "mcp.disconnect('x', done)", "mcp.co.disconnect('x')", 'response', 1002, '"x"' },
  { "mcp.reload('half', done)", "mcp.co.reload('half')", 'response', -32602, 'half' },
  { 'mcp.connect(nil, nil, done)', 'mcp.co.connect(nil)', 'response', 1002, 'server' },
}

T['every refusal is an error, in both forms'] = function()
  world:user_servers({ a = ECHO })
  local child = neovim()
  child.started()
  for _, row in ipairs(BAD) do
    for _, text in ipairs({ row[1], row[2] }) do
      local got = ended(child, text, '{ err.kind, err.code or "none", tostring(err), result == nil }')
      if got[3]:find(row[5], 1, true) then got[3] = row[5] end
      eq({ text, got }, { text, { row[3], row[4] or 'none', row[5], true } })
    end
  end
end

T['a session that cannot start is an error for all that need it, at once and in both forms'] = function()
  local child = neovim({ binary = '/no/such/program' })
  local requests = {
    ["mcp.call('x', nil, nil, done)"] = "mcp.co.call('x')",
    ["mcp.request('mcp/servers', nil, done)"] = "mcp.co.request('mcp/servers')",
    ["mcp.connect('x', nil, done)"] = "mcp.co.connect('x')",
    ["mcp.disconnect('x', done)"] = "mcp.co.disconnect('x')",
    ['mcp.reload(nil, done)'] = 'mcp.co.reload()',
    ['mcp.share(done)'] = 'mcp.co.share()',
    ['mcp.start(done)'] = 'mcp.co.start()',
  }
  for with_callback, in_coroutine in pairs(requests) do
    -- The callback comes before the function returns: nothing has to be awaited.
    for _, text in ipairs({ with_callback, in_coroutine }) do
      local got = child.lua('request(...) return ends and { ends[2].kind, ends[2].reported }', { text })
      eq({ text, got }, { text, { 'closed', true } })
    end
  end
  eq(child.lua_get('mcp.status().phase'), 'failed')
  -- stop and toggle need no sidecar.
  eq(ended(child, 'mcp.co.stop()', 'mcp.status().phase'), 'stopped')
end

T['start comes when there are tools, stop when nothing is left'] = function()
  world:user_servers({ a = ECHO })
  local child = neovim()
  child.lua([[mcp.start(function(err) phase = err or mcp.status().phase end)]])
  eq(child.await('return phase'), 'running')
  child.started()
  eq(#world.hub:pids('a'), 1)
  child.lua([[mcp.stop(function() gone = true end)]])
  eq(child.lua_get('mcp.status().phase'), 'stopped')
  child.await('return gone')
  world.hub:empty()
  eq(child.lua_get('{ mcp.tools(), mcp.servers() }'), { {}, {} })
  -- Again, and with nothing to stop.
  child.lua([[gone = nil mcp.stop(function() gone = true end)]])
  child.await('return gone')
end

T['who waits while it is stopped is told so'] = function()
  world:user_servers({ a = ECHO .. '\non tools/call echo\n  hold forever' })
  local child = neovim()
  child.lua([[
    mcp.call({ server = 'a', tool = 'echo' }, nil, nil, function(err) first = err end)
    coroutine.wrap(function() _, second = mcp.co.call({ server = 'a', tool = 'echo' }) end)()
  ]])
  world.hub:saw('a got tools/call echo')
  world.hub:saw('a got tools/call echo')
  eq(child.lua_get('mcp.status().calls'), 2)
  child.lua('mcp.stop()')
  child.await('return first and second')
  eq(child.lua_get('{ first.kind, second.kind, mcp.status().calls }'), { 'closed', 'closed', 0 })
end

T['what a request returns abandons it, once'] = function()
  world:user_servers({ a = ECHO .. '\non tools/call echo\n  progress 1 2 half\n  hold forever' })
  local child = neovim()
  child.started()
  child.lua([[
    told, progress = {}, {}
    cancel = mcp.call('mcp_a_echo', nil, {
      on_progress = function(value) table.insert(progress, value) end,
    }, function(err) table.insert(told, err.kind) end)
  ]])
  child.await('return progress[1]')
  eq(child.lua_get('progress[1]'), { progress = 1, total = 2, message = 'half' })
  child.lua('cancel() cancel()')
  eq(child.lua_get('told'), { 'cancelled' })
  eq(child.lua_get('mcp.status().calls'), 0)
end

T['events come with their data, to functions and as autocommands'] = function()
  world:user_servers({ a = ECHO })
  local child = neovim()
  child.lua([[
    seen, heard = { McpToolsChanged = {}, McpStatus = {} }, { tools_changed = {}, status = {}, state = {} }
    vim.api.nvim_create_autocmd('User', { pattern = 'Mcp*', callback = function(event)
      table.insert(seen[event.match], event.data)
    end })
    vim.api.nvim_create_autocmd('User', { pattern = 'McpStatus', callback = function() error('mine') end })
    mcp.on('status', function() error('mine, too') end)
    offs = {}
    for event, list in pairs(heard) do
      offs[event] = mcp.on(event, function(data) table.insert(list, data) end)
    end
  ]])
  child.started()
  child.await('return #mcp.tools() == 1')
  eq(
    child.lua([[
      local change = seen.McpToolsChanged[1]
      return { change.root, change.tools[1].name, change.added[1].name, change.updated, change.removed,
        change.servers, change.reason, type(change.revision), type(change.hash) }
    ]]),
    { world.project, 'mcp_a_echo', 'mcp_a_echo', {}, {}, { 'a' }, 'connected', 'number', 'string' }
  )
  eq(
    child.lua([[
      local last = seen.McpStatus[#seen.McpStatus]
      return { last.root, last.server.name, last.server.phase, last.server.status }
    ]]),
    { world.project, 'a', 'ready', 'connected' }
  )
  eq(child.lua_get('vim.deep_equal(seen.McpToolsChanged, heard.tools_changed)'), true)
  eq(child.lua_get('vim.deep_equal(seen.McpStatus, heard.status)'), true)
  eq(child.lua_get('#heard.state > 1 and heard.state[1].phase'), 'starting')
  -- Those that failed kept nobody from hearing, and were shown; the autocommand by Neovim itself.
  child.await([[return vim.iter(notes):any(function(note) return note[1]:find('mine, too', 1, true) end)]])

  child.lua([[offs.tools_changed() offs.tools_changed() counted = #heard.tools_changed mcp.stop()]])
  eq(
    child.lua([[
      local last = seen.McpToolsChanged[#seen.McpToolsChanged]
      return { last.reason, last.removed, #last.tools, #heard.tools_changed == counted }
    ]]),
    { 'stopped', { 'mcp_a_echo' }, 0, true }
  )
  eq(
    child.lua_get([[select(2, pcall(mcp.on, 'change', print)):match('no event.*')]]):find('status', 1, true)
      ~= nil,
    true
  )
end

T['a callback that fails is shown, and hurts nobody else'] = function()
  world:user_servers({ a = ECHO })
  local child = neovim()
  child.lua([[
    answers = {}
    for n = 1, 3 do
      mcp.start(function() if n == 2 then error('my mistake') end started = n end)
      mcp.call({ server = 'a', tool = 'echo' }, { n = n }, nil, function(_, outcome)
        if n == 2 then error('my mistake') end
        table.insert(answers, outcome.result.content[1].text)
      end)
    end
  ]])
  child.await('return #answers == 2 and #notes == 2')
  eq(child.lua_get('started'), 3)
  for _, note in ipairs(child.lua_get('notes')) do
    eq(note[1]:find('my mistake.*stack traceback') ~= nil, true)
    eq(note[2], vim.log.levels.ERROR)
  end
end

T['a project has one session, by whichever name'] = function()
  world:write('home/app/.git/HEAD', '')
  world:write('home/app/sub/file', '')
  assert(vim.uv.fs_symlink(world.dir .. '/home/app', world.project .. '/link'))
  world:write('project/$HOME/.git/HEAD', '')
  local child = neovim()
  child.cmd('edit ~/app/sub/file')
  local root = world.dir .. '/home/app'
  eq(child.lua_get('mcp.status().root'), root)
  for _, name in ipairs({
    root,
    root .. '/',
    root .. '//',
    root .. '/sub/..',
    '~/app',
    '~/app/',
    'link',
    './link/',
    '../home/app',
    world.project .. '/link',
  }) do
    local here = { name, child.lua('return mcp.status({ root = ... }) == mcp.status()', { name }) }
    eq(here, { name, true })
  end
  child.cmd('edit link/sub/file')
  eq(child.lua_get('mcp.status().root'), root)
  -- A name that looks like a variable is a name.
  eq(child.lua_get([[mcp.status({ root = '$HOME' }).root]]), world.project .. '/$HOME')
  eq(child.lua_get([[mcp.status({ root = 'not/there/' }).root]]), world.project .. '/not/there')
  eq(child.lua_get([[mcp.status({ root = '/' }).root]]), '/')
  for _, wrong in ipairs({ '7', "''", '{}' }) do
    local ok, said = unpack(child.lua_get(('{ pcall(mcp.status, { root = %s }) }'):format(wrong)))
    eq({ wrong, ok, said:match('`root`.*') }, { wrong, false, '`root` is a directory' })
  end
end

T['arguments that are mixed up are said where the call is made'] = function()
  local child = neovim()
  local callback, where = 'the callback is a %s, not a function', 'what may have `root` is a %s, not a table'
  for call, problem in pairs({
    ["mcp.call('x', {}, function() end)"] = where:format('function'),
    ["mcp.call('x', {}, nil, {})"] = callback:format('table'),
    ["mcp.connect('x', print)"] = where:format('function'),
    ["mcp.connect('x', nil, 7)"] = callback:format('number'),
    ["mcp.request('x', {}, {}, print)"] = callback:format('table'),
    ["mcp.disconnect('x', { root = '/' })"] = callback:format('table'),
    ["mcp.start({ root = '/' })"] = callback:format('table'),
    ["mcp.stop({ root = '/' })"] = callback:format('table'),
    ["mcp.reload('full', 'x')"] = callback:format('string'),
    ["mcp.toggle('x', { root = '/' })"] = callback:format('table'),
    ["mcp.share({ root = '/' })"] = callback:format('table'),
    ["mcp.tools('/')"] = where:format('string'),
    ["mcp.openai_tools('/')"] = where:format('string'),
    ['mcp.toggle()'] = 'what is switched off or on is "server" or "server/tool"',
    ['mcp.toggle({ "x" })'] = 'what is switched off or on is "server" or "server/tool"',
    ['mcp.request(nil, {}, print)'] = 'a method is a string, not a nil',
  }) do
    local said = child.lua(
      [[return select(2, pcall(loadstring('local r = ' .. ... .. ' return r', '@mine.lua')))]],
      { call }
    )
    eq({ call, said }, { call, 'mine.lua:1: mcp_sidecar: ' .. problem })
  end
  eq(child.lua_get('mcp.status().phase'), 'stopped')
end

T['a request is about the project that it names'] = function()
  world:write('project/one/.git/HEAD', '')
  world:write('project/two/.git/HEAD', '')
  world:user_servers({ a = ECHO })
  local child = neovim()
  child.lua([[mcp.start(nil, { root = 'one' })]])
  child.await([[return mcp.status({ root = 'one' }).phase == 'running']])
  local phases =
    [[{ mcp.status().phase, mcp.status({ root = 'one' }).phase, mcp.status({ root = 'two' }).phase }]]
  eq(child.lua_get(phases), { 'stopped', 'running', 'stopped' })
  local requests = {
    [[mcp.call({ server = 'a', tool = 'echo' }, nil, { root = 'two' }, done)]],
    [[mcp.request('mcp/servers', nil, done, { root = 'two' })]],
    [[mcp.connect('a', { root = 'two' }, done)]],
    [[mcp.reload('changed', done, { root = 'two' })]],
    [[mcp.share(done, { root = 'two' })]],
    [[mcp.toggle('b', done, { root = 'two' })]],
    [[mcp.co.start({ root = 'two' })]],
    [[mcp.co.call({ server = 'a', tool = 'echo' }, nil, { root = 'two' })]],
    [[mcp.co.request('mcp/servers', nil, { root = 'two' })]],
    [[mcp.co.connect('a', { root = 'two' })]],
    [[mcp.co.reload('changed', { root = 'two' })]],
    [[mcp.co.share({ root = 'two' })]],
    [[mcp.co.toggle('b', { root = 'two' })]],
    [[mcp.disconnect('a', done, { root = 'two' })]],
    [[mcp.co.disconnect('a', { root = 'two' })]],
  }
  for _, text in ipairs(requests) do
    eq({ text, ended(child, text, 'err == nil') }, { text, true })
    eq({ text, child.lua_get([[#mcp.status({ root = 'one' }).servers]]) }, { text, 1 })
  end
  eq(child.lua_get(phases), { 'stopped', 'running', 'running' })
  eq(ended(child, "mcp.co.stop({ root = 'one' })", phases), { 'stopped', 'stopped', 'running' })
  eq(
    child.lua_get([[{ #mcp.servers(), #mcp.servers({ root = 'two' }), #mcp.tools({ root = 'one' }) }]]),
    { 0, 1, 0 }
  )
end

T['tools for models start the session, and are of the moment'] = function()
  world:user_servers({ a = ECHO, b = 'tool look' })
  local child = neovim()
  for form, name in pairs({
    openai_tools = "definition['function'].name",
    anthropic_tools = 'definition.name',
  }) do
    eq({ form, child.lua_get(('(mcp.%s())'):format(form)) }, { form, {} })
    child.started()
    child.await('return #mcp.tools() == 2')
    local names = ('vim.tbl_map(function(definition) return %s end, (mcp.%s(...)))'):format(name, form)
    eq({ form, child.lua('return ' .. names) }, { form, { 'mcp_a_echo', 'mcp_b_look' } })
    eq({ form, child.lua('return ' .. names, { { servers = { 'b' } } }) }, { form, { 'mcp_b_look' } })
    eq({ form, child.lua('return ' .. names, { { root = '/' } }) }, { form, {} })
    child.lua([[stopped = nil mcp.stop(function() stopped = true end)
      mcp.stop(nil, { root = '/' })]])
    child.await('return stopped')
  end
end

T['setup takes options in place of the variable, and says what is wrong with them'] = function()
  world:user_servers({ a = ECHO })
  local child = neovim({ log_level = vim.log.levels.OFF })
  child.lua([[mcp.setup({ binary = vim.g.mcp_sidecar.binary, binry = 1, args = 'x' })]])
  local said = child.lua_get('vim.tbl_map(function(note) return note[1] end, notes)')
  eq(#said, 2)
  eq(said[1]:find('option "args" is "x", not a list of strings', 1, true) ~= nil, true)
  eq(said[2]:find('unknown option "binry": did you mean "binary"?', 1, true) ~= nil, true)
  eq(child.lua_get([[require('mcp_sidecar.config').get().log_level]]), vim.log.levels.WARN)
  child.started()
  eq(child.lua_get('#mcp.servers()'), 1)
  child.lua('mcp.setup()')
  eq(child.lua_get('#notes'), 2)
end

return T
