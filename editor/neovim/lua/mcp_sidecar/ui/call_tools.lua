-- Choosing a tool: which there are, how they read in a list, which need a question before they run, and why there
-- are none. Pure.

local cells = require('mcp_sidecar.cells')
local of_tool = require('mcp_sidecar.tool')
local one_line = require('mcp_sidecar.ui.form_schema').one_line

local M = {}

---schema is a tool's inputSchema, as the server wrote it.
---@param tool mcp_sidecar.Tool
---@return any
function M.schema(tool) return of_tool.definition(tool).inputSchema end

---title_of is what people call a tool, where that is another name than the server's own.
---@param tool mcp_sidecar.Tool
---@return string? title
local function title_of(tool)
  for _, text in ipairs({ of_tool.definition(tool).title or false, of_tool.annotations(tool).title or false }) do
    local line = one_line(text)
    if line ~= '' then return line ~= of_tool.own_name(tool) and line or nil end
  end
end

---find is the tool that a call's target names, if the session has it.
---@param view mcp_sidecar.SessionView
---@param target string|{ server: string, tool: string }
---@return mcp_sidecar.Tool?
function M.find(view, target)
  for _, tool in ipairs(view.tools) do
    if tool.name == target then return tool end
    if type(target) == 'table' and tool.server == target.server and of_tool.own_name(tool) == target.tool then
      return tool
    end
  end
end

---label is what a target is called while it runs.
---@param target string|{ server: string, tool: string }
---@param tool? mcp_sidecar.Tool
---@return string
function M.label(target, tool)
  if tool then return cells.visible(tool.label) end
  if type(target) == 'table' then return cells.visible(('%s/%s'):format(target.server, target.tool)) end
  return cells.visible(target)
end

---line is how a tool reads in a list: "server  name  — title: description". Pickers find it by each of them.
---@param tool mcp_sidecar.Tool
---@param width integer cells
---@return string
function M.line(tool, width)
  local line = ('%s  %s'):format(cells.visible(tool.server), cells.visible(of_tool.own_name(tool)))
  if tool.state == 'deferred' then line = line .. ' [deferred]' end
  local about = { title_of(tool) }
  local description = one_line(of_tool.definition(tool).description)
  if description ~= '' then about[#about + 1] = description end
  if #about > 0 then line = ('%s  — %s'):format(line, table.concat(about, ': ')) end
  return cells.cut(line, width)
end

---is_destructive says whether to ask before a tool runs: the server says that it destroys, or that it writes, and not
---that it only adds or may be repeated. MCP calls a tool without annotations destructive as well; a question at
---every call would be one that nobody reads.
---@param tool? mcp_sidecar.Tool
---@return boolean
function M.is_destructive(tool)
  if not tool then return false end
  local hints = of_tool.annotations(tool)
  if hints.destructiveHint == true then return true end
  return hints.readOnlyHint == false and hints.destructiveHint == nil and hints.idempotentHint ~= true
end

local function letters(text) return (text:lower():gsub('[^%w]', '')) end

-- Whether a server may have what is wanted. An exposed name has that of its server in it, spelled with other signs.
local function may_have(server, target)
  if target == nil then return true end
  if type(target) == 'table' then return target.server == server end
  return letters(target):find(letters(server), 1, true) ~= nil
end

---pending are the servers whose tools may still come.
---@param view mcp_sidecar.SessionView
---@param target? string|{ server: string, tool: string } what is wanted of them; nil: anything
---@return string[] names
function M.pending(view, target)
  local has, names = {}, {}
  for _, tool in ipairs(view.tools) do
    has[tool.server] = true
  end
  for _, server in ipairs(view.servers) do
    -- A status may come before the tools that it counts.
    local coming = server.status == 'connecting' or (server.tools.count > 0 and not has[server.name])
    if coming and may_have(server.name, target) then names[#names + 1] = server.name end
  end
  return names
end

---waiting_note is what is shown while servers are waited for.
---@param view mcp_sidecar.SessionView
---@param target? string|{ server: string, tool: string }
---@return string
function M.waiting_note(view, target)
  local names = M.pending(view, target)
  if #names == 0 then return 'waiting' end
  if #names > 1 then return 'waiting for ' .. table.concat(names, ', ') end
  for _, server in ipairs(view.servers) do
    local activity = server.name == names[1] and server.activity
    if activity and activity ~= '' then return ('waiting for %s: %s'):format(names[1], activity) end
  end
  return 'waiting for ' .. names[1]
end

local PHASES = {
  ['needs-auth'] = 'wants you to sign in',
  ['needs-input'] = 'waits for a value that its configuration asks for',
  untrusted = 'is not trusted yet: `:Mcp trust`',
  disabled = 'is switched off',
  stopped = 'is stopped',
  ready = 'has no tools',
  backoff = 'could not be connected, and is tried again',
}

---why_none says why a session has no tools.
---@param view mcp_sidecar.SessionView
---@return string
function M.why_none(view)
  if #view.servers == 0 then
    local lines = { 'there are no MCP tools: no server is configured here' }
    for _, diagnostic in ipairs(view.errors) do
      lines[#lines + 1] = ('  %s: %s'):format(cells.visible(diagnostic.path), cells.visible(diagnostic.error))
    end
    return table.concat(lines, '\n')
  end
  local lines = { 'there are no MCP tools:' }
  for _, server in ipairs(view.servers) do
    local reason = PHASES[server.phase] or ('is ' .. server.phase)
    local off = #(server.tools.off or {})
    if server.phase == 'ready' and off > 0 then reason = ('has all its %d tools switched off'):format(off) end
    if server.error then reason = ('is %s: %s'):format(server.phase, cells.visible(server.error.message)) end
    lines[#lines + 1] = ('  %s %s'):format(cells.visible(server.name), reason)
  end
  return table.concat(lines, '\n')
end

return M
