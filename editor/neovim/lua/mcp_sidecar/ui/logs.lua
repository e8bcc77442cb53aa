-- A log in a buffer that follows it: of one server, or the sidecar's own.
--
-- A server's log is asked for every second, from the last line that is known, as long as a window shows the buffer
-- and the sidecar runs. The sidecar's own comes by itself. Unloading the buffer ends it all.
local M = {}

local namespace = vim.api.nvim_create_namespace('mcp_sidecar_logs')
local period_ms = 1000
local first_lines, more_lines = 200, 2000
-- What is older is taken out: a buffer that is left open must not grow for ever.
local kept_lines = 10000

---@class mcp_sidecar.ui.Log
---@field session mcp_sidecar.Session
---@field server? string
---@field buf integer
---@field private group integer of autocommands
---@field private heading integer lines above the log
---@field private body integer lines of the log
---@field private after? integer seq of the last line
---@field private cancel mcp_sidecar.Cancel? of the request that runs
---@field private timer uv.uv_timer_t? of a server's log
---@field private fresh integer messages of the sidecar that are not shown yet
---@field private offs fun()[] end the listening
---@field private ended boolean the buffer is gone, or about to
local Log = {}
Log.__index = Log

---By root and server.
---@type table<string, mcp_sidecar.ui.Log>
local logs = {}

---@param from integer
---@param to integer
---@param block mcp_sidecar.ui.Block
function Log:put(from, to, block)
  vim.bo[self.buf].modifiable = true
  vim.api.nvim_buf_clear_namespace(self.buf, namespace, from, to)
  vim.api.nvim_buf_set_lines(self.buf, from, to, true, block.lines)
  vim.bo[self.buf].modifiable = false
  require('mcp_sidecar.ui.marks').put(self.buf, namespace, block.marks, from)
end

---Appends to the log and replaces its heading. Windows whose cursor is on the last line follow.
---@param more mcp_sidecar.ui.Block
---@param about { noise?: mcp_sidecar.Noise, problem?: string }
function Log:update(more, about)
  local last, following = vim.api.nvim_buf_line_count(self.buf), {}
  for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
    if vim.api.nvim_win_get_cursor(win)[1] == last then following[#following + 1] = win end
  end
  local empty = self.body + #more.lines == 0
  local heading =
    require('mcp_sidecar.ui.logs_lines').heading(vim.tbl_extend('error', about, { empty = empty }))
  local bottom = self.heading + self.body
  -- A buffer is never without a line: the first text replaces the one that it is made with.
  if #more.lines > 0 then self:put(bottom, math.max(bottom, bottom == 0 and 1 or 0), more) end
  local old = vim.api.nvim_buf_get_lines(self.buf, 0, self.heading, true)
  if not vim.deep_equal(old, heading.lines) then
    local replaced = bottom + #more.lines == 0 and 1 or self.heading
    self:put(0, replaced, heading)
  end
  self.heading, self.body = #heading.lines, self.body + #more.lines
  if self.body > kept_lines then
    self:put(self.heading, self.heading + self.body - kept_lines, { lines = {}, marks = {} })
    self.body = kept_lines
  end
  for _, win in ipairs(following) do
    vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(self.buf), 0 })
  end
end

---Asks for what a server has written since.
function Log:ask()
  if self.cancel then return end
  local params = { lines = self.after and more_lines or first_lines, after = self.after }
  local answered = false
  local cancel = self.session:logs(self.server, params, function(err, result)
    answered, self.cancel = true, nil
    if self.ended then return end
    if err then return self:update({ lines = {}, marks = {} }, { problem = err.message }) end
    local lines = result.lines
    if #lines > 0 then self.after = lines[#lines].seq end
    self:update(require('mcp_sidecar.ui.logs_lines').server(lines), { noise = result.noise })
  end)
  if not answered then self.cancel = cancel end
end

---Asks every second, while a window shows the buffer. A sidecar that does not run is not started for that.
function Log:follow()
  if not self.server then return end
  self.timer = self.timer or assert(vim.uv.new_timer())
  local function tick()
    if not self.ended and self.session:view().phase == 'running' then self:ask() end
  end
  self.timer:start(period_ms, period_ms, vim.schedule_wrap(tick))
end

function Log:pause()
  if self.timer then self.timer:stop() end
end

---Shows the messages of the sidecar that came since.
function Log:take_fresh()
  local count = self.fresh
  self.fresh = 0
  if self.ended then return end
  local entries = require('mcp_sidecar.log').lines(self.session.root)
  local new = vim.list_slice(entries, math.max(1, #entries - count + 1), #entries)
  self:update(require('mcp_sidecar.ui.logs_lines').sidecar(new), {})
end

function Log:listen()
  local events, root = require('mcp_sidecar.events'), self.session.root
  local function listen(event, fn)
    local off = events.on(event, function(data)
      if data.root == root then fn(data) end
    end)
    table.insert(self.offs, off)
  end
  if self.server then
    listen('state', function(view)
      -- Another sidecar counts its lines from the beginning.
      if view.phase ~= 'running' then self.after = nil end
    end)
  else
    listen('log', function()
      self.fresh = self.fresh + 1
      if self.fresh == 1 then vim.schedule(function() self:take_fresh() end) end
    end)
  end
  local function on(event, callback)
    local options = { group = self.group, buffer = self.buf, callback = callback, desc = 'mcp-sidecar: log' }
    vim.api.nvim_create_autocmd(event, options)
  end
  on('BufWinEnter', function() self:follow() end)
  on('BufHidden', function() self:pause() end)
  -- Also when it is only unloaded (`:bdelete`): its text and its options are gone with that.
  on('BufUnload', function()
    self:teardown()
    vim.schedule(function()
      if vim.api.nvim_buf_is_valid(self.buf) then vim.api.nvim_buf_delete(self.buf, { force = true }) end
    end)
  end)
end

---Ends all that belongs to the buffer, when it goes.
function Log:teardown()
  self.ended = true
  for key, log in pairs(logs) do
    if log == self then logs[key] = nil end
  end
  for _, off in ipairs(self.offs) do
    off()
  end
  self.offs = {}
  if self.timer then
    self.timer:stop()
    self.timer:close()
    self.timer = nil
  end
  if self.cancel then self.cancel() end
  pcall(vim.api.nvim_del_augroup_by_id, self.group)
end

---Shows the buffer below all other windows, or goes to the window that shows it.
function Log:show()
  local here = vim.fn.bufwinid(self.buf)
  if here ~= -1 then return vim.api.nvim_set_current_win(here) end
  local win = require('mcp_sidecar.ui.bottom').open(self.buf, math.floor(vim.o.lines / 3), true)
  local options =
    { number = false, relativenumber = false, signcolumn = 'no', list = false, spell = false, wrap = true }
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = 'local', win = win })
  end
  vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(self.buf), 0 })
end

---@param session mcp_sidecar.Session
---@param server? string
---@return mcp_sidecar.ui.Log
local function create(session, server)
  local name = 'mcp-log://' .. session.root .. (server and '//' .. server or '')
  local buf = require('mcp_sidecar.ui.buffer').new(require('mcp_sidecar.cells').visible(name))
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].swapfile = false
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = 'mcplog'
  local self = setmetatable({
    session = session,
    server = server,
    buf = buf,
    group = vim.api.nvim_create_augroup('mcp_sidecar_log_' .. buf, { clear = true }),
    heading = 0,
    body = 0,
    fresh = 0,
    offs = {},
    ended = false,
  }, Log)
  vim.keymap.set('n', 'q', function() vim.api.nvim_buf_delete(buf, { force = true }) end, {
    buffer = buf,
    nowait = true,
    desc = 'mcp: close the log',
  })
  self:listen()
  return self
end

---Opens the log of a server, or the sidecar's own, in a buffer that follows it.
---@param session mcp_sidecar.Session
---@param server? string default: the sidecar's own log
function M.open(session, server)
  require('mcp_sidecar.ui.highlights').define()
  local key = session.root .. '\0' .. (server or '')
  local log = logs[key]
  if log then return log:show() end
  log = create(session, server)
  logs[key] = log
  log:show()
  if server then return log:ask() end
  local entries = require('mcp_sidecar.log').lines(session.root)
  log:update(require('mcp_sidecar.ui.logs_lines').sidecar(entries), {})
end

return M
