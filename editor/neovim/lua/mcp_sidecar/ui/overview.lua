-- The overview: a floating window that shows a session as it is, and stays true while it is open.
--
--   events ─▶ schedule ─▶ render: view + state ─▶ page (overview_lines) ─▶ buffer (overview_window)
--   keys (overview_keys) ─▶ overview_actions ─▶ requests of the session, or another state ─▶ render
--
-- There is one window at most. Closing it, in whatever way, wipes its buffer, and that ends the rest: listeners,
-- autocommands, the timer.
local M = {}

---@class mcp_sidecar.ui.Overview
---@field session mcp_sidecar.Session
---@field buf integer
---@field win integer
---@field origin integer the window that one works in
---@field page mcp_sidecar.ui.Page what the buffer has
---@field expanded table<string, boolean> by id of item
---@field help boolean the keys are shown instead
---@field private back mcp_sidecar.ui.Place? where the cursor was before the keys were shown
---@field private ui mcp_sidecar.UiOptions as they were when it was opened
---@field private dirty boolean a render is scheduled
---@field private settled boolean the cursor is where the user wants it
---@field private offs fun()[] end the listening
---@field private group integer of autocommands
---@field private waits table<string, { key: string, until_ms: number }> the next attempts of servers
---@field private timer uv.uv_timer_t? runs while a server waits for its next attempt
local Overview = {}
Overview.__index = Overview

---The one that is open.
---@type mcp_sidecar.ui.Overview?
local current

---What was expanded and where the cursor was, by root, when the window was closed.
---@type table<string, { expanded: table<string, boolean>, place: mcp_sidecar.ui.Place }>
local remembered = {}

---@return boolean
function Overview:is_open() return vim.api.nvim_win_is_valid(self.win) and vim.api.nvim_buf_is_valid(self.buf) end

---@return mcp_sidecar.ui.Item? item what the cursor is on
function Overview:item() return self.page.items[vim.api.nvim_win_get_cursor(self.win)[1]] end

---@return mcp_sidecar.ui.Place
function Overview:place()
  local cursor = vim.api.nvim_win_get_cursor(self.win)
  local top = vim.fn.line('w0', self.win)
  return require('mcp_sidecar.ui.overview_place').of(self.page, cursor[1], cursor[2], top)
end

---@param row integer
---@param column integer
---@param top integer
function Overview:go(row, column, top)
  vim.api.nvim_win_call(
    self.win,
    function() vim.fn.winrestview({ lnum = row, col = column, topline = top, leftcol = 0 }) end
  )
end

---Moves the cursor to the next or the previous server.
---@param step 1|-1
function Overview:move(step)
  local row = require('mcp_sidecar.ui.overview_place').next(
    self.page,
    vim.api.nvim_win_get_cursor(self.win)[1],
    step,
    function(item) return item.kind == 'server' and item.head == true end
  )
  if row then vim.api.nvim_win_set_cursor(self.win, { row, 0 }) end
end

---Milliseconds until the next attempt of each server that waits for one. A record tells how long it was when the
---record was made; when that was is known only of those that came while the window was open. For the others it is
---the longest that it can be.
---@param view mcp_sidecar.SessionView
---@return table<string, number>
function Overview:retries(view)
  local now, waits, left = vim.uv.now(), {}, {}
  for _, server in ipairs(view.servers) do
    if server.phase == 'backoff' and server.nextRetryMs then
      local key = ('%d\0%d'):format(server.attempt, server.nextRetryMs)
      local wait = self.waits[server.name]
      if not wait or wait.key ~= key then wait = { key = key, until_ms = now + server.nextRetryMs } end
      waits[server.name], left[server.name] = wait, math.max(0, wait.until_ms - now)
    end
  end
  self.waits = waits
  return left
end

---Counts seconds while there are some to count.
function Overview:tick()
  if next(self.waits) == nil then
    if self.timer then self.timer:stop() end
    return
  end
  self.timer = self.timer or assert(vim.uv.new_timer())
  if self.timer:is_active() then return end
  self.timer:start(1000, 1000, function() self:schedule() end)
end

---@return mcp_sidecar.ui.Page
function Overview:make_page()
  local width = vim.api.nvim_win_get_width(self.win)
  if self.help then
    return require('mcp_sidecar.ui.help').render(require('mcp_sidecar.ui.overview_keys').sections, width)
  end
  local lines = require('mcp_sidecar.ui.overview_lines')
  local framed = require('mcp_sidecar.ui.float').has_frame(self.ui.border)
  local view = self.session:view()
  local page = lines.render(view, {
    width = width,
    expanded = self.expanded,
    retry = self:retries(view),
    icons = lines.icons(self.ui.icons),
    home = vim.uv.os_homedir(),
    help_line = not framed and require('mcp_sidecar.ui.overview_keys').help_line(width) or nil,
  })
  self:tick()
  return page
end

---The first server, until the user has moved the cursor.
---@return integer? row
function Overview:first_choice()
  if self.settled or self.help then return nil end
  local row = require('mcp_sidecar.ui.overview_place').next(
    self.page,
    0,
    1,
    function(item) return item.kind == 'server' end
  )
  self.settled = row ~= nil
  return row
end

---Shows what there is now. The cursor stays on what it is on.
function Overview:render()
  if not self:is_open() then return end
  local place = self:place()
  if place.row > 1 then self.settled = true end
  self.page = self:make_page()
  require('mcp_sidecar.ui.overview_window').show(self.buf, self.page)
  local height = vim.api.nvim_win_get_height(self.win)
  local on = require('mcp_sidecar.ui.overview_place').on(self.page, place, height)
  local row = self:first_choice()
  self:go(row or on.row, place.column, row and 1 or on.top)
end

---Renders soon, once for all that happens until then.
function Overview:schedule()
  if self.dirty then return end
  self.dirty = true
  vim.schedule(function()
    self.dirty = false
    self:render()
  end)
end

---Shows the keys, or the session again.
function Overview:toggle_help()
  if not self.help then self.back = self:place() end
  self.help = not self.help
  self.page = self:make_page()
  require('mcp_sidecar.ui.overview_window').show(self.buf, self.page)
  local on = { row = 1, top = 1 }
  if not self.help and self.back then
    local height = vim.api.nvim_win_get_height(self.win)
    on = require('mcp_sidecar.ui.overview_place').on(self.page, self.back, height)
  end
  self:go(on.row, 0, on.top)
end

---Wipes the buffer, wherever it is shown by now: the last window could not be closed.
function Overview:take_away()
  -- In the command-line window nothing can be closed.
  if vim.fn.getcmdwintype() ~= '' or not vim.api.nvim_buf_is_valid(self.buf) then return end
  vim.api.nvim_buf_delete(self.buf, { force = true })
end

---Closes the window and goes back to the one it was opened from.
function Overview:close()
  local inside = vim.api.nvim_get_current_win() == self.win
  self:take_away()
  if inside and vim.api.nvim_win_is_valid(self.origin) then vim.api.nvim_set_current_win(self.origin) end
end

---Ends all that belongs to the window, when its buffer goes.
function Overview:teardown()
  if current == self then current = nil end
  for _, off in ipairs(self.offs) do
    off()
  end
  self.offs = {}
  if self.timer then
    self.timer:stop()
    self.timer:close()
    self.timer = nil
  end
  pcall(vim.api.nvim_del_augroup_by_id, self.group)
end

function Overview:remember()
  if not self:is_open() then return end
  local place = self.help and self.back or self:place()
  remembered[self.session.root] = { expanded = self.expanded, place = place }
end

function Overview:listen()
  local events = require('mcp_sidecar.events')
  for _, event in ipairs({ 'tools_changed', 'status', 'diagnostics', 'state' }) do
    local off = events.on(event, function(data)
      if data.root == self.session.root then self:schedule() end
    end)
    table.insert(self.offs, off)
  end
  local function on(event, given, callback)
    local options = { group = self.group, callback = callback, desc = 'mcp-sidecar: overview' }
    vim.api.nvim_create_autocmd(event, vim.tbl_extend('error', options, given))
  end
  on('VimResized', {}, function()
    if not self:is_open() then return end
    local window, keys = require('mcp_sidecar.ui.overview_window'), require('mcp_sidecar.ui.overview_keys')
    -- The user may have made it one that does not float.
    if vim.api.nvim_win_get_config(self.win).relative ~= '' then
      window.resize(self.win, self.ui, keys.help_line)
    end
    self:render()
  end)
  -- It lies over the windows that one works in, and goes when one goes back to them. Prompts and pickers float: they
  -- do not count.
  on('WinEnter', {}, function()
    vim.schedule(function()
      if self:is_open() and vim.api.nvim_win_get_config(0).relative == '' then self:take_away() end
    end)
  end)
  on('WinClosed', { pattern = tostring(self.win) }, function()
    self:remember()
    vim.schedule(function() self:take_away() end) -- another window may show it, too
  end)
  on('BufWipeout', { buffer = self.buf }, function() self:teardown() end)
end

function Overview:map()
  local actions = require('mcp_sidecar.ui.overview_actions')
  for _, section in ipairs(require('mcp_sidecar.ui.overview_keys').sections) do
    for _, key in ipairs(section.keys) do
      for _, lhs in ipairs(key.keys) do
        vim.keymap.set('n', lhs, function()
          local action = actions[key.action] --[[@as mcp_sidecar.ui.Action]]
          action(self, self:item())
        end, { buffer = self.buf, nowait = true, silent = true, desc = 'mcp: ' .. key.text })
      end
    end
  end
end

---The window that one works in: the current one, if it does not float.
---@return integer win
local function working_window()
  local win = vim.api.nvim_get_current_win()
  if vim.api.nvim_win_get_config(win).relative == '' then return win end
  return vim
    .iter(vim.api.nvim_tabpage_list_wins(0))
    :find(function(other) return vim.api.nvim_win_get_config(other).relative == '' end) or win
end

---@param session mcp_sidecar.Session
---@return mcp_sidecar.ui.Overview
local function create(session)
  local window, keys = require('mcp_sidecar.ui.overview_window'), require('mcp_sidecar.ui.overview_keys')
  local before = remembered[session.root]
  local ui = require('mcp_sidecar.config').get().ui
  local self = setmetatable({
    session = session,
    origin = working_window(),
    buf = window.buffer(),
    ui = ui,
    expanded = before and before.expanded or {},
    page = require('mcp_sidecar.ui.page').new(1),
    waits = {},
    offs = {},
    dirty = false,
    settled = false,
    help = false,
    group = vim.api.nvim_create_augroup('mcp_sidecar_overview', { clear = true }),
  }, Overview)
  self.win = window.open(self.buf, ui, keys.help_line)
  self:map()
  self:listen()
  self:render()
  if before then
    local height = vim.api.nvim_win_get_height(self.win)
    local on = require('mcp_sidecar.ui.overview_place').on(self.page, before.place, height)
    self:go(on.row, before.place.column, on.top)
  end
  return self
end

---Opens the overview of a session, or goes to it if it is open.
---@param session? mcp_sidecar.Session default: that of the current buffer's project
function M.open(session)
  session = session or require('mcp_sidecar.sessions').current()
  require('mcp_sidecar.ui.highlights').define()
  if current and current:is_open() then
    if current.session == session then return vim.api.nvim_set_current_win(current.win) end
    current:close()
  end
  current = create(session)
end

---Closes the overview, if the user is in it.
function M.leave()
  if current and vim.api.nvim_get_current_buf() == current.buf then current:close() end
end

return M
