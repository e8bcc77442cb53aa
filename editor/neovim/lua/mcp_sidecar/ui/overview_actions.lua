-- What the keys of the overview do. Each gets the overview and what the cursor is on.
local places = require('mcp_sidecar.ui.places')
local say = require('mcp_sidecar.say')

local M = {}

---@alias mcp_sidecar.ui.Action fun(overview: mcp_sidecar.ui.Overview, item: mcp_sidecar.ui.Item?)

---@param item mcp_sidecar.ui.Item?
---@return string? server
local function server_of(item)
  if item and item.server then return item.server end
  say.warn('the cursor is on no server')
end

---The id under which an item, or what it is a detail of, is expanded.
---@param item mcp_sidecar.ui.Item?
---@return string?
local function foldable(item)
  if not item or item.kind == 'session' then return nil end
  return item.head and item.id or item.owner
end

---@param overview mcp_sidecar.ui.Overview
---@param item mcp_sidecar.ui.Item?
---@param expanded boolean?
local function set_expanded(overview, item, expanded)
  local id = foldable(item)
  if not id then return end
  overview.expanded[id] = expanded or nil
  overview:render()
end

---@type mcp_sidecar.ui.Action
function M.toggle(overview, item)
  local id = foldable(item)
  set_expanded(overview, item, id and not overview.expanded[id])
end

---@type mcp_sidecar.ui.Action
function M.expand(overview, item) set_expanded(overview, item, true) end

---Folds what the cursor is on, or, if that is folded already, what it belongs to.
---@type mcp_sidecar.ui.Action
function M.fold(overview, item)
  local id = foldable(item)
  if not (item and id) then return end
  if not overview.expanded[id] and item.owner then id = item.owner end
  overview.expanded[id] = nil
  overview:render()
end

---@type mcp_sidecar.ui.Action
function M.expand_all(overview)
  for _, item in pairs(overview.page.items) do
    if item.kind == 'server' and item.head then overview.expanded[item.id] = true end
  end
  overview:render()
end

---@type mcp_sidecar.ui.Action
function M.fold_all(overview)
  overview.expanded = {}
  overview:render()
end

---@type mcp_sidecar.ui.Action
function M.next_server(overview) overview:move(1) end

---@type mcp_sidecar.ui.Action
function M.previous_server(overview) overview:move(-1) end

---@type mcp_sidecar.ui.Action
function M.enter(overview, item)
  if not (item and item.kind == 'tool') then return M.toggle(overview, item) end
  if item.off then return say.warn(('%s is switched off: x switches it on'):format(item.label)) end
  -- Questions and the result want the window that one works in.
  local session = overview.session
  overview:close()
  require('mcp_sidecar.ui.call').start(session, { server = item.server, tool = item.tool })
end

---@type mcp_sidecar.ui.Action
function M.copy(_, item)
  if not (item and item.copy) then return end
  vim.fn.setreg('"', item.copy)
  if vim.fn.has('clipboard') == 1 then vim.fn.setreg('+', item.copy) end
  say.info('copied: ' .. require('mcp_sidecar.cells').line(item.copy, 50))
end

---@type mcp_sidecar.ui.Action
function M.open_file(_, item)
  if not (item and item.path) then return end
  if not places.is_file(item.path) then
    return say.warn('it is configured in Neovim: there is no file to open')
  end
  require('mcp_sidecar.ui.edit').show(item)
end

---@type mcp_sidecar.ui.Action
function M.server_log(overview, item)
  local server, session = server_of(item), overview.session
  if not server then return end
  overview:close()
  require('mcp_sidecar.ui.logs').open(session, server)
end

---@type mcp_sidecar.ui.Action
function M.sidecar_log(overview)
  local session = overview.session
  overview:close()
  require('mcp_sidecar.ui.logs').open(session)
end

---@type mcp_sidecar.ui.Action
function M.reconnect(overview, item)
  local server = server_of(item)
  if server then overview.session:connect(server, { restart = true }, say.failure) end
end

---@type mcp_sidecar.ui.Action
function M.connect(overview, item)
  local server = server_of(item)
  if server then overview.session:connect(server, nil, say.failure) end
end

---@type mcp_sidecar.ui.Action
function M.disconnect(overview, item)
  local server = server_of(item)
  if server then overview.session:disconnect(server, say.failure) end
end

---@type mcp_sidecar.ui.Action
function M.switch(overview, item)
  local name = item and item.label
  if not name then
    server_of(nil)
    return
  end
  local before = overview.session:is_off(name)
  overview.session:toggle(name, say.failure)
  if overview.session:is_off(name) == before then
    say.warn(('%s is switched off by your settings: settings.disabled'):format(name))
  end
end

---@type mcp_sidecar.ui.Action
function M.trust(overview) require('mcp_sidecar.ui.trust').manage(overview.session) end

---@type mcp_sidecar.ui.Action
function M.reload(overview) overview.session:reload('full', say.failure) end

---@type mcp_sidecar.ui.Action
function M.start(overview) overview.session:start(say.failure) end

---@type mcp_sidecar.ui.Action
function M.restart(overview) overview.session:restart(say.failure) end

---@type mcp_sidecar.ui.Action
function M.help(overview) overview:toggle_help() end

---@type mcp_sidecar.ui.Action
function M.close(overview)
  if overview.help then return overview:toggle_help() end
  overview:close()
end

return M
