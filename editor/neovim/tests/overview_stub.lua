-- What stands for the rest of the plugin in the tests of the overview and of the logs: a session that does nothing
-- but remember what it was asked, events that the tests emit, and a view that does not change by itself.
local M = {}

---@return mcp_sidecar.Server
local function server(given)
  return vim.tbl_deep_extend('force', {
    name = 'x',
    status = 'connected',
    phase = 'ready',
    transport = 'stdio',
    tools = { count = 0, from = 'none' },
    source = {
      provider = 'claude',
      providerName = 'Claude Code',
      level = 'project',
      path = '/home/me/app/.mcp.json',
    },
    attempt = 0,
    timings = {},
  }, given)
end
M.server = server

---@return mcp_sidecar.Tool
function M.tool(of, own, definition, state)
  return {
    name = ('mcp_%s_%s'):format(of, own),
    label = of .. '/' .. own,
    server = of,
    state = state or 'live',
    path = 'mcp:' .. of,
    definition = vim.tbl_extend('force', { name = own }, definition or {}),
  }
end

---A view of an empty session.
---@return mcp_sidecar.SessionView
function M.empty(given)
  return vim.tbl_extend('force', {
    root = '/home/me/app',
    phase = 'running',
    sidecar = { name = 'mcp-sidecar', version = '0.1.0' },
    tools = {},
    servers = {},
    errors = {},
    disabled = {},
    calls = 0,
  }, given or {})
end

local read_file = {
  title = 'Read a file',
  description = 'Gives the text of a file.\n\nThe whole of it, unless lines are asked for.',
  annotations = { readOnlyHint = true },
  inputSchema = {
    type = 'object',
    properties = {
      path = { type = 'string', description = 'Where it is' },
      lines = { type = 'array', items = { type = 'integer' } },
    },
    required = { 'path' },
  },
}

---A view with a server in each kind of phase.
---@return mcp_sidecar.SessionView
function M.view()
  return M.empty({
    calls = 1,
    disabled = { 'files/move_file', 'old' },
    tools = {
      M.tool('files', 'list_directory', { description = 'Lists what is in a directory.' }),
      M.tool('files', 'read_file', read_file),
      M.tool(
        'files',
        'write_file',
        { description = 'Writes a file.', annotations = { destructiveHint = true } }
      ),
      M.tool('web', 'fetch', { description = 'Fetches a page.' }, 'deferred'),
    },
    servers = {
      server({ name = 'db', status = 'disconnected', phase = 'untrusted', source = { line = 12 } }),
      server({
        name = 'files',
        tools = { count = 3, from = 'live', off = { 'move_file' } },
        timings = { connectMs = 300, spawnMs = 180, initializeMs = 120, listMs = 20 },
        protocolVersion = '2025-06-18',
        serverInfo = { name = 'file-server', version = '1.2.0' },
        instructions = 'Paths are relative to the project.',
        pid = 4711,
        source = {
          line = 3,
          column = 5,
          aliases = { { name = 'fs', path = '/home/me/.cursor/mcp.json', line = 7 } },
        },
      }),
      server({ name = 'old', status = 'disconnected', phase = 'disabled' }),
      server({
        name = 'search',
        status = 'disconnected',
        phase = 'failed',
        attempt = 3,
        source = {
          provider = 'native',
          providerName = 'mcp-sidecar',
          level = 'user',
          path = '/home/me/.config/mcp.json',
        },
        error = {
          code = 'not-found',
          stage = 'spawn',
          message = 'server "search": connect: exec: "uvx" not found',
          hint = 'install uv, or put it on the PATH',
          stderr = { 'first line', 'second line' },
        },
      }),
      server({
        name = 'web',
        status = 'connecting',
        phase = 'initializing',
        tools = { count = 1, from = 'cache' },
        activity = 'npm: downloading 3 of 14 packages',
      }),
    },
    errors = {
      {
        path = '/home/me/app/.vscode/mcp.json',
        line = 4,
        column = 2,
        error = 'unexpected comma',
        severity = 'error',
      },
      { path = 'mcp:search', server = 'search', error = 'exec: "uvx" not found', severity = 'error' },
    },
  })
end

---Puts the stubs in place, in the Neovim that runs it. What they remember and the session are global there: Stub.
function M.install()
  local listeners, asked = {}, {}
  local stub = {
    asked = asked,
    log = {},
    answers = {},
    ui = { border = 'rounded', width = 0.8, height = 0.8, icons = {} },
    view = M.view(),
  }
  local function ask(name)
    return function(_, ...)
      local args, count = { ... }, select('#', ...)
      local cb = args[count]
      if type(cb) == 'function' then args[count] = nil end
      table.insert(asked, vim.list_extend({ name }, args))
      local answer = stub.answers[name]
      if type(cb) == 'function' and answer then answer(cb, unpack(args)) end
      return function() table.insert(asked, { 'cancel ' .. name }) end
    end
  end
  local session = { root = stub.view.root, view = function() return stub.view end }
  for _, name in ipairs({ 'start', 'stop', 'restart', 'connect', 'disconnect', 'reload', 'logs', 'toggle' }) do
    session[name] = ask(name)
  end
  function session.is_off(_, name) return vim.list_contains(stub.view.disabled, name) end
  -- Only what the tests name in `stub.fixed` cannot be switched.
  local toggle = session.toggle
  function session:toggle(name, cb)
    toggle(self, name, cb)
    local off = vim.tbl_filter(function(other) return other ~= name end, stub.view.disabled)
    if #off == #stub.view.disabled then off[#off + 1] = name end
    if name ~= stub.fixed then stub.change(function(view) view.disabled = off end) end
  end
  stub.session = session
  function stub.emit(event, data)
    for _, fn in ipairs(vim.tbl_keys(listeners)) do
      if listeners[fn] == event then fn(data or { root = session.root }) end
    end
  end
  function stub.change(change)
    local view = vim.deepcopy(stub.view)
    change(view)
    stub.view = view
    stub.emit('status')
  end
  local timers, new_timer = {}, vim.uv.new_timer
  vim.uv.new_timer = function()
    local timer = new_timer()
    table.insert(timers, timer)
    return timer
  end
  -- Timers that are not closed, and those that run.
  function stub.timers()
    local open = vim.tbl_filter(function(timer) return not timer:is_closing() end, timers)
    return #open, #vim.tbl_filter(function(timer) return timer:is_active() end, open)
  end
  function stub.listening() return vim.tbl_count(listeners) end
  local function on(event, fn)
    local own = function(data) return fn(data) end
    listeners[own] = event
    return function() listeners[own] = nil end
  end
  local loaded = package.loaded
  loaded['mcp_sidecar.events'] = { on = on, emit = stub.emit }
  loaded['mcp_sidecar.config'] = { get = function() return { ui = stub.ui } end }
  loaded['mcp_sidecar.sessions'] = { current = function() return session end }
  loaded['mcp_sidecar.log'] = { lines = function() return stub.log end }
  loaded['mcp_sidecar.ui.call'] = { start = function(_, target) table.insert(asked, { 'call', target }) end }
  loaded['mcp_sidecar.ui.trust'] = { manage = function() table.insert(asked, { 'trust' }) end }
  vim.uv.os_homedir = function() return '/home/me' end
  vim.notify = function(text) table.insert(asked, { 'notify', (text:gsub('^mcp%-sidecar: ', '')) }) end
  _G.Stub = stub
end

return M
