-- A Client is the host's side of one session with a sidecar, over any transport. It keeps the tool set true,
-- runs calls, tells events, and answers what the sidecar asks. It restarts nothing: when the sidecar is gone,
-- every request fails with one error, now and later, and its owner decides what to do.
--
-- Everything runs while a message is being read, in the order of the wire.

local connection = require('mcp_sidecar.connection')
local errors = require('mcp_sidecar.errors')
local guarded = require('mcp_sidecar.guarded')
local json = require('mcp_sidecar.json')
local json_text = require('mcp_sidecar.json_text')
local listeners = require('mcp_sidecar.listeners')
local protocol = require('mcp_sidecar.protocol_gen')
local questions = require('mcp_sidecar.questions')
local toolset = require('mcp_sidecar.toolset')
local wire = require('mcp_sidecar.wire')

---@class mcp_sidecar.ClientOptions
---@field client? mcp_sidecar.ClientInfo
---@field handlers? mcp_sidecar.Handlers
---@field capabilities? mcp_sidecar.Capabilities refine what the handlers declare
---@field on? table<string, fun(event: any)> listeners by event, from the very beginning

---@class mcp_sidecar.Client
---@field private transport mcp_sidecar.Transport
---@field private connection mcp_sidecar.Connection
---@field private set mcp_sidecar.ToolSet
---@field private listeners mcp_sidecar.Listeners
---@field private handlers mcp_sidecar.Handlers
---@field private capabilities mcp_sidecar.Capabilities
---@field private named mcp_sidecar.ClientInfo
---@field private sidecar? mcp_sidecar.SidecarInfo
---@field private known_methods string[]
---@field private open boolean the session is: also one whose initialize was abandoned may be
---@field private opening boolean an initialize is awaited: what it brings is the first set, and not told
---@field private recovering boolean a tools/snapshot of our own is on its way
---@field private progress table<integer, fun(value: mcp_sidecar.ProgressValue)>
---@field private last_token integer
---@field private shutdown_ms integer
---@field private closing? fun()[] who waits for the end
---@field private deadline? uv.uv_timer_t ends the transport by force
---@field private told_closed boolean
local Client = {}
Client.__index = Client

---How long the sidecar takes to stop its servers if the settings do not say it.
local SHUTDOWN_MS = 2000
---How much longer than that it may take before it is ended by force, and to exit when it has said goodbye.
local SLACK_MS = 3000

local M = {}

---@param transport mcp_sidecar.Transport
---@param options? mcp_sidecar.ClientOptions
---@return mcp_sidecar.Client
function M.new(transport, options)
  options = options or {}
  local handlers = options.handlers or {}
  local self = setmetatable({
    transport = transport,
    set = toolset.NOTHING,
    listeners = listeners.new(),
    handlers = handlers,
    capabilities = questions.declared(handlers, options.capabilities),
    named = options.client or { name = 'mcp-sidecar-neovim', version = tostring(vim.version()) },
    known_methods = {},
    open = false,
    opening = false,
    recovering = false,
    progress = {},
    last_token = 0,
    shutdown_ms = SHUTDOWN_MS,
    told_closed = false,
  }, Client)
  for event, listener in pairs(options.on or {}) do
    self:on(event, listener)
  end
  self.connection = connection.new(transport, {
    answered = function(method, result) self:answered(method, result) end,
    notified = function(method, params) self:notified(method, params) end,
    asked = function(method, params, reply) return self:asked(method, params, reply) end,
    closed = function() self:tell_closed() end,
  })
  return self
end

---listener is what the transport tells: every message, and its end.
---@return { message: fun(body: string), ended: fun(reason: string, exit?: { code?: integer, signal?: integer }) }
function Client:listener()
  return {
    message = function(body) self.connection:message(body) end,
    ended = function(reason, exit) self:gone(reason, exit or {}) end,
  }
end

---tools are sorted by name: a new table whenever anything in it changes, `state` included.
function Client:tools() return self.set.tools end

---servers are sorted by name.
function Client:servers() return self.set.servers end

---errors is what is wrong with the configuration and the servers now.
function Client:errors() return self.set.errors end

---exa_api_keys were found in Exa servers that were taken out.
function Client:exa_api_keys() return self.set.exa_api_keys end

---revision counts tool sets; 0 before the first.
function Client:revision() return self.set.revision end

---hash is the same for equal tool sets, also after a restart.
function Client:hash() return self.set.hash end

---info is the sidecar's name and version, when initialize has been answered.
function Client:info() return self.sidecar end

---methods are the requests that this sidecar answers.
function Client:methods() return self.known_methods end

---guest: another program owns the session.
function Client:guest()
  return self.sidecar ~= nil and not vim.list_contains(self.known_methods, protocol.method.configure)
end

---closed is why no request is answered any more.
---@return mcp_sidecar.Error?
function Client:closed() return self.connection.ended end

---on subscribes to an event, and returns what ends the subscription.
---@param event string
---@param listener fun(event: any)
---@return fun() off
function Client:on(event, listener) return self.listeners:on(event, listener) end

---refuse is the outcome of a request that is wrong, and is not sent.
---@param callback fun(err: mcp_sidecar.Error)
---@param problem string
---@return mcp_sidecar.Cancel
local function refuse(callback, problem)
  vim.schedule(function() callback(errors.new('argument', problem)) end)
  return function() end
end

---request makes any request of the protocol. What its answer says of the tool set is taken, too.
---@param method string
---@param params? table|string a table, or its JSON text
---@param callback? mcp_sidecar.Callback<any>
---@return mcp_sidecar.Cancel
function Client:request(method, params, callback)
  callback = callback or function() end
  local text, problem = wire.params(params)
  if not text then return refuse(callback, ('%s: %s'):format(method, problem)) end
  self.shutdown_ms = wire.shutdown_ms(params, SHUTDOWN_MS) or self.shutdown_ms
  return self:send(method, text, callback)
end

---@private
function Client:send(method, text, callback)
  if method == protocol.method.initialize then self.opening = not self.open end
  return self.connection:request(method, text, function(err, result, body)
    -- Refused or abandoned: in the latter case the first set may come as a push, which is told.
    if method == protocol.method.initialize then self.opening = false end
    callback(err, result, body)
  end)
end

---initialize opens the session. It comes first, and succeeds once.
---@param params { cwd: string, workspaceFolders?: mcp_sidecar.WorkspaceFolder[], settings?: mcp_sidecar.Settings, processId?: integer }
---@param callback mcp_sidecar.Callback<mcp_sidecar.InitializeResult>
---@return mcp_sidecar.Cancel
function Client:initialize(params, callback)
  local own = {
    protocolVersion = protocol.version,
    client = self.named,
    capabilities = self.capabilities,
  }
  local all = vim.tbl_extend('error', own, params)
  return self:request(protocol.method.initialize, all, function(err, result)
    local supported = err and type(err.data) == 'table' and err.data.supported
    if result and result.protocolVersion ~= protocol.version then supported = { result.protocolVersion } end
    if supported then
      local message = 'this plugin speaks version %d of the protocol, mcp-sidecar %s: install a matching one'
      err = errors.new('version', message:format(protocol.version, table.concat(supported, ', ')), {
        code = err and err.code,
        data = { supported = supported },
      })
    end
    callback(err, not err and result or nil)
  end)
end

---call runs a tool, by its name in `tools`, or by server and the server's own name of it. A tool that fails is
---a result with isError.
---@param target string|{ server: string, tool: string }
---@param args? table|string
---@param options? { timeoutMs?: integer, maxBytes?: integer, on_progress?: fun(value: mcp_sidecar.ProgressValue) }
---@param callback mcp_sidecar.Callback<mcp_sidecar.CallOutcome>
---@return mcp_sidecar.Cancel
function Client:call(target, args, options, callback)
  options = options or {}
  local text, problem = wire.arguments(args)
  local params = type(target) == 'table' and { server = target.server, tool = target.tool }
    or { name = target }
  if
    not (type(params.name) == 'string' or (type(params.server) == 'string' and type(params.tool) == 'string'))
  then
    problem = 'a tool is called by its name, or by { server = …, tool = … }'
  end
  if problem then return refuse(callback, problem) end
  params.timeoutMs, params.maxBytes = options.timeoutMs, options.maxBytes
  local token
  if options.on_progress then
    self.last_token = self.last_token + 1
    token = self.last_token
    params.progressToken = token
  end
  local ok, head = pcall(json.encode, params)
  if not ok then return refuse(callback, ('tools/call: %s'):format(head)) end
  if token then self.progress[token] = options.on_progress end
  local envelope = head:sub(1, -2) .. ',"arguments":' .. text .. '}'
  return self:send(protocol.method.call, envelope, function(err, outcome, body)
    if token then self.progress[token] = nil end
    callback(err, outcome and M.outcome(outcome, body))
  end)
end

---outcome gives the result of a call its text, which is found when it is asked for.
---@param outcome table
---@param body string the whole answer
---@return mcp_sidecar.CallOutcome
function M.outcome(outcome, body)
  return setmetatable(outcome, {
    __index = function(self, key)
      if key ~= 'json' then return nil end
      local text = json_text.member(json_text.member(body, 'result') or '{}', 'result')
      rawset(self, 'json', text)
      return text
    end,
  })
end

---Requests whose params are the caller's own, and what is given of their results.
---@param client mcp_sidecar.Client
local function plain(client, method, params, member, callback)
  return client:request(
    method,
    params,
    callback
      and function(err, result) callback(err, result and (member and result[member] or result) or nil) end
  )
end

---search ranks tools by name and description, best first.
---@param options? { limit?: integer }
---@param callback mcp_sidecar.Callback<mcp_sidecar.SearchHit[]>
function Client:search(query, options, callback)
  local params = { query = query, limit = (options or {}).limit }
  return plain(self, protocol.method.search, params, 'tools', callback)
end

---reload reads all configuration again. "full" (default) restarts every server, "changed" those that changed.
---@param mode? mcp_sidecar.ReloadMode
---@param callback? mcp_sidecar.Callback<mcp_sidecar.Snapshot>
function Client:reload(mode, callback)
  return plain(self, protocol.method.reload, { mode = mode or 'full' }, 'snapshot', callback)
end

---configure replaces each member that is given in settings, whole, and the workspace folders if given.
---@param params mcp_sidecar.ConfigureParams
---@param callback? mcp_sidecar.Callback<mcp_sidecar.Snapshot>
function Client:configure(params, callback)
  return plain(self, protocol.method.configure, params, 'snapshot', callback)
end

---connect connects one server now; the callback comes when it has settled.
---@param options? { restart?: boolean }
---@param callback? mcp_sidecar.Callback<mcp_sidecar.Server>
function Client:connect(server, options, callback)
  local params = { server = server, restart = (options or {}).restart }
  return plain(self, protocol.method.connect, params, nil, callback)
end

---disconnect stops one server and takes its tools out. It stays listed.
---@param callback? mcp_sidecar.Callback<mcp_sidecar.Server>
function Client:disconnect(server, callback)
  return plain(self, protocol.method.disconnect, { server = server }, nil, callback)
end

---wait waits until none of the servers is still connecting, or the time is up.
---@param options? mcp_sidecar.WaitParams
---@param callback mcp_sidecar.Callback<mcp_sidecar.WaitResult>
function Client:wait(options, callback) return plain(self, protocol.method.wait, options, nil, callback) end

---logs are the last lines of what a server wrote to stderr and logged.
---@param options? { lines?: integer, after?: integer }
---@param callback mcp_sidecar.Callback<mcp_sidecar.LogsResult>
function Client:logs(server, options, callback)
  local params = vim.tbl_extend('force', options or {}, { server = server })
  return plain(self, protocol.method.logs, params, nil, callback)
end

---doctor examines the session as it is, and starts nothing.
---@param options? { server?: string }
---@param callback mcp_sidecar.Callback<mcp_sidecar.DoctorReport>
function Client:doctor(options, callback) return plain(self, protocol.method.doctor, options, nil, callback) end

---share gives the endpoint by which others join the session: whoever has it gets in, so it is a secret.
---@param callback mcp_sidecar.Callback<string>
function Client:share(callback) return plain(self, protocol.method.share, nil, 'endpoint', callback) end

---answered runs while an answer of ours is read, whoever asked: the next message builds upon it.
---@private
function Client:answered(method, result)
  if method ~= protocol.method.initialize then self.open = true end
  if method == protocol.method.initialize then
    if result.protocolVersion ~= protocol.version then return end -- initialize says so
    self.open = true
    self.sidecar = result.sidecar
    self.known_methods = result.methods
    self:take(result.snapshot, 'snapshot')
    self.opening = false -- now, and not when its caller hears of it: a push may be next
  elseif method == protocol.method.configure then
    self:take(result.snapshot, 'configure')
  elseif method == protocol.method.reload then
    self:take(result.snapshot, 'reload')
  elseif method == protocol.method.snapshot and result.unchanged ~= true then
    self:take(result, 'snapshot')
  end
end

---@private
function Client:take(snapshot, reason) self:step(toolset.after_snapshot(self.set, snapshot, reason)) end

---@private
function Client:step(set, change)
  self.set = set
  if change and not self.opening then self.listeners:emit('tools_changed', change) end
end

---Notifications that are told as they are.
local TOLD = {
  [protocol.method.log] = 'log',
  [protocol.method.resources_changed] = 'resources_changed',
  [protocol.method.resource_updated] = 'resource_updated',
  [protocol.method.prompts_changed] = 'prompts_changed',
  [protocol.method.elicit_complete] = 'elicitation_complete',
}

---notified takes what the sidecar says. A notification that is not known is nothing.
---@private
function Client:notified(method, params)
  -- Who has closed the sidecar hears no more of its tools, but what the end has to say.
  if self.connection.ended and (method ~= protocol.method.log or self.connection.over) then return end
  if method == protocol.method.tools_changed then
    self:pushed(params)
  elseif method == protocol.method.status then
    self.set = toolset.after_status(self.set, params)
    self.listeners:emit('status', params)
  elseif method == protocol.method.diagnostics then
    self.set = toolset.after_diagnostics(self.set, params.errors)
    self.listeners:emit('diagnostics', params.errors)
  elseif method == protocol.method.progress then
    local told = self.progress[params.token]
    if told then guarded(told, params.value) end
  elseif TOLD[method] then
    self.listeners:emit(TOLD[method], params)
  end
end

---@private
function Client:pushed(push)
  self.open = true
  local set, change = toolset.after_push(self.set, push)
  if set ~= 'gap' then
    self:step(set --[[@as mcp_sidecar.ToolSet]], change)
    return
  end
  -- One question is enough: its answer covers every push that comes before it.
  if self.recovering or self.opening then return end
  self.recovering = true
  -- A refusal leaves the set as it is; the next push finds the same gap.
  self:request(protocol.method.snapshot, nil, function() self.recovering = false end)
end

---@private
function Client:asked(method, params, reply)
  if method == protocol.method.initialize then
    self.connection:refuse('only repeats what it is sent: it is not mcp-sidecar')
  end
  if self.connection.ended then
    reply(nil, protocol.code.cancelled, 'this host is closing the sidecar')
    return
  end
  return questions.ask(self.handlers, method, params, reply)
end

---close ends the sidecar and its servers: in order, or by force if that takes too long. What is in flight fails
---at once. It may be called again.
---@param callback? fun()
function Client:close(callback)
  callback = callback or function() end
  if self.connection.over then return vim.schedule(callback) end
  self.closing = self.closing or {}
  self.closing[#self.closing + 1] = callback
  if #self.closing > 1 then return end
  local reason = errors.new('closed', 'the sidecar was stopped')
  if self.connection.ended or not self.open then
    self.connection:finish(reason)
    self.transport:close()
    return
  end
  self:force_after(self.shutdown_ms + SLACK_MS)
  self.connection:conclude(reason, protocol.method.shutdown, function()
    if self.connection.over then return end
    self.connection:notify(protocol.method.exit, '{}')
    self:force_after(SLACK_MS)
  end)
end

---force_after ends the transport by force if it has not ended by then. A later call takes the place of a former.
---@private
---@param ms integer
function Client:force_after(ms)
  self.deadline = self.deadline or assert(vim.uv.new_timer())
  self.deadline:start(ms, 0, vim.schedule_wrap(function() self.transport:close() end))
end

---@private
function Client:tell_closed()
  if self.told_closed then return end
  self.told_closed = true
  self.listeners:emit('closed', self.connection.ended)
end

---gone is the end of the transport: nothing comes after it.
---@private
function Client:gone(reason, exit)
  if self.connection.over then return end
  local more = { exit_code = exit.code, signal = exit.signal }
  self.connection:closed(errors.new('closed', reason, more))
  if self.deadline then
    self.deadline:stop()
    self.deadline:close()
  end
  self:tell_closed()
  for _, callback in ipairs(self.closing or {}) do
    guarded(callback)
  end
end

return M
