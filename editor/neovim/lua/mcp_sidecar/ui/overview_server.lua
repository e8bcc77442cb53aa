-- The lines of one server in the overview. Pure.
local Page = require('mcp_sidecar.ui.page')
local cells = require('mcp_sidecar.cells')
local diagnostics = require('mcp_sidecar.diagnostics')
local phases = require('mcp_sidecar.ui.phases')
local places = require('mcp_sidecar.ui.places')
local words = require('mcp_sidecar.words')

local M = {}

local detail_indent = 4
local label_width = 13

---Columns of the servers' lines, in cells.
---@alias mcp_sidecar.ui.ServerColumns { name: integer, phase: integer, tools: integer }

---@param server mcp_sidecar.Server
---@return string
local function tools_word(server)
  local tools = server.tools
  if tools.count == 0 and tools.from ~= 'live' then return '' end
  return words.counted(tools.count, 'tool') .. (tools.from == 'cache' and ', cached' or '')
end

---@param view mcp_sidecar.SessionView
---@param server mcp_sidecar.Server
---@return mcp_sidecar.ui.PhaseLook
local function look_of(view, server) return phases.look(server, vim.list_contains(view.disabled, server.name)) end

---Whether a diagnostic is about this server and says what the server's record does not.
---@param diagnostic mcp_sidecar.Diagnostic
---@param server mcp_sidecar.Server
---@return boolean
local function concerns(diagnostic, server)
  return diagnostic.server == server.name and not diagnostics.repeats(diagnostic, server)
end

---The columns that the servers of a view need.
---@param view mcp_sidecar.SessionView
---@param width integer of the page
---@return mcp_sidecar.ui.ServerColumns
function M.columns(view, width)
  local columns = { name = 0, phase = 0, tools = 0 }
  for _, server in ipairs(view.servers) do
    columns.name = math.max(columns.name, cells.width(cells.visible(server.name)))
    columns.phase = math.max(columns.phase, cells.width(look_of(view, server).word))
    columns.tools = math.max(columns.tools, #tools_word(server))
  end
  columns.name = math.min(columns.name, math.max(12, math.floor(width / 3)))
  return columns
end

---@param server mcp_sidecar.Server
---@return string? message without the name of the server, which stands beside it
local function error_of(server)
  local message = server.error and server.error.message
  if not message then return nil end
  local prefix = ('server "%s": '):format(server.name)
  return vim.startswith(message:lower(), prefix:lower()) and message:sub(#prefix + 1) or message
end

---@param server mcp_sidecar.Server
---@return integer? ms
local function connect_time(server)
  local timings = server.timings
  return timings.connectMs and timings.connectMs + (timings.listMs or 0)
end

---What stands behind a server's columns: the one thing that matters most in its phase.
---@param view mcp_sidecar.SessionView
---@param server mcp_sidecar.Server
---@param look mcp_sidecar.ui.PhaseLook
---@param state mcp_sidecar.ui.OverviewState
---@return mcp_sidecar.ui.Piece[]
local function note(view, server, look, state)
  local pieces = {} ---@type mcp_sidecar.ui.Piece[]
  local function add(text, group)
    if #pieces > 0 then pieces[#pieces + 1] = { ', ', 'McpMuted' } end
    pieces[#pieces + 1] = { text, group }
  end
  if look.kind == 'ready' then
    local ms = connect_time(server)
    if ms then add(words.duration(ms), 'McpTime') end
    local warned = vim.iter(view.errors):filter(function(d) return concerns(d, server) end):totable()
    if #warned > 0 then add(words.counted(#warned, 'warning'), 'McpWarning') end
    return pieces
  end
  if look.kind == 'busy' then
    if server.attempt > 1 then add(('attempt %d'):format(server.attempt), 'McpMuted') end
    -- Of a line that was written over and over, the last state counts.
    if server.activity then add(cells.plain(server.activity):match('[^\r]*$'), 'McpMuted') end
    return pieces
  end
  local wait = state.retry[server.name] or server.nextRetryMs
  if look.kind == 'retry' and wait then add(words.countdown(wait), 'McpRetry') end
  local message = (look.kind == 'failed' or look.kind == 'retry') and error_of(server) or nil
  -- Of a failure the reason matters more than that one can try again, and of both there is room for one.
  if look.step and not (message and server.phase == 'failed') then add(look.step, 'McpHint') end
  if message then add(message, 'McpError') end
  return pieces
end

---@param server mcp_sidecar.Server
---@param state mcp_sidecar.ui.OverviewState
---@param root string
---@return string
local function source_of(server, state, root)
  local source = server.source
  local parts = { source.providerName ~= '' and source.providerName or source.provider }
  if source.level then parts[#parts + 1] = source.level end
  if source.path ~= '' then parts[#parts + 1] = places.short(source, root, state.home) end
  return table.concat(parts, ', ')
end

---@param server mcp_sidecar.Server
---@return string?
local function info_of(server)
  local info = type(server.serverInfo) == 'table' and server.serverInfo or {}
  local name, version = info.title or info.name, info.version
  if type(name) ~= 'string' then return nil end
  return name .. (type(version) == 'string' and version ~= '' and ' ' .. version or '')
end

---@param server mcp_sidecar.Server
---@return string?
local function timing_of(server)
  local timings, parts = server.timings, {}
  for _, part in ipairs({ { 'spawnMs', 'start' }, { 'initializeMs', 'handshake' }, { 'listMs', 'listing' } }) do
    local ms = timings[part[1]]
    if ms then parts[#parts + 1] = ('%s %s'):format(part[2], words.duration(ms)) end
  end
  return #parts > 0 and table.concat(parts, ', ') or nil
end

---@param page mcp_sidecar.ui.Page
---@param view mcp_sidecar.SessionView
---@param server mcp_sidecar.Server
---@param head mcp_sidecar.ui.Item
---@param state mcp_sidecar.ui.OverviewState
local function add_details(page, view, server, head, state)
  local function add(label, text, group, more)
    if not text or text == '' then return end
    more = more or {}
    local item = Page.detail(head, more.key or label, text, more.place)
    local look =
      { indent = detail_indent, label = label, label_width = label_width, group = group, limit = more.limit }
    page:text(item, text, look)
  end
  add('transport', server.transport .. (server.pid and (', process %d'):format(server.pid) or ''))
  add('source', source_of(server, state, view.root), 'McpPath')
  for n, alias in ipairs(server.source.aliases or {}) do
    local text = ('%s (%s)'):format(alias.name, places.short(alias, view.root, state.home))
    add(n == 1 and 'also' or '', text, 'McpPath', { key = 'alias\0' .. n, place = alias })
  end
  add('next step', look_of(view, server).step, 'McpHint')
  local failure = server.error
  if failure then
    add('error', failure.message, 'McpError', { limit = 12 })
    add('hint', failure.hint, 'McpHint', { limit = 12 })
    local tail = cells.plain(table.concat(failure.stderr or {}, '\n'))
    add('stderr', tail, 'McpLogStderr', { limit = 20 })
  end
  for n, diagnostic in ipairs(view.errors) do
    if concerns(diagnostic, server) then
      local text = ('%s: %s'):format(places.short(diagnostic, view.root, state.home), diagnostic.error)
      local group = diagnostic.severity == 'error' and 'McpError' or 'McpWarning'
      add(diagnostic.severity, text, group, { key = 'diagnostic\0' .. n, place = diagnostic })
    end
  end
  add('protocol', server.protocolVersion and 'MCP ' .. server.protocolVersion)
  add('server', info_of(server))
  add('took', timing_of(server))
  add('instructions', server.instructions, nil, { limit = 3 })
end

---Adds a server to a page: its line, and if it is expanded its details and its tools.
---@param page mcp_sidecar.ui.Page
---@param view mcp_sidecar.SessionView
---@param server mcp_sidecar.Server
---@param state mcp_sidecar.ui.OverviewState
---@param columns mcp_sidecar.ui.ServerColumns
function M.add(page, view, server, state, columns)
  local item = {
    id = 'server\0' .. server.name,
    kind = 'server',
    head = true,
    server = server.name,
    label = server.name,
    path = server.source.path,
    line = server.source.line,
    column = server.source.column,
    copy = server.name,
  }
  local look, expanded = look_of(view, server), state.expanded[item.id]
  local muted = look.kind == 'disabled' or look.kind == 'stopped'
  local pieces = {
    { ' ' .. state.icons[expanded and 'open' or 'closed'] .. ' ', 'McpMuted' },
    { state.icons[server.phase] or state.icons[look.kind], phases.groups[look.kind] },
    { ' ' },
    { cells.fill(cells.visible(server.name), columns.name), muted and 'McpMuted' or 'McpServer' },
    { '  ' },
    { cells.fill(cells.visible(look.word), columns.phase), phases.groups[look.kind] },
    { '  ' },
    { cells.fill(tools_word(server), columns.tools), 'McpMuted' },
    { '  ' },
  }
  page:add(item, vim.list_extend(pieces, note(view, server, look, state)))
  if not expanded then return end
  add_details(page, view, server, item, state)
  require('mcp_sidecar.ui.overview_tools').add(page, view, server, state)
  page:gap()
end

return M
