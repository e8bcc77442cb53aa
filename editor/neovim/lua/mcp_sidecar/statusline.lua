-- A word about the session for statuslines: a pure view of what was told last. Nothing is started for it.

local M = {}

---text is what the statusline says of a session.
---@param view mcp_sidecar.SessionView
---@return string
function M.text(view)
  if view.phase == 'stopped' then return '' end
  if view.phase == 'failed' then return 'MCP failed' end
  local ready, wanted, pending, waiting = 0, 0, false, false
  for _, server in ipairs(view.servers) do
    if server.phase ~= 'disabled' and server.phase ~= 'stopped' then
      wanted = wanted + 1
      if server.status == 'connected' then ready = ready + 1 end
      pending = pending or server.status == 'connecting'
      waiting = waiting or vim.list_contains({ 'untrusted', 'needs-auth', 'needs-input' }, server.phase)
    end
  end
  if view.phase == 'starting' and #view.servers == 0 then return 'MCP …' end
  local text = ('MCP %d/%d'):format(ready, wanted)
  if pending then
    text = text .. '…'
  elseif waiting then
    text = text .. '?'
  elseif ready < wanted then
    text = text .. '!'
  end
  return view.calls > 0 and ('%s (%d)'):format(text, view.calls) or text
end

---@type table<integer, string> roots by buffer: to look for one at every redraw would be slow
local roots = {}
---The statusline is shown somewhere, and has to follow.
local followed = false

local function redraw() vim.cmd.redrawstatus({ bang = true }) end

local function follow()
  followed = true
  vim.api.nvim_create_autocmd({ 'DirChanged', 'BufFilePost', 'BufWipeout' }, {
    group = vim.api.nvim_create_augroup('mcp_sidecar_statusline', {}),
    callback = function() roots = {} end,
  })
  local events = require('mcp_sidecar.events')
  local coming = false
  for _, event in ipairs({ 'status', 'state' }) do
    events.on(event, function(data)
      -- One that starts may be that of a project that has become one just now. One that runs is told of at every call.
      if event == 'state' and data.phase ~= 'running' then roots = {} end
      if coming then return end
      coming = true
      vim.schedule(function()
        coming = false
        redraw()
      end)
    end)
  end
end

---statusline is that of the current buffer's project; empty while nothing of it runs.
---@return string
function M.statusline()
  -- Before there is anything to show: what starts later is seen without a key.
  if not followed then follow() end
  local sessions = package.loaded['mcp_sidecar.sessions']
  if not sessions then return '' end
  local buffer = vim.api.nvim_get_current_buf()
  roots[buffer] = roots[buffer] or sessions.root_of(buffer)
  local session = sessions.known(roots[buffer])
  return session and M.text(session:view()) or ''
end

return M
