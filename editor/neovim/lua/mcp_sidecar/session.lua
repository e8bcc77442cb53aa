-- A Session is the sidecar of one project: started at the first request, started again if it ends by itself
-- (but not for ever), stopped with the editor. It is the one owner of the process and the client; everybody
-- else looks at its views, which are never changed.
--
--   stopped ──start──▶ starting ──answered──▶ running ──ended──▶ starting (again) or failed
--                          └──────refused─────▶ failed ──start──▶ starting
--
-- `client` is there while phase is starting (once the process runs) or running. `closing` is there while the
-- former client's process ends; no other is started before that.
--
-- Whatever happens first changes the session wholly, and is told then, by the outbox: who is told may start or
-- stop it.

local binary = require('mcp_sidecar.binary')
local client_of = require('mcp_sidecar.client')
local config = require('mcp_sidecar.config')
local errors = require('mcp_sidecar.errors')
local events = require('mcp_sidecar.events')
local log = require('mcp_sidecar.log')
local news = require('mcp_sidecar.news')
local outbox = require('mcp_sidecar.outbox')
local process = require('mcp_sidecar.process')
local requests = require('mcp_sidecar.requests')
local restarts = require('mcp_sidecar.restarts')
local switches = require('mcp_sidecar.switches')
local toolset = require('mcp_sidecar.toolset')

---@class mcp_sidecar.Session: mcp_sidecar.Requests
---@field root string
---@field private phase mcp_sidecar.SessionPhase
---@field private error? string
---@field private binary? string
---@field private client? mcp_sidecar.Client
---@field private closing? mcp_sidecar.Client
---@field private begun? boolean it was started once
---@field private left? boolean the editor ends
---@field private waiting fun(err: mcp_sidecar.Error?)[] for the start that runs
---@field private ends integer[] when the process ended by itself lately
---@field private timer? uv.uv_timer_t while it starts: until the next try, or for its first message
---@field private tools mcp_sidecar.Tool[] as they were told last: they stay while it is started again
---@field private off string[] what the user switched off here
---@field private told table<string, boolean> by server: the user knows that it does not work
---@field private shown? mcp_sidecar.SessionView the view, until something changes
---@field private outbox mcp_sidecar.Outbox
local Session = setmetatable({}, { __index = requests })
Session.__index = Session

local M = {}

---How long a program may take for its first message. The sidecar sends one at once, whatever it waits for then; a
---machine that is very busy is given time, and a program that only reads is found out.
M.SILENCE_MS = 30000

---@param root string
---@return mcp_sidecar.Session
function M.new(root)
  local self = setmetatable({
    root = root,
    phase = 'stopped',
    waiting = {},
    ends = {},
    tools = {},
    calls = 0,
    told = {},
    outbox = outbox.new(),
  }, Session)
  local off, why = switches.get(root)
  self.off = off
  if why then self:warn('it is not known what is switched off: ' .. why) end
  return self
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

---tell puts in the outbox what is to be told of a change.
---@private
---@param fn fun(...)
function Session:tell(fn, ...)
  self.shown = nil
  self.outbox:add(fn, ...)
end

---tell_state tells the state as it is when its turn comes: the newest.
---@private
function Session:tell_state()
  self:tell(function() events.emit('state', self:view()) end)
end

---@protected
function Session:changed()
  self:tell_state()
  self.outbox:send()
end

---@private
---@param message string
function Session:warn(message)
  self:tell(log.add, self.root, { level = 'warning', message = message })
  self.outbox:send()
end

---running gives the client of an open session.
---@protected
---@return mcp_sidecar.Client?
function Session:running() return self.phase == 'running' and self.client or nil end

---start starts the sidecar if it does not run; the callback comes when it has its first set of tools.
---@param callback? fun(err: mcp_sidecar.Error?)
function Session:start(callback)
  callback = callback or function() end
  if self.phase == 'running' then return vim.schedule(callback) end
  if self.left then
    return vim.schedule(function() callback(errors.new('closed', 'the editor ends')) end)
  end
  self.waiting[#self.waiting + 1] = callback
  if self.phase == 'starting' then return end
  self.begun, self.phase, self.error = true, 'starting', nil
  self:tell_state()
  if not self.closing then self:launch() end
  self.outbox:send()
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
  self:stop_timer()
  self.phase, self.error = 'stopped', nil
  self:show(toolset.NOTHING, 'stopped')
  self:tell_state()
  self:settle(errors.new('closed', 'the sidecar was stopped'))
  self:release()
  if self.closing then
    self.closing:close(callback)
  else
    vim.schedule(callback)
  end
  self.outbox:send()
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
  self.left, self.phase = true, 'stopped'
  self:stop_timer()
  self:release()
end

---release lets go of the client, whose requests fail now, and starts another when its process has ended, if one is
---wanted then.
---@private
function Session:release()
  local client = self.client
  if not client then return end
  self.client, self.closing, self.shown = nil, client, nil
  client:close(function()
    self.closing = nil
    if self.phase == 'starting' and not self.timer then self:launch() end
    self.outbox:send()
  end)
end

---@private
---@param ms integer
---@param fn fun()
function Session:start_timer(ms, fn)
  self:stop_timer()
  local timer = assert(vim.uv.new_timer())
  self.timer = timer
  local function expired()
    if self.timer ~= timer then return end -- it was stopped when its end was on its way
    self:stop_timer()
    fn()
    self.outbox:send()
  end
  timer:start(ms, 0, vim.schedule_wrap(expired))
end

---@private
function Session:stop_timer()
  if not self.timer then return end
  self.timer:stop()
  self.timer:close()
  self.timer = nil
end

---settle tells all who wait for the start how it went.
---@private
---@param err? mcp_sidecar.Error
function Session:settle(err)
  for _, callback in ipairs(self.waiting) do
    self:tell(callback, err)
  end
  self.waiting = {}
end

---program starts the program, if there is one and a project to run it in.
---@private
---@param options mcp_sidecar.Config
---@return mcp_sidecar.Process? child
---@return string? why
function Session:program(options)
  local path, message = binary.find(options.binary)
  self.binary = path or self.binary
  if not path then return nil, message end
  if vim.fn.isdirectory(self.root) == 0 then
    return nil, ("the project's directory %s does not exist"):format(self.root)
  end
  return process.start(vim.list_extend({ path }, options.args), { cwd = self.root, env = options.env })
end

---launch starts the process and opens the session. Phase is starting.
---@private
function Session:launch()
  local options = config.refresh()
  local child, why = self:program(options)
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
  self:start_timer(M.SILENCE_MS, function()
    if child.spoke then return end
    local seconds = M.SILENCE_MS / 1000
    self:fail(('%s has said nothing in %g seconds. Is it mcp-sidecar?'):format(self.binary, seconds))
  end)
  client:initialize({
    cwd = self.root,
    processId = vim.uv.os_getpid(),
    settings = self:settings(options),
  }, function(err)
    if client ~= self.client then return end
    self:stop_timer()
    if err then
      self:fail(err.message)
    else
      self:opened(client)
    end
    self.outbox:send()
  end)
end

---settings are those of the session: the user's own, with what is switched off here.
---@private
---@param options mcp_sidecar.Config
---@return mcp_sidecar.Settings
function Session:settings(options)
  return vim.tbl_extend('force', options.settings, { disabled = self:disabled() })
end

---@private
---@param client mcp_sidecar.Client
function Session:opened(client)
  self.phase, self.error = 'running', nil
  self:show({ tools = client:tools(), revision = client:revision(), hash = client:hash() }, 'snapshot')
  self:tell_state()
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
  self:tell(events.emit, 'tools_changed', vim.tbl_extend('force', change, { root = self.root }))
end

---listeners are those of a client, as long as it is the session's.
---@private
---@param current fun(): boolean
function Session:listeners(current)
  local root = self.root
  local function guard(fn)
    return function(event)
      if not current() then return end
      if self.phase == 'running' then self.tools = self.client:tools() end
      self.shown = nil
      fn(event)
      self.outbox:send()
    end
  end
  return {
    tools_changed = guard(function(change) self:tell_tools(change) end),
    status = guard(function(server)
      self:tell_news(server)
      self:tell(events.emit, 'status', { root = root, server = server })
    end),
    diagnostics = guard(
      function(list) self:tell(events.emit, 'diagnostics', { root = root, errors = list }) end
    ),
    -- Also of a client that is let go: its last words say what became of its servers.
    log = function(entry)
      self:tell(log.add, root, entry, entry.server ~= nil and not self:connected(entry.server))
      self.outbox:send()
    end,
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
  if message then self:tell(log.show, 'warning', log.one_line(message)) end
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
  local options = config.get().restart
  local delay
  delay, self.ends = restarts.decide(self.ends, vim.uv.now(), options.limit, options.window_ms)
  if not delay then
    return self:fail(('%s\nIt is not started again: `:Mcp restart` does that.'):format(err.message))
  end
  self.phase, self.error = 'starting', err.message
  self:start_timer(delay, function()
    if not self.closing then self:launch() end
  end)
  self:tell_state()
  self:tell(log.add, self.root, { level = 'error', message = err.message .. '\nIt is started again.' })
  self:release()
end

---fail is a start that did not succeed. Who waits for it gets an error that was reported already.
---@private
---@param message string
function Session:fail(message)
  self.phase, self.error = 'failed', message
  self:tell(log.add, self.root, { level = 'error', message = message })
  self:show(toolset.NOTHING, 'stopped')
  self:tell_state()
  self:settle(errors.new('closed', message, { reported = true }))
  self:release()
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
  callback = callback or function() end
  local off = vim.tbl_filter(function(other) return other ~= name end, self.off)
  local switched_off = #off == #self.off
  if switched_off then off[#off + 1] = name end
  self.off = off
  local why = switches.set(self.root, name, switched_off)
  if why then self:warn('cannot remember what is switched off: ' .. why) end
  self:changed()
  -- The settings of a sidecar that is not started yet will have it.
  if self.phase ~= 'running' and self.phase ~= 'starting' then return vim.schedule(callback) end
  local function done(err) callback(err) end
  self:with(
    done,
    function(client) return client:configure({ settings = { disabled = self:disabled() } }, done) end
  )
end

return M
