local eq = MiniTest.expect.equality

---How long no key was pressed when a question comes up.
local PAUSE_MS = 300

local child, hooks = require('fresh').neovim({
  lines = 30,
  columns = 100,
  begin = [[
    user, call = require('user'), require('mcp_sidecar.ui.call')
    progress = require('mcp_sidecar.ui.progress')
    user.plays({})
    local path = { type = 'object', required = { 'path' }, properties = { path = { type = 'string' } } }
    read = user.tool('fs', 'read', { description = 'Reads a file.', inputSchema = path })
    list = user.tool('fs', 'list', { inputSchema = { type = 'object' } })
    remove = user.tool('fs', 'rm', { inputSchema = path, annotations = { destructiveHint = true } })
    session = user.session({ list, read, remove })
    function wait(condition) return (vim.wait(30000, condition, 5)) end
    -- The call that was made last, when it is made.
    function last(count)
      assert(wait(function() return #user.calls >= (count or 1) end))
      return user.calls[#user.calls]
    end
    function answer(result, details) last().callback(nil, user.outcome(result, details)) end
    function refuse(err) last().callback(err) end
    function text() return vim.api.nvim_buf_get_lines(0, 0, -1, false) end
    function name() return vim.api.nvim_buf_get_name(0) end
    function said(words) return wait(function() return vim.list_contains(user.words(), words) end) end
  ]],
})
local T = MiniTest.new_set({ hooks = hooks })

T['a tool is picked, its arguments asked for, and its result shown'] = function()
  child.lua([[user.plays({ 'fs  read', '/etc/hosts' }) call.pick(session) last()]])
  eq(child.lua_get('user.asked[1]'), {
    prompt = 'Call a tool: ',
    kind = 'mcp_sidecar.tool',
    items = { 'fs  list', 'fs  read  — Reads a file.', 'fs  rm' },
  })
  eq(
    child.lua_get('{ user.calls[1].target, user.calls[1].args }'),
    { 'mcp_fs_read', '{"path":"/etc/hosts"}' }
  )
  eq(child.lua_get('progress.running()'), 1)
  child.lua([[answer('127.0.0.1 localhost')]])
  eq(child.lua_get('{ text(), name() }'), { { '127.0.0.1 localhost' }, 'mcp://fs/read/1' })
  eq({ child.lua_get('progress.running()'), child.fn.maparg('<C-c>', 'n') }, { 0, '' })
end

T['<Esc> in the list does nothing, in a question it says that nothing was called'] = function()
  child.lua([[user.plays({ false }) call.pick(session)]])
  eq(child.lua_get('user.said'), {})
  child.lua([[user.plays({ 'fs  read', false }) call.pick(session)]])
  eq(child.lua_get([[said('mcp-sidecar: fs/read was not called')]]), true)
  eq(child.lua_get('#user.calls'), 0)
end

T['a picker that calls back twice makes one call'] = function()
  child.lua([[
    user.plays({ 'fs  rm', '/x', 'Call it' })
    local select = vim.ui.select
    vim.ui.select = function(items, options, done)
      select(items, options, function(...)
        done(...)
        done(...)
        done(nil)
      end)
    end
    call.pick(session)
    last()
    user.settle()
  ]])
  eq(child.lua_get('{ #user.calls, #user.said }'), { 1, 0 })
end

T['a tool without arguments runs at once'] = function()
  child.lua([[call.start(session, { server = 'fs', tool = 'list' })]])
  eq(
    child.lua_get('{ user.calls[1].target, user.calls[1].args }'),
    { { server = 'fs', tool = 'list' }, '{}' }
  )
  eq(child.lua_get('#user.asked'), 0)
end

T['arguments that are given are not asked for'] = function()
  child.lua([[call.start(session, 'mcp_fs_read', ' { "path" : 1234567890123456789 } ')]])
  child.lua(
    [[call.start(session, 'mcp_fs_read', { path = 'x', n = 0.1, list = {}, object = vim.empty_dict() })]]
  )
  child.lua([[call.start(session, 'mcp_fs_read', {})]])
  eq(child.lua_get('vim.tbl_map(function(one) return one.args end, user.calls)'), {
    '{"path":1234567890123456789}',
    '{"list":[],"n":0.1,"object":{},"path":"x"}',
    '{}',
  })
end

T['arguments that are wrong are told to be, and not sent'] = function()
  child.lua([[call.start(session, 'mcp_fs_read', '{"path": }')]])
  child.lua([[call.start(session, 'mcp_fs_read', '[1]')]])
  child.lua([[call.start(session, 'mcp_fs_read', { 1 })]])
  child.lua([[call.start(session, 'mcp_fs_read', { f = print })]])
  local missing = 'a value is missing before this (or there is a comma too many)'
  eq(child.lua_get('user.words()'), {
    'mcp-sidecar: the arguments of the call are not JSON: line 1, column 10: ' .. missing,
    'mcp-sidecar: the arguments of a call are a JSON object, and these are of type array',
    'mcp-sidecar: the arguments of a call are an object',
    'mcp-sidecar: JSON cannot hold a function',
  })
  eq(child.lua_get('#user.calls'), 0)
end

T['what destroys is asked about, with its arguments'] = function()
  child.lua([[user.plays({ '/tmp/x', 'Do not' }) call.start(session, 'mcp_fs_rm')]])
  eq(child.lua_get([[said('mcp-sidecar: fs/rm was not called')]]), true)
  local asked = child.lua_get('user.asked[2]')
  eq(asked.prompt, 'fs/rm may destroy something. Call it with {"path": "/tmp/x"}? ')
  eq(asked.items, { 'Call it', 'Do not call it', 'Look at the arguments first' })
  child.lua([[user.plays({ false }) call.start(session, 'mcp_fs_rm', {})]])
  eq(child.lua_get([[said('mcp-sidecar: fs/rm was not called')]]), true)
  eq(child.lua_get('#user.calls'), 0)
  child.lua([[user.plays({ 'Call' }) call.start(session, 'mcp_fs_rm', { path = 'y' }) last()]])
  eq(child.lua_get('user.calls[1].args'), '{"path":"y"}')
  child.lua([[user.plays({}) call.start(session, 'mcp_fs_rm', {}, { confirm = false })]])
  eq(child.lua_get('{ #user.calls, #user.asked }'), { 2, 0 })
end

T['its arguments can be looked at first'] = function()
  child.lua([[user.plays({ 'Look' }) call.start(session, 'mcp_fs_rm', { path = 'y' })]])
  eq(child.lua_get('wait(function() return name():find("arguments") end)'), true)
  eq(child.lua_get('text()'), { '{', '  "path": "y"', '}' })
  child.lua([[user.plays({ 'Call' }) vim.cmd.write() last()]])
  eq(child.lua_get('user.asked[1].items'), { 'Call it', 'Do not call it' })
end

T['arguments can be written in a buffer, which stays until the tool has answered'] = function()
  child.lua([[call.start(session, 'mcp_fs_read', nil, { edit = true })]])
  eq(child.lua_get('text()'), { '{', '  "path": ""', '}' })
  child.api.nvim_buf_set_lines(0, 0, -1, false, { '{"path": "a"}' })
  child.cmd('write')
  eq(child.lua_get('{ last().args, name() }'), { '{"path":"a"}', 'mcp://fs/read/arguments/1' })
  child.cmd('write')
  eq(child.lua_get('#user.calls'), 1)
  child.lua([[refuse({ kind = 'response', message = 'no' })]])
  eq(child.lua_get('{ name(), text()[1] }'), { 'mcp://fs/read/arguments/1', '{"path": "a"}' })
  child.cmd('write')
  child.lua([[last(2) answer('done')]])
  eq(child.lua_get('{ #vim.api.nvim_list_wins(), name(), text()[1] }'), { 2, 'mcp://fs/read/1', 'done' })
  eq(child.fn.bufexists('mcp://fs/read/arguments/1'), 0)
end

T['again and edit go on from the result, in its window'] = function()
  child.lua(
    [[call.start(session, 'mcp_fs_read', '{"path":1.0}') answer('one') window = vim.api.nvim_get_current_win()]]
  )
  child.type_keys('r')
  child.lua([[last(2) answer('two')]])
  eq(
    child.lua_get('{ user.calls[2].args, text()[1], vim.api.nvim_get_current_win() == window }'),
    { '{"path":1.0}', 'two', true }
  )
  child.type_keys('E')
  eq(child.lua_get('text()'), { '{', '  "path": 1.0', '}' })
  child.cmd('%s/1.0/2.00/')
  child.cmd('write')
  child.lua([[last(3) answer('three')]])
  eq(
    child.lua_get('{ user.calls[3].args, text()[1], vim.api.nvim_get_current_win() == window }'),
    { '{"path":2.00}', 'three', true }
  )
  eq(child.lua_get('#vim.api.nvim_list_wins()'), 2)
end

T['the key cancels the newest call'] = function()
  child.lua([[call.start(session, 'mcp_fs_list') call.start(session, 'mcp_fs_read', '{}')]])
  child.type_keys('<C-c>')
  eq(child.lua_get('{ user.calls[1].cancels, user.calls[2].cancels }'), { 0, 1 })
  child.lua([[refuse({ kind = 'cancelled', message = 'cancelled' })]])
  eq(child.lua_get('user.said'), { { 'mcp-sidecar: fs/read was cancelled', vim.log.levels.INFO } })
  child.type_keys('<C-c>')
  eq(child.lua_get('{ user.calls[1].cancels, user.calls[2].cancels }'), { 1, 1 })
  child.lua([[user.calls[1].callback({ kind = 'cancelled', message = 'cancelled' })]])
  eq(child.fn.maparg('<C-c>', 'n'), '')
end

T['a refusal is told, but for one that the user knows of'] = function()
  child.lua([[
    call.start(session, 'mcp_fs_raed')
    refuse({ kind = 'response', code = 1001, message = 'tools/call: unknown tool "mcp_fs_raed"' })
    call.start(session, 'x')
    refuse({ kind = 'closed', message = 'not started', reported = true })
  ]])
  eq(child.lua_get('user.said'), {
    { 'mcp-sidecar: tools/call: unknown tool "mcp_fs_raed"', vim.log.levels.ERROR },
  })
  eq(child.lua_get('user.calls[1].args'), '{}')
end

-- What the window of calls that run shows of the last one, without its time.
local SHOWN = [[
  (function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
        return (lines[#lines]:match('%d+ s%s*(.-)%s*<C%-c> cancels'))
      end
    end
  end)()
]]

---shows lets pass the time in which progress is shown and drawn again.
local function shows(wanted)
  child.advance(250)
  eq(child.lua_get(SHOWN), wanted)
end

T['a deferred tool says what it waits for, then how far it is'] = function()
  child.lua([[
    read.state = 'deferred'
    session.shown.servers = { user.server('fs', 'starting', { activity = 'npm install' }) }
    call.start(session, 'mcp_fs_read', {})
  ]])
  shows('waiting for fs: npm install')
  child.lua(
    [[session.shown = vim.tbl_extend('force', session.shown, { servers = { user.server('fs', 'ready') } })]]
  )
  shows('')
  child.lua([[user.calls[1].options.on_progress({ progress = 1, total = 4, message = 'reading' })]])
  shows('1/4 reading')
  child.lua([[answer('x', { deferred = true, waitedMs = 4200 })]])
  eq(child.lua_get('vim.wo.winbar'):match('waited 4.2 s'), 'waited 4.2 s')
end

T['a result does not take a user from where they went, nor from what they type'] = function()
  child.lua([[call.start(session, 'mcp_fs_list')]])
  child.type_keys('i')
  child.lua([[answer('one')]])
  eq({ child.fn.mode(), child.lua_get('name()'), #child.api.nvim_list_wins() }, { 'i', '', 2 })
  eq(child.lua_get('user.words()'), { 'mcp-sidecar: fs/list has answered' })
  child.type_keys('<Esc>')
  child.lua(
    [[call.start(session, 'mcp_fs_list') last(2) vim.cmd('vsplit') here = vim.api.nvim_get_current_win() answer('two')]]
  )
  eq(child.lua_get('vim.api.nvim_get_current_win() == here'), true)
end

T['a result waits while a command is typed'] = function()
  child.lua([[call.start(session, 'mcp_fs_list')]])
  child.type_keys(':let x')
  child.lua([[answer('one')]])
  eq({ child.fn.mode(), #child.api.nvim_list_wins() }, { 'c', 1 })
  child.type_keys('<Esc>')
  eq(child.lua_get('wait(function() return text()[1] == "one" end)'), true)
  child.cmd('quit')
  child.lua([[call.start(session, 'mcp_fs_list') last(2)]])
  child.type_keys('q:')
  child.lua([[answer('two')]])
  eq(child.fn.getcmdwintype(), ':')
  child.type_keys(':q<CR>')
  eq(child.lua_get('wait(function() return text()[1] == "two" end)'), true)
end

-- A change of the session, told as it is by events.
local function becomes(view, event)
  child.lua(
    [[
    local change, event = ...
    session.shown = vim.tbl_extend('force', session.shown, change)
    require('mcp_sidecar.events').emit(event, { root = session.root })
    ]],
    { view, event }
  )
end

T['a session that does not run is started, and its servers are waited for'] = function()
  child.lua([[
    session = user.session({}, { phase = 'stopped' })
    user.plays({ 'fs  list' })
    call.pick(session)
  ]])
  shows('starting the sidecar')
  becomes({ phase = 'running', servers = { child.lua_get([[user.server('fs', 'starting')]]) } }, 'state')
  child.lua('user.starts[1]()')
  shows('waiting for fs')
  eq(child.lua_get('#user.asked'), 0)
  -- The status comes before the tools that it counts.
  local ready = child.lua_get([[user.server('fs', 'ready', { tools = { count = 1, from = 'live' } })]])
  becomes({ servers = { ready } }, 'status')
  child.advance(2 * PAUSE_MS)
  eq(child.lua_get('#user.asked'), 0)
  becomes({ tools = { child.lua_get('list') } }, 'tools_changed')
  child.advance(PAUSE_MS)
  eq(child.lua_get('last().target'), 'mcp_fs_list')
end

T['where there are no tools, it is said why'] = function()
  child.lua(
    [[session = user.session({}, { servers = { user.server('fs', 'untrusted') } }) call.pick(session)]]
  )
  eq(
    child.lua_get('user.said'),
    { { 'mcp-sidecar: there are no MCP tools:\n  fs is not trusted yet: `:Mcp trust`', vim.log.levels.WARN } }
  )
end

T['servers that may bring more are named'] = function()
  child.lua([[session.shown.servers = { user.server('web', 'starting') } call.pick(session)]])
  eq(child.lua_get('user.asked[1].prompt'), 'Call a tool (web may bring more): ')
end

T['waiting for a tool ends when its server has settled, and the sidecar says the rest'] = function()
  child.lua([[
    session = user.session({ list }, { servers = { user.server('web', 'starting'), user.server('slow', 'starting') } })
    call.start(session, { server = 'web', tool = 'get' })
  ]])
  eq(child.lua_get('#user.calls'), 0)
  child.lua('user.starts[1]()')
  becomes({
    servers = {
      child.lua_get([[user.server('web', 'failed')]]),
      child.lua_get([[user.server('slow', 'starting')]]),
    },
  }, 'status')
  child.advance(PAUSE_MS)
  eq(child.lua_get('last().target'), { server = 'web', tool = 'get' })
end

T['a call that ends with the sidecar is told of by its name'] = function()
  child.lua([[
    call.start(session, 'mcp_fs_list')
    refuse({ kind = 'closed', message = 'the sidecar was stopped' })
  ]])
  eq(child.lua_get([[said('mcp-sidecar: fs/list: the sidecar was stopped')]]), true)
end

T['waiting can be cancelled, and a start that fails ends it'] = function()
  child.lua([[session = user.session({}, { phase = 'stopped' }) call.pick(session)]])
  child.type_keys('<C-c>')
  eq(child.lua_get('user.words()'), { 'mcp-sidecar: waiting for MCP tools was cancelled' })
  child.lua([[user.plays({}) user.starts[1]()]])
  becomes({ phase = 'running' }, 'state')
  child.advance(2 * PAUSE_MS)
  eq(child.lua_get('{ #user.said, #user.asked, progress.running() }'), { 0, 0, 0 })
  child.lua([[session = user.session({}, { phase = 'stopped' }) call.pick(session)]])
  child.lua([[user.starts[1]({ kind = 'closed', message = 'no binary', reported = true })]])
  child.lua([[call.pick(session) user.starts[2]({ kind = 'closed', message = 'no binary' })]])
  eq(child.lua_get('{ user.words(), progress.running() }'), { { 'mcp-sidecar: no binary' }, 0 })
end

T['a session that ends while it is waited for ends the waiting'] = function()
  child.lua(
    [[session = user.session({}, { servers = { user.server('fs', 'starting') } }) call.pick(session) user.starts[1]()]]
  )
  becomes({ phase = 'failed', servers = {} }, 'state')
  child.advance(2 * PAUSE_MS)
  eq(child.lua_get('{ progress.running(), #user.asked, #user.said }'), { 0, 0, 0 })
end

T['a question that comes late waits until nothing is typed'] = function()
  child.lua([[session = user.session({}, { phase = 'stopped' }) call.pick(session)]])
  child.type_keys('i')
  becomes({ phase = 'running', tools = { child.lua_get('list') } }, 'state')
  child.lua('user.starts[1]()')
  child.advance(2 * PAUSE_MS)
  eq(child.lua_get('#user.asked'), 0)
  child.type_keys('<Esc>')
  child.advance(2 * PAUSE_MS)
  eq(child.lua_get('#user.asked'), 1)
end

T['pictures are saved and shown'] = function()
  local cache = vim.fn.tempname()
  child.env.XDG_CACHE_HOME = cache
  child.lua([[
    call.start(session, 'mcp_fs_list')
    answer({ content = { { type = 'image', mimeType = 'image/gif', data = vim.base64.encode('GIF89a\2\0\3\0') } } })
  ]])
  local path = child.lua_get('text()[1]'):match('^image  image/gif  2x3  10 B  (.*%.gif)$')
  local file = assert(io.open(path, 'rb'))
  eq(file:read('*a'), 'GIF89a\2\0\3\0')
  file:close()
  child.stop()
  vim.fn.delete(cache, 'rf')
end

return T
