-- The lines of a server's tools in the overview. Pure.
local Page = require('mcp_sidecar.ui.page')
local cells = require('mcp_sidecar.cells')
local form_schema = require('mcp_sidecar.ui.form_schema')
local of_tool = require('mcp_sidecar.tool')
local schema_parts = require('mcp_sidecar.ui.schema_parts')

local M = {}

local indent = 4
local detail_indent = 8
local shown_arguments = 40

---Entry is one tool of a server: listed, or switched off.
---@class mcp_sidecar.ui.ToolEntry
---@field own string the server's own name of it
---@field tool? mcp_sidecar.Tool nil for one that is switched off

local groups = { live = 'McpToolLive', deferred = 'McpToolDeferred', off = 'McpToolOff' }

---The tools of a server, also those that are switched off, by their own names. What the user switched off is
---here at once, before the sidecar has said so, and also while the server is not connected.
---@param view mcp_sidecar.SessionView
---@param server mcp_sidecar.Server
---@return mcp_sidecar.ui.ToolEntry[]
function M.entries(view, server)
  local out, known = {}, {} ---@type mcp_sidecar.ui.ToolEntry[], table<string, boolean>
  local function add(own, tool)
    if known[own] then return end
    known[own] = true
    out[#out + 1] = { own = own, tool = tool }
  end
  for _, tool in ipairs(view.tools) do
    if tool.server == server.name then add(of_tool.own_name(tool), tool) end
  end
  for _, own in ipairs(server.tools.off or {}) do
    add(own)
  end
  local prefix = server.name .. '/'
  for _, name in ipairs(view.disabled) do
    if vim.startswith(name, prefix) then add(name:sub(#prefix + 1)) end
  end
  table.sort(out, function(a, b) return a.own < b.own end)
  return out
end

---@param value any
---@return string?
local function text_of(value) return type(value) == 'string' and value:find('%S') and value or nil end

---What there is to say of a tool in one line: its title, and how its description begins.
---@param tool mcp_sidecar.Tool
---@return mcp_sidecar.ui.Piece[]
local function summary(tool)
  local definition = of_tool.definition(tool)
  local title = text_of(definition.title) or text_of(of_tool.annotations(tool).title)
  local described = text_of(definition.description)
  local first = described and vim.trim(described):match('^[^\r\n]*')
  if first and title and vim.startswith(first:lower(), title:lower()) then title = nil end
  local pieces = {}
  if title then pieces[1] = { title .. (first and ': ' or '') } end
  if first then pieces[#pieces + 1] = { first, 'McpMuted' } end
  return pieces
end

---@param tool mcp_sidecar.Tool
---@return mcp_sidecar.ui.Piece?
local function annotation(tool)
  local given = of_tool.annotations(tool)
  if given.readOnlyHint == true then return { 'read-only', 'McpReadOnly' } end
  if given.destructiveHint == true then return { 'destructive', 'McpDestructive' } end
end

---@param entry mcp_sidecar.ui.ToolEntry
---@param server mcp_sidecar.Server
---@return mcp_sidecar.ui.Item
local function item_of(entry, server)
  local label = server.name .. '/' .. entry.own
  return {
    id = 'tool\0' .. server.name .. '\0' .. entry.own,
    owner = 'server\0' .. server.name,
    kind = 'tool',
    head = true,
    server = server.name,
    tool = entry.own,
    label = label,
    off = entry.tool == nil,
    path = server.source.path,
    line = server.source.line,
    column = server.source.column,
    copy = entry.tool and entry.tool.name or label,
  }
end

---Adds what a tool takes: what the form would ask for, in the same order.
---@param page mcp_sidecar.ui.Page
---@param item fun(key: string, copy?: string): mcp_sidecar.ui.Item
---@param schema any
local function add_arguments(page, item, schema)
  local form = form_schema.form(schema)
  local look = { indent = detail_indent, group = 'McpMuted' }
  if form.whole then return page:text(item('arguments'), 'It does not say what it takes.', look) end
  if #form.fields == 0 then return page:text(item('arguments'), 'It takes no arguments.', look) end
  page:add(item('arguments'), { { (' '):rep(detail_indent) .. 'takes (* must be given)', 'McpMuted' } })
  local shown = vim.list_slice(form.fields, 1, shown_arguments)
  local width = 0
  for _, field in ipairs(shown) do
    width = math.max(width, cells.width(cells.visible(field.name)))
  end
  width = math.min(width, 23)
  local parts = schema_parts.new(schema)
  for _, field in ipairs(shown) do
    page:add(item('argument\0' .. field.name, field.name), {
      { (' '):rep(detail_indent + 2) },
      { cells.fill(cells.visible(field.name), width), 'McpArgument' },
      { field.required and '*' or ' ', 'McpRequired' },
      { ' ' },
      { parts:notation(field.schema), 'McpType' },
      { field.description ~= '' and '  ' .. field.description or '', 'McpMuted' },
    })
  end
  if #form.fields > #shown then
    page:text(item('more'), ('… and %d more arguments'):format(#form.fields - #shown), look)
  end
end

---@param page mcp_sidecar.ui.Page
---@param head mcp_sidecar.ui.Item
---@param entry mcp_sidecar.ui.ToolEntry
local function add_details(page, head, entry)
  local function item(key, copy) return Page.detail(head, key, copy) end
  local tool = entry.tool
  if not tool then
    local text = 'It is switched off in this project: x switches it on.'
    return page:text(item('off'), text, { indent = detail_indent, group = 'McpHint' })
  end
  local definition = of_tool.definition(tool)
  page:text(item('name'), tool.name, { indent = detail_indent, label = 'name', label_width = 6 })
  local hints = {} ---@type string[]
  for key, words in pairs({ idempotentHint = 'idempotent', openWorldHint = 'reaches beyond this machine' }) do
    if of_tool.annotations(tool)[key] == true then hints[#hints + 1] = words end
  end
  table.sort(hints)
  if #hints > 0 then
    page:text(
      item('hints'),
      table.concat(hints, ', '),
      { indent = detail_indent, label = 'is', label_width = 6 }
    )
  end
  if tool.state == 'deferred' then
    local text = 'Its server is not connected: a call waits for it.'
    page:text(item('state'), text, { indent = detail_indent, group = 'McpHint' })
  end
  local described = text_of(definition.description)
  if described then
    page:text(item('description', described), described, { indent = detail_indent, limit = 40 })
  end
  add_arguments(page, item, definition.inputSchema)
end

---Adds a server's tools to a page.
---@param page mcp_sidecar.ui.Page
---@param view mcp_sidecar.SessionView
---@param server mcp_sidecar.Server
---@param state mcp_sidecar.ui.OverviewState
function M.add(page, view, server, state)
  local entries = M.entries(view, server)
  local width = 0
  for _, entry in ipairs(entries) do
    width = math.max(width, cells.width(cells.visible(entry.own)))
  end
  width = math.min(width, math.max(16, math.floor(page.width / 3)))
  for _, entry in ipairs(entries) do
    local item = item_of(entry, server)
    local kind = entry.tool and entry.tool.state or 'off'
    local pieces = {
      { (' '):rep(indent) },
      { state.icons[kind] or state.icons.deferred, groups[kind] },
      { ' ' },
      { cells.fill(cells.visible(entry.own), width), entry.tool and 'McpTool' or 'McpToolOff' },
      { '  ' },
    }
    local noted = entry.tool and annotation(entry.tool)
    if noted then vim.list_extend(pieces, { noted, { '  ' } }) end
    vim.list_extend(pieces, entry.tool and summary(entry.tool) or { { 'off', 'McpToolOff' } })
    page:add(item, pieces)
    if state.expanded[item.id] then add_details(page, item, entry) end
  end
end

return M
