-- What the overview shows of a session, as a page. Pure: the same view and state give the same page.
local Page = require('mcp_sidecar.ui.page')
local cells = require('mcp_sidecar.cells')
local phases = require('mcp_sidecar.ui.phases')
local places = require('mcp_sidecar.ui.places')
local servers = require('mcp_sidecar.ui.overview_server')
local words = require('mcp_sidecar.words')

local M = {}

---OverviewState is what the page depends on beside the session's view.
---@class mcp_sidecar.ui.OverviewState
---@field width integer cells
---@field expanded table<string, boolean> by id of item
---@field retry table<string, number> ms until a server's next attempt, where it is known better than the view has it
---@field icons table<string, string> see M.icons
---@field home? string the user's home directory
---@field help_line? string stands at the end of the page, for windows without a footer

---The icons to use: the user's over ours, all filled to the same width, so that columns stay.
---@param given table<string, string>? ui.icons of the configuration
---@return table<string, string>
function M.icons(given)
  local icons = vim.tbl_extend('force', phases.icons, given or {}) ---@type table<string, string>
  local width = 0
  for name, icon in pairs(icons) do
    icons[name] = cells.visible(tostring(icon))
    width = math.max(width, cells.width(icons[name]))
  end
  for name, icon in pairs(icons) do
    icons[name] = cells.fill(icon, width)
  end
  return icons
end

local phase_words = { stopped = 'not running', starting = 'starting', running = 'running', failed = 'failed' }
local phase_groups =
  { stopped = 'McpStopped', starting = 'McpBusy', running = 'McpReady', failed = 'McpFailed' }

---@param view mcp_sidecar.SessionView
---@return mcp_sidecar.ui.Piece[]
local function counts(view)
  local ready = vim
    .iter(view.servers)
    :filter(function(server) return server.status == 'connected' end)
    :totable()
  local pieces = {
    { ' ' },
    { ('%d/%d'):format(#ready, #view.servers), 'McpCount' },
    { #view.servers == 1 and ' server, ' or ' servers, ' },
    { tostring(#view.tools), 'McpCount' },
    { #view.tools == 1 and ' tool' or ' tools' },
  }
  if view.calls > 0 then
    pieces[#pieces + 1] = { ', ' }
    pieces[#pieces + 1] = { words.counted(view.calls, 'call runs', 'calls run'), 'McpProgress' }
  end
  return pieces
end

---@param page mcp_sidecar.ui.Page
---@param view mcp_sidecar.SessionView
---@param state mcp_sidecar.ui.OverviewState
local function add_header(page, view, state)
  local function item(key, copy)
    return { id = 'session\0' .. key, kind = 'session', head = true, copy = copy }
  end
  local sidecar = view.sidecar and ('%s %s '):format(view.sidecar.name, view.sidecar.version)
    or 'mcp-sidecar '
  page:add(item('root', view.root), { { ' ' }, { places.tilde(view.root, state.home), 'McpRoot' } }, {
    { sidecar, 'McpMuted' },
    { phase_words[view.phase] or view.phase, phase_groups[view.phase] },
    { ' ' },
  })
  if #view.servers > 0 then page:add(item('counts'), counts(view)) end
  if view.error and view.phase ~= 'running' then
    page:text(item('error', view.error), view.error, { indent = 1, group = 'McpError', limit = 12 })
  end
  page:gap()
end

---@param page mcp_sidecar.ui.Page
---@param lines mcp_sidecar.ui.Piece[][]
local function add_notes(page, lines)
  for n, pieces in ipairs(lines) do
    page:add({ id = 'session\0note\0' .. n, kind = 'session', head = true }, { { ' ' }, unpack(pieces) })
  end
end

---@param view mcp_sidecar.SessionView
---@return mcp_sidecar.ui.Piece[][]
local function empty_state(view)
  if view.phase == 'starting' then
    return { { { 'It is starting: its servers appear here.', 'McpMuted' } } }
  end
  if view.phase == 'stopped' then
    return {
      { { 'No session is running in this project.' } },
      {},
      { { 's', 'McpKey' }, { ' starts it. A call of a tool starts it, too.' } },
      { { 'L', 'McpKey' }, { ' shows the log, ' }, { '?', 'McpKey' }, { ' all keys.' } },
    }
  end
  if view.phase == 'failed' then
    return {
      { { 's', 'McpKey' }, { ' tries again, ' }, { 'L', 'McpKey' }, { ' shows the log.' } },
      { { ':checkhealth mcp_sidecar', 'McpKey' }, { ' examines the installation.' } },
    }
  end
  return {
    { { 'No servers are configured for this project.' } },
    {},
    { { 'Name them in one of these files:' } },
    { { '  .mcp.json                       ', 'McpPath' }, { 'for this project' } },
    { { '  ~/.config/mcp-sidecar/mcp.json  ', 'McpPath' }, { 'for all your projects' } },
    { { 'as ' }, { '{"mcpServers": {"name": {"command": "…"}}}', 'McpType' } },
    {},
    {
      { 'R', 'McpKey' },
      { ' reads them again. ' },
      { ':help mcp-sidecar-servers', 'McpKey' },
      { ' says more.' },
    },
  }
end

---The diagnostics that are about no server of the view.
---@param view mcp_sidecar.SessionView
---@return mcp_sidecar.Diagnostic[]
local function other_diagnostics(view)
  local listed = {} ---@type table<string, boolean>
  for _, server in ipairs(view.servers) do
    listed[server.name] = true
  end
  return vim.tbl_filter(function(diagnostic) return not listed[diagnostic.server or ''] end, view.errors)
end

---@param page mcp_sidecar.ui.Page
---@param view mcp_sidecar.SessionView
---@param state mcp_sidecar.ui.OverviewState
local function add_diagnostics(page, view, state)
  local diagnostics = other_diagnostics(view)
  if #diagnostics == 0 then return end
  page:gap()
  page:add(
    { id = 'session\0diagnostics', kind = 'session', head = true },
    { { ' Configuration', 'McpHeading' } }
  )
  for _, diagnostic in ipairs(diagnostics) do
    local where = places.short(diagnostic, view.root, state.home)
    local text = (where ~= '' and where .. ': ' or '') .. diagnostic.error
    local group = diagnostic.severity == 'error' and 'McpError' or 'McpWarning'
    local item = {
      id = ('diagnostic\0%s\0%s\0%s'):format(diagnostic.path, diagnostic.line or '', diagnostic.error),
      kind = 'diagnostic',
      head = true,
      path = diagnostic.path,
      line = diagnostic.line,
      column = diagnostic.column,
      copy = text,
    }
    if state.expanded[item.id] then
      local first = #page.lines + 1
      page:text(item, text, { indent = 3, group = group })
      -- The first of its lines is the one that stays when it is folded.
      page.items[first] = item
    else
      page:add(item, { { '   ' }, { text, group } })
    end
  end
end

---The page of a session.
---@param view mcp_sidecar.SessionView
---@param state mcp_sidecar.ui.OverviewState
---@return mcp_sidecar.ui.Page
function M.render(view, state)
  local page = Page.new(state.width)
  add_header(page, view, state)
  if #view.servers == 0 then
    add_notes(page, empty_state(view))
  else
    local columns = servers.columns(view, state.width)
    for _, server in ipairs(view.servers) do
      servers.add(page, view, server, state, columns)
    end
  end
  add_diagnostics(page, view, state)
  if page.lines[#page.lines] == '' then page.lines[#page.lines] = nil end
  if state.help_line then
    page:gap()
    page:add(nil, { { state.help_line, 'McpFooter' } })
  end
  return page
end

return M
