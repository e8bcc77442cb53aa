-- A Session is the sidecar of one project: started at the first request, started again if it ends by itself
-- (but not for ever), stopped with the editor. It is the one owner of the process and the client; everybody
-- else looks at its views, which are never changed.
--
--   stopped ──start──▶ starting ──answered──▶ running ──ended──▶ starting (again) or failed
--                          └──────refused─────▶ failed ──start──▶ starting
--
-- `client` is there while phase is starting (once the process runs) or running. `closing` is there while the
-- former client's process ends; no other is started before that.

local binary = require('mcp_sidecar.binary')
local client_of = require('mcp_sidecar.client')
local config = require('mcp_sidecar.config')
local errors = require('mcp_sidecar.errors')
local events = require('mcp_sidecar.events')
local log = require('mcp_sidecar.log')
local news = require('mcp_sidecar.news')
local process = require('mcp_sidecar.process')
local restarts = require('mcp_sidecar.restarts')
local switches = require('mcp_sidecar.switches')
local toolset = require('mcp_sidecar.toolset')

---@class mcp_sidecar.Session
---@field root string
---@field private phase mcp_sidecar.SessionPhase
---@field private error? string
---@field private binary? string
---@field private client? mcp_sidecar.Client
---@field private closing? mcp_sidecar.Client
---@field private begun? boolean it was started once
---@field private waiting fun(err: mcp_sidecar.Error?)[] for the start that runs
---@field private ends integer[] when the process ended by itself lately
---@field private timer? uv.uv_timer_t of the next restart
---@field private tools mcp_sidecar.Tool[] as they were told last: they stay while it is started again
---@field private off string[] what the user switched off here
---@field private calls integer
---@field private told table<string, boolean> by server: the user knows that it does not work
---@field private shown? mcp_sidecar.SessionView the view, until something changes
local Session = {}
Session.__index = Session

local M = {}

---@param root string
---@return mcp_sidecar.Session
function M.new(root)
  local self = { root = root, phase = 'stopped', waiting = {}, ends = {}, tools = {}, calls = 0, told = {} }
  self.off = switches.get(root)
  return setmetatable(self, Session)
end

---view is all that there is to see now. The same table as long as nothing changes.
---@return mcp_sidecar.SessionView
function Session:view()
  if self.shown then return self.shown end
  local client = self.client
  self.shown = {
    root = self.root,
    phase = self.phase,
    error = self.error,
    binary = self.binary,
    sidecar = client and client:info(),
    tools = self.tools,
    servers = client and client:servers() or {},
    errors = client and client:errors() or {},
    disabled = self:disabled(),
    calls = self.calls,
  }
  return self.shown
end

---@private
function Session:changed()
  self.shown = nil
  events.emit('state', self:view())
end

---start starts the sidecar if it does not run; the callback comes when it has its first set of tools.
---@param callback? fun(err: mcp_sidecar.Error?)
function Session:start(callback)
  callback = callback or function() end
  if self.phase == 'running' then return vim.schedule(callback) end
  self.waiting[#self.waiting + 1] = callback
  if self.phase == 'starting' then return end
  self.begun, self.phase, self.error = true, 'starting', nil
  self:changed()
  if not self.closing then self:launch() end
end

---begin starts it if it never was: one that the user stopped, or that failed, is left alone.
function Session:begin()
  if self.begun then return end
  self:start()
end

---stop ends the sidecar and its servers. The callback comes when they are gone.
---@param callback? fun()
function Session:stop(callback)
  callback = callback or function() end
  self:cancel_restart()
  local client = self.client
  self.client, self.phase, self.error = nil, 'stopped', nil
  if client then
    self.closing = client
    client:close(function()
      self.closing = nil
      if self.phase == 'starting' then self:launch() end
    end)
  end
  self:settle(errors.new('closed', 'the sidecar was stopped'))
  self:show(toolset.NOTHING, 'stopped')
  self:changed()
  if self.closing then return self.closing:close(callback) end
  vim.schedule(callback)
end

---restart stops it and starts it anew, as often as the user likes.
---@param callback? fun(err: mcp_sidecar.Error?)
function Session:restart(callback)
  self.ends = {}
  self:stop()
  self:start(callback)
end

---leave is for an editor that ends: nothing is waited for. The sidecar sees the end of its input, if not this.
function Session:leave()
  self:cancel_restart()
  local client = self.client
  self.client = nil
  if client then client:close() end
end

---@private
function Session:cancel_restart()
  if not self.timer then return end
  self.timer:stop()
  self.timer:close()
  self.timer = nil
end

---settle tells all who wait for the start how it went.
---@private
---@param err? mcp_sidecar.Error
function Session:settle(err)
  local waiting = self.waiting
  self.waiting = {}
  for _, callback in ipairs(waiting) do
    require('mcp_sidecar.connection').guarded(callback, err)
  end
end

---launch starts the process and opens the session. Phase is starting.
---@private
function Session:launch()
  local options = config.refresh()
  local path, message = binary.find(options.binary)
  if not path then
    return self:fail(message --[[@as string]])
  end
  self.binary = path
  if vim.fn.isdirectory(self.root) == 0 then
    return self:fail(('the project %s is not there any more'):format(self.root))
  end
  local cmd = vim.list_extend({ path }, options.args)
  local child, why = process.start(cmd, { cwd = self.root, env = options.env })
  if not child then
    return self:fail(why --[[@as string]])
  end
  local client
  client = client_of.new(child, {
    client = { name = 'Neovim', version = tostring(vim.version()) },
    handlers = self:handlers(),
    on = self:listeners(function() return client == self.client end),
  })
  self.client = client
  child:listen(client:listener())
  client:initialize({
    cwd = self.root,
    processId = vim.uv.os_getpid(),
    settings = self:settings(options),
  }, function(err)
    if client ~= self.client then return end
    if err then
      self.client = nil
      client:close()
      return self:fail(err.message)
    end
    self:opened()
  end)
end

---settings are those of the session: the user's own, with what is switched off here.
---@private
---@param options mcp_sidecar.Options
---@return mcp_sidecar.Settings
function Session:settings(options)
  return vim.tbl_extend('force', options.settings, { disabled = self:disabled() })
end

---@private
function Session:opened()
  self.phase, self.error, self.shown = 'running', nil, nil
  self:show(
    { tools = self.client:tools(), revision = self.client:revision(), hash = self.client:hash() },
    'snapshot'
  )
  self:changed()
  self:settle()
end

---show tells the difference between the tools that were told last and those of a set.
---@private
---@param set { tools: mcp_sidecar.Tool[], revision: integer, hash: string }
---@param reason "snapshot"|"stopped"
function Session:show(set, reason)
  local change = toolset.between(self.tools, set, reason)
  self.tools, self.shown = set.tools, nil
  if change then self:tell_tools(change) end
end

---@private
function Session:tell_tools(change)
  self.shown = nil
  events.emit('tools_changed', vim.tbl_extend('force', change, { root = self.root }))
end

---listeners are those of a client, as long as it is the session's.
---@private
---@param current fun(): boolean
function Session:listeners(current)
  local function guard(fn)
    return function(event)
      if not current() then return end
      if self.phase == 'running' then self.tools = self.client:tools() end
      self.shown = nil
      fn(event)
    end
  end
  local root = self.root
  return {
    tools_changed = guard(function(change) self:tell_tools(change) end),
    status = guard(function(server)
      self:tell_news(server)
      events.emit('status', { root = root, server = server })
    end),
    diagnostics = guard(function(list) events.emit('diagnostics', { root = root, errors = list }) end),
    log = function(entry) log.add(root, entry, entry.server ~= nil and not self:connected(entry.server)) end,
    closed = guard(function(err) self:lost(err) end),
  }
end

---connected: what is wrong with a server that is not is told by its record, and not by the log, too.
---@private
function Session:connected(name)
  for _, server in ipairs(self.client and self.client:servers() or {}) do
    if server.name == name then return server.status == 'connected' end
  end
  return false
end

---@private
---@param server mcp_sidecar.Server
function Session:tell_news(server)
  local message
  message, self.told[server.name] = news.of(server, self.told[server.name] or false)
  if message then log.show('warning', log.one_line(message)) end
end

---@private
---@return mcp_sidecar.Handlers
function Session:handlers()
  return {
    approve = function(question, reply) return require('mcp_sidecar.ui.trust').ask(self, question, reply) end,
    input = function(question, reply) return require('mcp_sidecar.ui.input').ask(question, reply) end,
  }
end

---lost is the end of a sidecar that nobody stopped. It is reported once, whatever happens then.
---@private
---@param err mcp_sidecar.Error
function Session:lost(err)
  if self.phase == 'starting' then return end -- initialize fails with it
  self.client = nil
  local options = config.get().restart
  local delay
  delay, self.ends = restarts.decide(self.ends, vim.uv.now(), options.limit, options.window_ms)
  if not delay then
    return self:fail(('%s\nIt is not started again: `:Mcp restart` does that.'):format(err.message))
  end
  self.phase, self.error = 'starting', err.message
  self:changed()
  log.add(self.root, { level = 'error', message = ('%s\nIt is started again.'):format(err.message) })
  self.timer = assert(vim.uv.new_timer())
  self.timer:start(
    delay,
    0,
    vim.schedule_wrap(function()
      self:cancel_restart()
      if self.phase == 'starting' and not self.client then self:launch() end
    end)
  )
end

---fail is a start that did not succeed. Who waits for it gets an error that was reported already.
---@private
---@param message string
function Session:fail(message)
  self.phase, self.error = 'failed', message
  log.add(self.root, { level = 'error', message = message })
  self:show(toolset.NOTHING, 'stopped')
  self:changed()
  self:settle(errors.new('closed', message, { reported = true }))
end

---with runs a request when the session is open, and starts it for that.
---@private
---@param callback fun(err: mcp_sidecar.Error?, result: any)
---@param request fun(client: mcp_sidecar.Client): mcp_sidecar.Cancel
---@return mcp_sidecar.Cancel
function Session:with(callback, request)
  if self.phase == 'running' then return request(self.client) end
  local done, cancel = false, nil
  self:start(function(err)
    if done then return end
    if err then
      done = true
      return callback(err)
    end
    cancel = request(self.client)
  end)
  return function()
    if cancel then return cancel() end
    if done then return end
    done = true
    callback(errors.new('cancelled', 'the request was cancelled before it was sent'))
  end
end

local function nothing() end

---call runs a tool; see Client:call.
---@param target string|{ server: string, tool: string }
---@param args? table|string
---@param options? mcp_sidecar.CallOptions
---@param callback? mcp_sidecar.Callback<mcp_sidecar.CallOutcome>
---@return mcp_sidecar.Cancel
function Session:call(target, args, options, callback)
  options = options or {}
  callback = callback or nothing
  local wire = {
    timeoutMs = options.timeout_ms,
    maxBytes = options.max_bytes,
    on_progress = options.on_progress,
  }
  local function ended(err, outcome)
    self.calls = self.calls - 1
    self:changed()
    callback(err, outcome)
  end
  self.calls = self.calls + 1
  self:changed()
  return self:with(ended, function(client) return client:call(target, args, wire, ended) end)
end

---request makes any request of the protocol; see Client:request.
---@param method string
---@param params? table
---@param callback? mcp_sidecar.Callback<any>
---@return mcp_sidecar.Cancel
function Session:request(method, params, callback)
  callback = callback or nothing
  return self:with(callback, function(client) return client:request(method, params, callback) end)
end

---connect connects one server now; the callback comes when it has settled.
---@param server string
---@param options? { restart?: boolean }
---@param callback? mcp_sidecar.Callback<mcp_sidecar.Server>
---@return mcp_sidecar.Cancel
function Session:connect(server, options, callback)
  callback = callback or nothing
  return self:with(callback, function(client) return client:connect(server, options, callback) end)
end

---disconnect stops one server and takes its tools out.
---@param server string
---@param callback? mcp_sidecar.Callback<mcp_sidecar.Server>
---@return mcp_sidecar.Cancel
function Session:disconnect(server, callback)
  callback = callback or nothing
  return self:with(callback, function(client) return client:disconnect(server, callback) end)
end

---reload reads all configuration again.
---@param mode? mcp_sidecar.ReloadMode
---@param callback? mcp_sidecar.Callback<mcp_sidecar.Snapshot>
---@return mcp_sidecar.Cancel
function Session:reload(mode, callback)
  callback = callback or nothing
  return self:with(callback, function(client) return client:reload(mode, callback) end)
end

---logs are the last lines of one server.
---@param server string
---@param options? { lines?: integer, after?: integer }
---@param callback mcp_sidecar.Callback<mcp_sidecar.LogsResult>
---@return mcp_sidecar.Cancel
function Session:logs(server, options, callback)
  return self:with(callback, function(client) return client:logs(server, options, callback) end)
end

---doctor examines the session as it is.
---@param callback mcp_sidecar.Callback<mcp_sidecar.DoctorReport>
---@return mcp_sidecar.Cancel
function Session:doctor(callback)
  return self:with(callback, function(client) return client:doctor(nil, callback) end)
end

---share gives the endpoint by which other programs join the session: a secret.
---@param callback mcp_sidecar.Callback<string>
---@return mcp_sidecar.Cancel
function Session:share(callback)
  return self:with(callback, function(client) return client:share(callback) end)
end

---disabled is what is switched off: here, and by the user's own settings.
---@private
---@return string[]
function Session:disabled()
  local names = vim.list_extend({}, self.off)
  for _, name in ipairs(config.get().settings.disabled or {}) do
    if not vim.list_contains(names, name) then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

---is_off: was it switched off here or by the settings? The name is "server" or "server/tool".
---@param name string
---@return boolean
function Session:is_off(name) return vim.list_contains(self:disabled(), name) end

---toggle switches a server or a tool ("server/tool") off or on, for this project, and remembers it.
---@param name string
---@param callback? fun(err: mcp_sidecar.Error?)
function Session:toggle(name, callback)
  callback = callback or nothing
  local off = vim.tbl_filter(function(other) return other ~= name end, self.off)
  if #off == #self.off then off[#off + 1] = name end
  table.sort(off)
  self.off = off
  local why = switches.set(self.root, off)
  if why then
    log.add(self.root, { level = 'warning', message = 'cannot remember what is switched off: ' .. why })
  end
  self:changed()
  if self.phase ~= 'running' then return vim.schedule(callback) end
  self.client:configure({ settings = { disabled = self:disabled() } }, callback)
end

return M
