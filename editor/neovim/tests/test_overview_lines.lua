-- The page of the overview: what it says of a view.
local lines = require('mcp_sidecar.ui.overview_lines')
local stub = require('overview_stub')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

---@return mcp_sidecar.ui.Page
local function render(view, state)
  state = vim.tbl_extend('force', {
    width = 76,
    expanded = {},
    retry = {},
    icons = lines.icons(),
    home = '/home/me',
  }, state or {})
  local expanded = {}
  for _, id in ipairs(state.expanded) do
    expanded[(id:gsub('/', '\0'))] = true
  end
  state.expanded = expanded
  return lines.render(view, state)
end

---The lines that have a text, without the blanks at their ends.
local function with(page, text)
  local found = vim.tbl_filter(function(line) return line:find(text, 1, true) ~= nil end, page.lines)
  return vim.tbl_map(vim.trim, found)
end

---One server in a view of its own, as its line.
local function line_of(given, change)
  local view = stub.empty({ servers = { stub.server(given) } })
  if change then change(view) end
  return vim.trim(render(view, { width = 200 }).lines[4])
end

T['a session is told in one screen'] = function()
  eq(render(stub.view()).lines, {
    ' ~/app                                            mcp-sidecar 0.1.0 running',
    ' 1/5 servers, 4 tools, 1 call runs',
    '',
    ' ▸ ? db      not trusted                   t to decide',
    ' ▸ ● files   ready         3 tools         320 ms',
    ' ▸ ○ old     switched off                  x to switch it on',
    ' ▸ ✗ search  failed                        connect: exec: "uvx" not found',
    ' ▸ ◐ web     connecting    1 tool, cached  npm: downloading 3 of 14 packages',
    '',
    ' Configuration',
    '   .vscode/mcp.json:4: unexpected comma',
  })
end

T['a server'] = MiniTest.new_set({
  parametrize = {
    { { phase = 'starting', status = 'connecting' }, '▸ ◐ x  starting' },
    { { phase = 'listing', status = 'connecting', attempt = 2 }, '▸ ◐ x  listing tools    attempt 2' },
    {
      { phase = 'starting', status = 'connecting', activity = '\27[2K50%\r\27[2K60%' },
      '▸ ◐ x  starting    60%',
    },
    { { tools = { count = 1, from = 'live' } }, '▸ ● x  ready  1 tool' },
    { { tools = { count = 0, from = 'live' } }, '▸ ● x  ready  0 tools' },
    { { timings = { connectMs = 1480, listMs = 20 } }, '▸ ● x  ready    1.5 s' },
    { { phase = 'backoff', status = 'disconnected', nextRetryMs = 3200 }, '▸ ↻ x  retrying    in 4 s' },
    {
      { phase = 'backoff', status = 'disconnected', nextRetryMs = 200000, error = { message = 'no route' } },
      '▸ ↻ x  retrying    in 4 min, no route',
    },
    { { phase = 'failed', status = 'disconnected' }, '▸ ✗ x  failed    r to try again' },
    {
      { phase = 'failed', status = 'disconnected', error = { message = 'server "x": connect: gone' } },
      '▸ ✗ x  failed    connect: gone',
    },
    {
      { phase = 'suspended', status = 'disconnected', error = { message = 'gone' } },
      '▸ ✗ x  lost too often    r to try again, gone',
    },
    { { phase = 'untrusted', status = 'disconnected' }, '▸ ? x  not trusted    t to decide' },
    { { phase = 'needs-input', status = 'disconnected' }, '▸ ? x  needs input    c to be asked again' },
    {
      { phase = 'needs-auth', status = 'disconnected' },
      '▸ ? x  needs sign-in    o to give its entry a token',
    },
    { { phase = 'disabled', status = 'disconnected' }, '▸ ○ x  off in its file    c to start it once' },
    { { phase = 'stopped', status = 'disconnected' }, '▸ ○ x  stopped    c to connect' },
    {
      { phase = 'invalid', status = 'disconnected', error = { message = 'Server "x": no command' } },
      '▸ ✗ x  invalid entry    o to correct it, no command',
    },
    { { phase = 'dreaming', status = 'connecting' }, '▸ ◐ x  dreaming' },
    { { phase = 'dreaming', status = 'connected' }, '▸ ● x  dreaming' },
  },
})
T['a server']['has a word for its phase, and the next step'] = function(given, wanted)
  eq(line_of(given), wanted)
end

T['what the user switched off is told from what its file does'] = function()
  local off = { phase = 'disabled', status = 'disconnected' }
  eq(line_of(off, function(view) view.disabled = { 'x' } end), '▸ ○ x  switched off    x to switch it on')
end

T['a countdown that is known better than the record counts'] = function()
  local view = stub.empty({ servers = { stub.server({ phase = 'backoff', nextRetryMs = 9000 }) } })
  eq(vim.trim(render(view, { retry = { x = 2100 } }).lines[4]), '▸ ↻ x  retrying    in 3 s')
  eq(vim.trim(render(view, { retry = { x = 0 } }).lines[4]), '▸ ↻ x  retrying    now')
end

T['an expanded server tells where it is from and what it is'] = function()
  local page = render(stub.view(), { expanded = { 'server/files' } })
  eq(vim.list_slice(page.lines, 5, 17), {
    ' ▾ ● files   ready         3 tools         320 ms',
    '    transport    stdio, process 4711',
    '    source       Claude Code, project, .mcp.json:3',
    '    also         fs (~/.cursor/mcp.json:7)',
    '    protocol     MCP 2025-06-18',
    '    server       file-server 1.2.0',
    '    took         start 180 ms, handshake 120 ms, listing 20 ms',
    '    instructions Paths are relative to the project.',
    '    ● list_directory  Lists what is in a directory.',
    '    ✗ move_file       off',
    '    ● read_file       read-only  Read a file: Gives the text of a file.',
    '    ● write_file      destructive  Writes a file.',
    '',
  })
end

T['an expanded failure tells why, and what to do'] = function()
  local page = render(stub.view(), { expanded = { 'server/search' } })
  eq(vim.list_slice(page.lines, 8, 14), {
    '    transport    stdio',
    '    source       mcp-sidecar, user, ~/.config/mcp.json',
    '    next step    r to try again',
    '    error        server "search": connect: exec: "uvx" not found',
    '    hint         install uv, or put it on the PATH',
    '    stderr       first line',
    '                 second line',
  })
end

T['an expanded tool tells what it does and takes'] = function()
  local page = render(stub.view(), { expanded = { 'server/files', 'tool/files/read_file' } })
  eq(vim.list_slice(page.lines, 16, 23), {
    '        name  mcp_files_read_file',
    '        Gives the text of a file.',
    '',
    '        The whole of it, unless lines are asked for.',
    '        takes (* must be given)',
    '          path * string  Where it is',
    '          lines  integer[]',
    '    ● write_file      destructive  Writes a file.',
  })
end

T['what a tool takes'] = MiniTest.new_set({
  parametrize = {
    { { type = 'object' }, { 'It takes no arguments.' } },
    { true, { 'It does not say what it takes.' } },
    { { type = 'object', additionalProperties = true }, { 'It does not say what it takes.' } },
    {
      { properties = { b = {}, a = {}, z = {}, c = {}, no = false }, required = { 'z', 'c' } },
      { 'takes (* must be given)', 'z* any', 'c* any', 'a  any', 'b  any' },
    },
    {
      {
        ['$ref'] = '#/$defs/Input',
        ['$defs'] = {
          Input = {
            allOf = { { properties = { at = { ['$ref'] = '#/$defs/Point' } } }, { required = { 'at' } } },
          },
          Point = { type = 'array', items = { type = 'number' }, description = 'Where\nit is' },
        },
      },
      { 'takes (* must be given)', 'at* number[]  Where' },
    },
    {
      { properties = { level = { title = 'How loud', anyOf = { { type = 'null' }, { enum = { 1, 2 } } } } } },
      { 'takes (* must be given)', 'level  1|2|null  How loud' },
    },
  },
})
T['what a tool takes']['is what the form asks for'] = function(schema, wanted)
  local view = stub.empty({
    servers = { stub.server({ tools = { count = 1, from = 'live' } }) },
    tools = { stub.tool('x', 'last', { inputSchema = schema }) },
  })
  local page, got = render(view, { expanded = { 'server/x', 'tool/x/last' } }), {}
  for row, item in pairs(page.items) do
    if item.id:find('\0argument') then got[#got + 1] = row end
  end
  table.sort(got)
  eq(vim.tbl_map(function(row) return vim.trim(page.lines[row]) end, got), wanted)
end

T['a cached tool says that a call waits'] = function()
  local page = render(stub.view(), { expanded = { 'server/web', 'tool/web/fetch' } })
  eq(with(page, 'fetch'), { '○ fetch  Fetches a page.', 'name  mcp_web_fetch' })
  eq(with(page, 'waits for it'), { 'Its server is not connected: a call waits for it.' })
end

T['what was switched off just now is off at once, and can be switched on when its server is gone'] = function()
  local view = stub.empty({ servers = { stub.server({ phase = 'failed' }) }, disabled = { 'x/b', 'xy/c' } })
  eq(with(render(view, { expanded = { 'server/x' } }), 'off'), { '✗ b  off' })
end

T['empty states'] = MiniTest.new_set({
  parametrize = {
    { { phase = 'stopped' }, 's starts it. A call of a tool starts it, too.' },
    { { phase = 'stopped', error = 'it ended with code 2' }, 'it ended with code 2' },
    { { phase = 'starting' }, 'It is starting: its servers appear here.' },
    { { phase = 'failed', error = 'exec: not found' }, 'exec: not found' },
    { { phase = 'failed' }, 's tries again, L shows the log.' },
    { {}, '~/.config/mcp-sidecar/mcp.json  for all your projects' },
    { {}, '.mcp.json                       for this project' },
    { {}, 'R reads them again. :help mcp-sidecar-servers says more.' },
  },
})
T['empty states']['say what to do next'] = function(given, wanted)
  eq(with(render(stub.empty(given)), wanted), { wanted })
end

T['what to do about a program that is not found is not cut off'] = function()
  local long = '/home/me/.local/share/nvim/site/pack/mcp/start/mcp-sidecar'
  local _, message = require('mcp_sidecar.binary').find(nil, {
    windows = false,
    plugin = long,
    cwd = '/',
    env = { PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:' .. long },
    unfit = function() return 'does not exist' end,
  })
  local text = table.concat(render(stub.empty({ phase = 'failed', error = message })).lines, '\n')
  eq({ text:find('…', 1, true), text:match('MCP_SIDECAR%.\n') }, { nil, 'MCP_SIDECAR.\n' })
end

T['a session that ended tells why only once it is over'] = function()
  eq(with(render(stub.empty({ error = 'it ended with code 2' })), 'code 2'), {})
end

T['diagnostics stand with their server, or at the end'] = function()
  local view = stub.empty({
    servers = { stub.server({ source = { line = 2 } }) },
    errors = {
      {
        path = '/home/me/app/.mcp.json',
        line = 3,
        server = 'x',
        error = 'unknown member',
        severity = 'warning',
      },
      { path = '/home/me/.claude.json', line = 9, server = 'gone', error = 'no command', severity = 'error' },
      { path = 'settings.trust', error = 'no such member', severity = 'warning' },
    },
  })
  eq(vim.list_slice(render(view).lines, 4), {
    ' ▸ ● x  ready    1 warning',
    '',
    ' Configuration',
    '   ~/.claude.json:9: no command',
    '   settings.trust: no such member',
  })
  eq(
    with(render(view, { expanded = { 'server/x' } }), 'unknown member'),
    { 'warning      .mcp.json:3: unknown member' }
  )
end

T["a warning about a failing entry of Neovim's own stands with its server, the failure only once"] = function()
  local function about(message, severity)
    return { path = 'mcp:x', server = 'x', error = message, severity = severity }
  end
  local view = stub.empty({
    servers = {
      stub.server({ phase = 'invalid', status = 'disconnected', error = { message = 'no command' } }),
    },
    errors = {
      about('unknown key "comand"', 'warning'),
      about('no command, as it was told before', 'error'),
      about('no command', 'warning'),
    },
  })
  local page = render(view, { expanded = { 'server/x' } })
  eq(with(page, 'warning'), { 'warning      mcp:x: unknown key "comand"' })
  eq(#with(page, 'no command'), 2) -- in its line, and as its error
end

T['a diagnostic that says the same as the error of its server is not told twice'] = function()
  local view = stub.empty({
    servers = {
      stub.server({ phase = 'invalid', status = 'disconnected', error = { message = 'no command' } }),
    },
    errors = { { path = '/home/me/app/.mcp.json', server = 'x', error = 'no command', severity = 'error' } },
  })
  eq(with(render(view, { expanded = { 'server/x' } }), 'no command'), {
    '▾ ✗ x  invalid entry    o to correct it, no command',
    'error        no command',
  })
end

T['a long diagnostic is cut, and whole when it is expanded'] = function()
  local error = ('much '):rep(30) .. 'too long'
  local view = stub.empty({ errors = { { path = '/etc/x', error = error, severity = 'error' } } })
  local page = render(view)
  eq(page.lines[#page.lines]:sub(-3), '…')
  local item = page.items[#page.lines]
  page = lines.render(
    view,
    { width = 76, expanded = { [item.id] = true }, retry = {}, icons = lines.icons(), home = '/home/me' }
  )
  eq(with(page, 'too long'), { vim.trim(page.lines[#page.lines]) })
  eq(page.items[#page.lines].owner, item.id)
end

T['nothing that a server says breaks a line or leaves the page'] = function()
  local evil = 'a\nb\27[2J\194\155日本\226\128\174\255' .. ('日'):rep(100)
  local view = stub.empty({
    root = '/' .. evil,
    error = evil,
    servers = {
      stub.server({
        name = evil,
        phase = 'failed',
        status = 'disconnected',
        activity = evil,
        instructions = evil,
        protocolVersion = evil,
        serverInfo = { name = evil, version = evil },
        error = { message = evil, hint = evil, stderr = { evil, evil } },
        source = { providerName = evil, path = evil, aliases = { { name = evil, path = evil } } },
        tools = { count = 1, from = 'live', off = { evil .. 'off' } },
      }),
    },
    tools = {
      stub.tool(evil, evil, {
        title = evil,
        description = evil,
        annotations = { title = evil, idempotentHint = true },
        inputSchema = {
          properties = { [evil] = { enum = { evil }, description = evil } },
          required = { evil },
        },
      }),
    },
    errors = { { path = evil, error = evil, severity = 'error' } },
  })
  for _, width in ipairs({ 1, 10, 33, 76 }) do
    local state = { width = width, expanded = {}, retry = {}, icons = lines.icons(), home = '/home/me' }
    for _ = 1, 3 do
      for _, item in pairs(lines.render(view, state).items) do
        state.expanded[item.id] = true
      end
    end
    local page = lines.render(view, state)
    MiniTest.expect.equality(#page.lines > 10, true)
    for row, line in ipairs(page.lines) do
      eq({ row, line:find('[%c\194\127\255]') }, { row })
      eq(vim.fn.strdisplaywidth(line) <= width, true)
    end
    for _, mark in ipairs(page.marks) do
      eq(mark.from < mark.to and mark.to <= #page.lines[mark.row + 1], true)
    end
  end
end

T['definitions that are not what they should be are shown all the same'] = function()
  local odd = { false, 7, {}, vim.NIL, 'text' }
  local view = stub.empty({ servers = { stub.server({ tools = { count = #odd, from = 'live' } }) } })
  local expanded = { 'server/x' }
  for n, value in ipairs(odd) do
    local tool = stub.tool('x', 't' .. n, {
      title = value,
      description = value,
      annotations = value,
      inputSchema = {
        properties = { a = value, b = { type = value, enum = value, items = value } },
        required = value,
      },
    })
    if n == 2 then tool.definition = value end
    view.tools[n] = tool
    expanded[#expanded + 1] = 'tool/x/t' .. n
  end
  eq(#with(render(view, { expanded = expanded }), 'mcp_x_t'), #odd)
end

T['icons of the user keep the columns'] = function()
  local page = render(stub.view(), { icons = lines.icons({ ready = '[ok]', failed = 'no\n' }) })
  eq(vim.list_slice(page.lines, 4, 7), {
    ' ▸    ?    db      not trusted                   t to decide',
    ' ▸    [ok] files   ready         3 tools         320 ms',
    ' ▸    ○    old     switched off                  x to switch it on',
    ' ▸    no\\n search  failed                        connect: exec: "uvx" not f…',
  })
end

T['an icon for a single phase goes before that of its kind'] = function()
  local page = render(stub.view(), { icons = lines.icons({ initializing = 'I', untrusted = 'U' }) })
  eq({ page.lines[4]:match('U db'), page.lines[8]:match('I web') }, { 'U db', 'I web' })
end

T['each line knows what it is about'] = function()
  local page = render(stub.view(), { expanded = { 'server/files', 'tool/files/read_file' } })
  local function about(row)
    local item = page.items[row]
    return { item.kind, item.server, item.tool, item.head or false, item.copy }
  end
  eq(about(1), { 'session', nil, nil, true, '/home/me/app' })
  eq(about(5), { 'server', 'files', nil, true, 'files' })
  eq(about(8), { 'server', 'files', nil, false, 'fs (~/.cursor/mcp.json:7)' })
  eq({ page.items[8].path, page.items[8].line }, { '/home/me/.cursor/mcp.json', 7 })
  eq({ page.items[7].path, page.items[7].line, page.items[7].column }, { '/home/me/app/.mcp.json', 3, 5 })
  eq(about(14), { 'tool', 'files', 'move_file', true, 'files/move_file' })
  eq(about(15), { 'tool', 'files', 'read_file', true, 'mcp_files_read_file' })
  eq(about(21), { 'tool', 'files', 'read_file', false, 'path' })
  eq(page.items[24], nil)
end

T['ids are all different'] = function()
  local seen = {}
  local page = render(stub.view(), { expanded = { 'server/files', 'server/search', 'tool/files/read_file' } })
  for row, item in pairs(page.items) do
    eq({ row, seen[item.id] }, { row })
    seen[item.id] = true
  end
end

T['highlights lie on what they are about'] = function()
  local page = render(stub.view())
  local seen = {}
  for _, mark in ipairs(page.marks) do
    if mark.row >= 3 and mark.row <= 7 then
      seen[mark.group] = page.lines[mark.row + 1]:sub(mark.from + 1, mark.to):gsub(' +$', '')
    end
  end
  eq(seen.McpReady, 'ready')
  eq(seen.McpFailed, 'failed')
  eq(seen.McpError, 'connect: exec: "uvx" not found')
  eq(seen.McpTime, '320 ms')
  eq(seen.McpAsk, 'not trusted')
  local links = require('mcp_sidecar.ui.highlights').links
  for _, mark in ipairs(page.marks) do
    eq({ mark.group, links[mark.group] ~= nil }, { mark.group, true })
  end
end

T['a window without a frame has the help line at the end'] = function()
  local page = render(stub.view(), { help_line = ' ? keys ' })
  eq(page.lines[#page.lines], ' ? keys')
end

return T
