local call_tools = require('mcp_sidecar.ui.call_tools')
local user = require('user')

local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

local function view(tools, servers, errors)
  return { root = '/p', phase = 'running', tools = tools, servers = servers or {}, errors = errors or {} }
end

T['a tool reads as server, name, title and the first line of what it does'] = MiniTest.new_set({
  parametrize = {
    { { description = 'Reads a file.\nMore.' }, 'fs  read  — Reads a file.' },
    { { title = 'Read', annotations = { title = 'Other' } }, 'fs  read  — Read' },
    { { annotations = { title = 'Read it' }, description = 'All.' }, 'fs  read  — Read it: All.' },
    { { title = 'read' }, 'fs  read' },
    { { title = '', description = '' }, 'fs  read' },
    { { title = 5, description = { 'x' }, annotations = 'none' }, 'fs  read' },
    { { title = 'a\27[31m\nb' }, 'fs  read  — a\\e[31m' },
    { { description = ('word '):rep(30) }, 'fs  read  — ' .. ('word '):rep(13) .. 'wo…' },
  },
})

T['a tool reads as server, name, title and the first line of what it does']['test'] = function(
  definition,
  wanted
)
  eq(call_tools.line(user.tool('fs', 'read', definition), 80), wanted)
end

T['a deferred tool says so, and one without a definition has a name'] = function()
  local deferred = user.tool('web', 'read', { title = 'Read' })
  deferred.state = 'deferred'
  local broken = { name = 'mcp_x_y', label = 'x/y', server = 'x', state = 'live', definition = vim.NIL }
  eq(
    { call_tools.line(deferred, 80), call_tools.line(broken, 80) },
    { 'web  read [deferred]  — Read', 'x  y' }
  )
end

T['a tool is found by its exposed name, and by server and its own'] = function()
  local one, two = user.tool('fs', 'read'), user.tool('web', 'read')
  local nameless = { name = 'n', label = 'x/y/z', server = 'x', definition = {} }
  local all = view({ one, two, nameless })
  eq(call_tools.find(all, 'mcp_web_read'), two)
  eq(call_tools.find(all, { server = 'web', tool = 'read' }), two)
  eq(call_tools.find(all, { server = 'x', tool = 'y/z' }), nameless)
  eq(call_tools.find(all, 'read'), nil)
  eq(call_tools.find(all, { server = 'fs', tool = 'mcp_fs_read' }), nil)
  eq(call_tools.label({ server = 'fs', tool = 'x' }), 'fs/x')
  eq(call_tools.label('mcp_fs_x'), 'mcp_fs_x')
  eq(call_tools.label('n', nameless), 'x/y/z')
end

T['what destroys is asked about'] = MiniTest.new_set({
  parametrize = {
    { { destructiveHint = true }, true },
    { { destructiveHint = true, idempotentHint = true }, true },
    { { readOnlyHint = false }, true },
    { { readOnlyHint = false, idempotentHint = true }, false },
    { { readOnlyHint = false, destructiveHint = false }, false },
    { { readOnlyHint = true }, false },
    { {}, false },
    { 'none', false },
  },
})

T['what destroys is asked about']['test'] = function(annotations, wanted)
  eq(call_tools.is_destructive(user.tool('fs', 'rm', { annotations = annotations })), wanted)
end

T['servers whose tools may still come are waited for'] = function()
  local servers = {
    user.server('a', 'starting', { activity = 'npm install' }),
    user.server('b', 'ready', { tools = { count = 2, from = 'live' } }),
    user.server('c', 'ready', { tools = { count = 1, from = 'live' } }),
    user.server('d', 'failed'),
    user.server('e', 'ready'),
  }
  local all = view({ user.tool('c', 'x') }, servers)
  eq(call_tools.pending(all), { 'a', 'b' })
  eq(call_tools.pending(all, { server = 'b', tool = 'x' }), { 'b' })
  eq(call_tools.pending(all, { server = 'd', tool = 'x' }), {})
  local named = view({}, { user.server('My server', 'starting'), user.server('other', 'starting') })
  eq(call_tools.pending(named, 'mcp_my_server_read'), { 'My server' })
  eq(call_tools.pending(named, 'mcp_fs_read'), {})
  eq(call_tools.waiting_note(all), 'waiting for a, b')
  eq(call_tools.waiting_note(all, { server = 'a', tool = 'x' }), 'waiting for a: npm install')
  eq(call_tools.waiting_note(all, { server = 'b', tool = 'x' }), 'waiting for b')
end

T['why there are no tools is said of each server'] = function()
  local failed =
    { code = 'not-found', stage = 'spawn', message = 'server "a": connect: exec: "uvx" not found' }
  local servers = {
    user.server('a', 'failed', { error = failed }),
    user.server('b', 'untrusted'),
    user.server('c', 'disabled'),
    user.server('d', 'ready'),
    user.server('e', 'ready', { tools = { count = 0, from = 'live', off = { 'x', 'y' } } }),
    user.server('f', 'needs-auth'),
    user.server('g', 'unheard-of'),
  }
  eq(vim.split(call_tools.why_none(view({}, servers)), '\n'), {
    'there are no MCP tools:',
    '  a is failed: server "a": connect: exec: "uvx" not found',
    '  b is not trusted yet: `:Mcp trust`',
    '  c is switched off',
    '  d has no tools',
    '  e has all its 2 tools switched off',
    '  f wants you to sign in',
    '  g is unheard-of',
  })
  local errors = { { path = '/p/.mcp.json', error = 'no valid JSON', severity = 'error' } }
  eq(
    call_tools.why_none(view({}, {}, errors)),
    'there are no MCP tools: no server is configured here\n  /p/.mcp.json: no valid JSON'
  )
end

return T
