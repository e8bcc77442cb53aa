-- What a session can be asked for. Each request waits for the session, and starts it.

local errors = require('mcp_sidecar.errors')

---@class mcp_sidecar.Requests
---@field protected calls integer calls of tools that run
---@field protected changed fun(self: mcp_sidecar.Requests) tells that the view has changed
---@field protected running fun(self: mcp_sidecar.Requests): mcp_sidecar.Client? the client of an open session
---@field start fun(self: mcp_sidecar.Requests, callback?: fun(err: mcp_sidecar.Error?))
local Requests = {}

---with makes a request when the session is open. Cancelled before that, it is not made.
---@protected
---@param callback? fun(err: mcp_sidecar.Error?, result: any)
---@param request fun(client: mcp_sidecar.Client): mcp_sidecar.Cancel
---@return mcp_sidecar.Cancel
function Requests:with(callback, request)
  callback = callback or function() end
  local open = self:running()
  if open then return request(open) end
  local done, cancel = false, nil
  self:start(function(err)
    if done then return end
    -- Whoever was told before this may have stopped it.
    local client = self:running()
    if not err and not client then err = errors.new('closed', 'the sidecar was stopped') end
    if err then
      done = true
      return callback(err)
    end
    cancel = request(client --[[@as mcp_sidecar.Client]])
  end)
  return function()
    if cancel then return cancel() end
    if done then return end
    done = true
    callback(errors.new('cancelled', 'the request was cancelled before it was sent'))
  end
end

---call runs a tool; see Client:call.
---@param target string|{ server: string, tool: string }
---@param args? table|string
---@param options? mcp_sidecar.CallOptions
---@param callback? mcp_sidecar.Callback<mcp_sidecar.CallOutcome>
---@return mcp_sidecar.Cancel
function Requests:call(target, args, options, callback)
  options = options or {}
  local wire = {
    timeoutMs = options.timeout_ms,
    maxBytes = options.max_bytes,
    on_progress = options.on_progress,
  }
  local function ended(err, outcome)
    self.calls = self.calls - 1
    self:changed()
    if callback then callback(err, outcome) end
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
function Requests:request(method, params, callback)
  return self:with(callback, function(client) return client:request(method, params, callback) end)
end

---connect connects one server now; the callback comes when it has settled.
---@param server string
---@param options? { restart?: boolean }
---@param callback? mcp_sidecar.Callback<mcp_sidecar.Server>
---@return mcp_sidecar.Cancel
function Requests:connect(server, options, callback)
  return self:with(callback, function(client) return client:connect(server, options, callback) end)
end

---disconnect stops one server and takes its tools out.
---@param server string
---@param callback? mcp_sidecar.Callback<mcp_sidecar.Server>
---@return mcp_sidecar.Cancel
function Requests:disconnect(server, callback)
  return self:with(callback, function(client) return client:disconnect(server, callback) end)
end

---reload reads all configuration again.
---@param mode? mcp_sidecar.ReloadMode
---@param callback? mcp_sidecar.Callback<mcp_sidecar.Snapshot>
---@return mcp_sidecar.Cancel
function Requests:reload(mode, callback)
  return self:with(callback, function(client) return client:reload(mode, callback) end)
end

---logs are the last lines of one server.
---@param server string
---@param options? { lines?: integer, after?: integer }
---@param callback mcp_sidecar.Callback<mcp_sidecar.LogsResult>
---@return mcp_sidecar.Cancel
function Requests:logs(server, options, callback)
  return self:with(callback, function(client) return client:logs(server, options, callback) end)
end

---doctor examines the session as it is.
---@param callback mcp_sidecar.Callback<mcp_sidecar.DoctorReport>
---@return mcp_sidecar.Cancel
function Requests:doctor(callback)
  return self:with(callback, function(client) return client:doctor(nil, callback) end)
end

---share gives the endpoint by which other programs join the session: a secret.
---@param callback mcp_sidecar.Callback<string>
---@return mcp_sidecar.Cancel
function Requests:share(callback)
  return self:with(callback, function(client) return client:share(callback) end)
end

return Requests
