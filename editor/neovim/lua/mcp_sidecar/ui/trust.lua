-- One dialog about all servers that a project's files name: what each would run, and whether it may. Nothing
-- is decided before <CR>, so that a key that was meant for something else allows nothing.

local lines_of = require('mcp_sidecar.ui.trust_lines')
local prompts = require('mcp_sidecar.ui.prompts')

local M = {}

---Questions that are open, by root: what shows each.
---@type table<string, fun()>
local open = {}
---When the user last asked for something in a project, in milliseconds: a dialog is expected then. Otherwise it
---does not come up by itself: keys that were meant for a text could allow something.
---@type table<string, integer>
local asked = {}
local EXPECTED_MS = 10000

---@class mcp_sidecar.TrustDialog
---@field servers mcp_sidecar.ProjectServer[]
---@field chosen table<integer, mcp_sidecar.Decision>
---@field buffer integer
---@field window integer
---@field at table<integer, integer> the server (its index) that a line is about
---@field finish fun(chosen: table<integer, mcp_sidecar.Decision>?) once; nil: it was closed

local namespace = vim.api.nvim_create_namespace('mcp_sidecar_trust')

---@param dialog mcp_sidecar.TrustDialog
local function draw(dialog)
  local project = vim.fn.fnamemodify(dialog.servers[1].project, ':~')
  local out = lines_of.render(dialog.servers, dialog.chosen, project)
  dialog.at = out.servers
  vim.bo[dialog.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(dialog.buffer, 0, -1, false, out.lines)
  vim.bo[dialog.buffer].modifiable = false
  vim.api.nvim_buf_clear_namespace(dialog.buffer, namespace, 0, -1)
  for _, mark in ipairs(out.marks) do
    vim.api.nvim_buf_set_extmark(dialog.buffer, namespace, mark.line, mark.from, {
      end_col = mark.to,
      hl_group = mark.group,
    })
  end
  return out
end

---@param out mcp_sidecar.TrustLines
local function window_config(out)
  local width = 0
  for _, line in ipairs(out.lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  width = math.max(40, math.min(width + 2, vim.o.columns - 4))
  local height = 0
  for _, line in ipairs(out.lines) do
    height = height + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  height = math.min(height, vim.o.lines - 4)
  return {
    relative = 'editor',
    style = 'minimal',
    border = require('mcp_sidecar.config').get().ui.border,
    title = ' MCP servers of this project ',
    width = width,
    height = height,
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2)),
  }
end

---@param dialog mcp_sidecar.TrustDialog
local function map_keys(dialog)
  local function map(keys, fn)
    vim.keymap.set('n', keys, fn, { buffer = dialog.buffer, nowait = true, silent = true })
  end
  local function here() return dialog.at[vim.api.nvim_win_get_cursor(dialog.window)[1]] end
  local function choose(decision)
    return function()
      local index = here()
      if not index then return end
      dialog.chosen[index] = decision
      draw(dialog)
    end
  end
  local function choose_all(decision)
    return function()
      for index in ipairs(dialog.servers) do
        dialog.chosen[index] = decision
      end
      draw(dialog)
    end
  end
  map('a', choose('allow'))
  map('d', choose('deny'))
  map('l', choose('later'))
  map('A', choose_all('allow'))
  map('D', choose_all('deny'))
  map('<CR>', function() dialog.finish(dialog.chosen) end)
  map('q', function() dialog.finish(nil) end)
  map('<Esc>', function() dialog.finish(nil) end)
  map('o', function()
    local server = dialog.servers[here() or 1]
    dialog.finish(nil)
    vim.cmd.split({ args = { vim.fn.fnameescape(server.path) } })
    vim.fn.search('\\V"' .. vim.fn.escape(server.name, '\\/') .. '"', 'w')
  end)
end

---show opens the dialog. `done` gets what was chosen by index, or nil if it was closed.
---@param servers mcp_sidecar.ProjectServer[]
---@param done fun(chosen: table<integer, mcp_sidecar.Decision>?)
---@return fun() close takes it off the screen; `done` gets nil
function M.show(servers, done)
  require('mcp_sidecar.ui.highlights').define()
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].filetype = 'mcptrust'
  local finished = false
  local dialog = { servers = servers, chosen = {}, buffer = buffer }
  for index, server in ipairs(servers) do
    dialog.chosen[index] = server.decision
  end
  local out = draw(dialog)
  dialog.window = vim.api.nvim_open_win(buffer, true, window_config(out))
  vim.wo[dialog.window].wrap = true
  vim.wo[dialog.window].cursorline = true
  local first = math.huge
  for line in pairs(out.servers) do
    first = math.min(first, line)
  end
  vim.api.nvim_win_set_cursor(dialog.window, { first, 0 })
  dialog.finish = function(chosen)
    if finished then return end
    finished = true
    if vim.api.nvim_win_is_valid(dialog.window) then vim.api.nvim_win_close(dialog.window, true) end
    done(chosen)
  end
  map_keys(dialog)
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buffer,
    once = true,
    callback = vim.schedule_wrap(function() dialog.finish(nil) end),
  })
  return function() dialog.finish(nil) end
end

---expect says that the user has asked for something in this project just now.
---@param root string
function M.expect(root) asked[root] = vim.uv.now() end

---What was announced last in a project: a sidecar that is started again asks again.
---@type table<string, string>
local announced = {}

local function announce(root, question)
  local names = vim.tbl_map(function(server) return lines_of.printable(server.name) end, question.servers)
  local text = 'mcp-sidecar: servers that a file of this project names wait for you: %s\n'
    .. '`:Mcp trust` shows what they would run.'
  text = text:format(table.concat(names, ', '))
  if announced[root] == text then return end
  announced[root] = text
  vim.notify(text, vim.log.levels.WARN)
end

---ask answers trust/approve: by the dialog if the user expects one, else when `:Mcp trust` opens it.
---@param session mcp_sidecar.Session
---@param question mcp_sidecar.ApproveParams
---@param reply mcp_sidecar.Reply
---@return fun() withdraw
function M.ask(session, question, reply)
  local root = session.root
  local close, withdraw
  local function shut()
    open[root] = nil
    if withdraw then withdraw() end
  end
  local function show(done)
    close = M.show(question.servers, function(chosen)
      close = nil
      done()
      shut()
      if not chosen then return reply(nil) end
      local decisions = {}
      for index, server in ipairs(question.servers) do
        decisions[server.name] = chosen[index] or 'later'
      end
      reply(decisions)
    end)
  end
  open[root] = function()
    if close then return end
    if withdraw then withdraw() end
    withdraw = prompts.ask(show)
  end
  if vim.uv.now() - (asked[root] or -EXPECTED_MS) < EXPECTED_MS then
    open[root]()
  else
    announce(root, question)
  end
  return function()
    shut()
    if close then close() end
    reply(nil)
  end
end

---Requests by decision; `later` forgets what was decided.
local REQUESTS = { allow = 'trust/allow', deny = 'trust/deny', later = 'trust/revoke' }

---manage shows all servers of the project's files with what was decided, and carries out what is changed.
---@param session mcp_sidecar.Session
function M.manage(session)
  if open[session.root] then return open[session.root]() end
  session:request('trust/list', nil, function(err, result)
    if err then
      if not err.reported then vim.notify('mcp-sidecar: ' .. err.message, vim.log.levels.ERROR) end
      return
    end
    if #result.servers == 0 then
      return vim.notify('mcp-sidecar: the files of this project name no servers', vim.log.levels.INFO)
    end
    M.show(result.servers, function(chosen)
      for index, server in ipairs(chosen and result.servers or {}) do
        local decision = chosen[index] or 'later'
        if decision ~= (server.decision or 'later') then
          local params = { server = server.name, hash = server.hash }
          session:request(REQUESTS[decision], params, function(failure)
            if failure then vim.notify('mcp-sidecar: ' .. failure.message, vim.log.levels.ERROR) end
          end)
        end
      end
    end)
  end)
end

return M
