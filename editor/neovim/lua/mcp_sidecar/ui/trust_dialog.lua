-- The dialog about a project's servers: what each would run, and whether it may. It shows servers and returns what
-- was chosen, and knows nothing of sessions. Nothing is decided before <CR>, so that a key that was meant for
-- something else allows nothing.

local float = require('mcp_sidecar.ui.float')
local lines_of = require('mcp_sidecar.ui.trust_lines')

---@alias mcp_sidecar.TrustChoice table<integer, mcp_sidecar.Decision> by the index of the server

---@class mcp_sidecar.TrustDialog
---@field private servers mcp_sidecar.ProjectServer[]
---@field private chosen mcp_sidecar.TrustChoice
---@field private buffer integer
---@field private window integer
---@field private at table<integer, integer> the server (its index) that a line is about
---@field private done? fun(chosen: mcp_sidecar.TrustChoice?, file: mcp_sidecar.ProjectServer?) until it was called
local Dialog = {}
Dialog.__index = Dialog

local M = {}

local namespace = vim.api.nvim_create_namespace('mcp_sidecar_trust')

---@return any border
local function border() return require('mcp_sidecar.config').get().ui.border end

---@return boolean there is a frame, on which the keys stand
local function framed() return float.has_frame(border()) end

---draw computes the lines for the screen as it is, and puts them into the buffer.
---@private
---@return mcp_sidecar.TrustLines
function Dialog:draw()
  local out = lines_of.render(self.servers, self.chosen, {
    project = vim.fn.fnamemodify(self.servers[1].project, ':~'),
    width = float.room(float.space(border())),
    keys = not framed(),
  })
  self.at = out.servers
  vim.bo[self.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(self.buffer, 0, -1, false, out.lines)
  vim.bo[self.buffer].modifiable = false
  vim.api.nvim_buf_clear_namespace(self.buffer, namespace, 0, -1)
  require('mcp_sidecar.ui.marks').put(self.buffer, namespace, out.marks)
  return out
end

---@param out mcp_sidecar.TrustLines
---@return vim.api.keyset.win_config
local function window_config(out)
  local width = #lines_of.help_line()
  for _, line in ipairs(out.lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  local layout = float.centred(float.space(border()), width, #out.lines)
  local config = vim.tbl_extend('error', layout, { relative = 'editor', border = border() })
  if framed() then
    config.title, config.title_pos = ' MCP servers of this project ', 'left'
    config.footer, config.footer_pos = (' %s '):format(lines_of.help_line(layout.width)), 'left'
  end
  return config
end

---@private
---@return integer? index of the server under the cursor
function Dialog:here() return self.at[vim.api.nvim_win_get_cursor(self.window)[1]] end

---point puts the cursor on the first line about a server.
---@private
---@param index integer?
function Dialog:point(index)
  for line = 1, vim.api.nvim_buf_line_count(self.buffer) do
    if self.at[line] and (index or 1) == self.at[line] then
      return vim.api.nvim_win_set_cursor(self.window, { line, 0 })
    end
  end
end

---@private
function Dialog:fit()
  if not vim.api.nvim_win_is_valid(self.window) then return end
  local index = self:here()
  local config = window_config(self:draw())
  -- The user may have made it one that does not float.
  if vim.api.nvim_win_get_config(self.window).relative ~= '' then
    vim.api.nvim_win_set_config(self.window, config)
  end
  -- From the top, so that no line is hidden which has room now.
  vim.api.nvim_win_call(self.window, function() vim.fn.winrestview({ topline = 1 }) end)
  self:point(index)
end

---take_away wipes its buffer, wherever it is shown by now: the last window could not be closed.
---@private
function Dialog:take_away()
  if not vim.api.nvim_buf_is_valid(self.buffer) then return end
  if vim.fn.getcmdwintype() == '' then return vim.api.nvim_buf_delete(self.buffer, { force = true }) end
  -- No window can be closed from there.
  vim.api.nvim_create_autocmd('CmdwinLeave', {
    once = true,
    callback = vim.schedule_wrap(function() self:take_away() end),
  })
end

---finish ends it, once.
---@private
---@param chosen? mcp_sidecar.TrustChoice
---@param file? mcp_sidecar.ProjectServer
function Dialog:finish(chosen, file)
  self:take_away()
  local done = self.done
  self.done = nil
  if done then done(chosen, file) end
end

---close takes it off the screen, if it is there: nothing was chosen.
function Dialog:close() self:finish(nil) end

---focus brings the user to it.
function Dialog:focus()
  if vim.api.nvim_win_is_valid(self.window) then vim.api.nvim_set_current_win(self.window) end
end

---@private
function Dialog:map_keys()
  local function choose(decision)
    return function()
      local index = self:here()
      if not index then return end
      self.chosen[index] = decision
      self:draw()
    end
  end
  local function choose_all(decision)
    return function()
      for index in ipairs(self.servers) do
        self.chosen[index] = decision
      end
      self:draw()
    end
  end
  local actions = {
    a = choose('allow'),
    d = choose('deny'),
    l = choose('later'),
    A = choose_all('allow'),
    D = choose_all('deny'),
    o = function() self:finish(nil, self.servers[self:here() or 1]) end,
    ['<CR>'] = function() self:finish(self.chosen) end,
    q = function() self:close() end,
    ['<Esc>'] = function() self:close() end,
  }
  for _, key in ipairs(lines_of.KEYS) do
    for _, lhs in ipairs(key.keys) do
      vim.keymap.set('n', lhs, actions[lhs], { buffer = self.buffer, nowait = true, silent = true })
    end
  end
end

---@private
function Dialog:listen()
  local group = vim.api.nvim_create_augroup('mcp_sidecar_trust_' .. self.buffer, {})
  vim.api.nvim_create_autocmd('VimResized', { group = group, callback = function() self:fit() end })
  local ended = vim.schedule_wrap(function() -- windows cannot be changed in between
    pcall(vim.api.nvim_del_augroup_by_id, group)
    self:close()
  end)
  -- However it is closed, its buffer is wiped, unless another window shows that, too.
  vim.api.nvim_create_autocmd('BufWipeout', { group = group, buffer = self.buffer, callback = ended })
  vim.api.nvim_create_autocmd('WinClosed', {
    group = group,
    pattern = tostring(self.window),
    callback = ended,
  })
end

---open shows it. `done` is called once, with what was chosen or, if it was closed, with nothing; and with the server
---whose entry the user wants to see.
---@param servers mcp_sidecar.ProjectServer[] of one project, at least one
---@param done fun(chosen: mcp_sidecar.TrustChoice?, file: mcp_sidecar.ProjectServer?)
---@return mcp_sidecar.TrustDialog
function M.open(servers, done)
  require('mcp_sidecar.ui.highlights').define()
  local self = setmetatable({ servers = servers, chosen = {}, done = done }, Dialog)
  for index, server in ipairs(servers) do
    self.chosen[index] = server.decision or 'later'
  end
  self.buffer = require('mcp_sidecar.ui.buffer').new()
  vim.bo[self.buffer].bufhidden = 'wipe'
  vim.bo[self.buffer].filetype = 'mcptrust'
  local config = vim.tbl_extend('error', window_config(self:draw()), { style = 'minimal' })
  self.window = vim.api.nvim_open_win(self.buffer, true, config)
  float.dress(self.window, { cursorline = true, wrap = true, winfixbuf = true })
  self:point(1)
  self:map_keys()
  self:listen()
  return self
end

return M
