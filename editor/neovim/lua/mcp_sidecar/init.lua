-- What other plugins and a user's configuration may use. `:help mcp-sidecar-lua` describes it.
--
-- Whatever needs the sidecar starts it; reading what is known does not. Nothing waits: results come to
-- callbacks, on the main loop, as (err, result). In a coroutine, `require('mcp_sidecar').co` has the same
-- functions without callbacks.

local M = {}

---@class mcp_sidecar.Where
---@field root? string the project's directory, by any of its names; default: that of the current buffer

---session is that of a project. What callers mix up is said where they call: a callback that comes too early or
---too late would fail later, and elsewhere.
---@param where? mcp_sidecar.Where
---@param callback? function
---@return mcp_sidecar.Session
local function session(where, callback)
  local sessions = require('mcp_sidecar.sessions')
  if callback ~= nil and not vim.is_callable(callback) then
    error(('mcp_sidecar: the callback is a %s, not a function'):format(type(callback)), 3)
  end
  if where ~= nil and type(where) ~= 'table' then
    error(('mcp_sidecar: what may have `root` is a %s, not a table'):format(type(where)), 3)
  end
  local root = where and where.root
  if root == nil then return sessions.current() end
  if type(root) ~= 'string' or root == '' then error('mcp_sidecar: `root` is a directory', 3) end
  return sessions.get(root)
end

---setup takes options in place of vim.g.mcp_sidecar. Nobody needs to call it.
---@param options? mcp_sidecar.Options|fun(): mcp_sidecar.Options?
function M.setup(options)
  local config = require('mcp_sidecar.config')
  config.setup(options or {})
  if config.get().autostart then require('mcp_sidecar.autostart').enable() end
end

---start starts the sidecar of a project; the callback comes when it has its first set of tools.
---@param callback? fun(err: mcp_sidecar.Error?)
---@param where? mcp_sidecar.Where
function M.start(callback, where) session(where, callback):start(callback) end

---stop ends the sidecar and its servers; the callback comes when they are gone.
---@param callback? fun()
---@param where? mcp_sidecar.Where
function M.stop(callback, where) session(where, callback):stop(callback) end

---tools are those that can be called now, sorted by name. Never change it: it is what everybody gets.
---@param where? mcp_sidecar.Where
---@return mcp_sidecar.Tool[]
function M.tools(where) return session(where):view().tools end

---servers are all that are configured, sorted by name.
---@param where? mcp_sidecar.Where
---@return mcp_sidecar.Server[]
function M.servers(where) return session(where):view().servers end

---status is all that there is to see of a project's session.
---@param where? mcp_sidecar.Where
---@return mcp_sidecar.SessionView
function M.status(where) return session(where):view() end

---call runs a tool, and starts the sidecar for that. A tool that fails is a result with isError.
---@param target string|{ server: string, tool: string } a name of `tools`, or the server and its own name of it
---@param args? table|string a table, or its JSON text, which is sent as it is
---@param options? mcp_sidecar.CallOptions
---@param callback? mcp_sidecar.Callback<mcp_sidecar.CallOutcome>
---@return mcp_sidecar.Cancel
function M.call(target, args, options, callback)
  return session(options, callback):call(target, args, options, callback)
end

---request makes any request of the protocol (rpc/PROTOCOL.md).
---@param method string
---@param params? table
---@param callback? mcp_sidecar.Callback<any>
---@param where? mcp_sidecar.Where
---@return mcp_sidecar.Cancel
function M.request(method, params, callback, where)
  if type(method) ~= 'string' then
    error(('mcp_sidecar: a method is a string, not a %s'):format(type(method)), 2)
  end
  return session(where, callback):request(method, params, callback)
end

---connect connects a server, or with `restart` again; the callback gets it when it has settled.
---@param server string
---@param options? { restart?: boolean, root?: string }
---@param callback? mcp_sidecar.Callback<mcp_sidecar.Server>
---@return mcp_sidecar.Cancel
function M.connect(server, options, callback)
  return session(options, callback):connect(server, { restart = options and options.restart }, callback)
end

---disconnect stops a server and takes its tools out.
---@param server string
---@param callback? mcp_sidecar.Callback<mcp_sidecar.Server>
---@param where? mcp_sidecar.Where
---@return mcp_sidecar.Cancel
function M.disconnect(server, callback, where) return session(where, callback):disconnect(server, callback) end

---reload reads all configuration again: "full" (default) restarts every server, "changed" those that changed.
---@param mode? mcp_sidecar.ReloadMode
---@param callback? mcp_sidecar.Callback<mcp_sidecar.Snapshot>
---@param where? mcp_sidecar.Where
---@return mcp_sidecar.Cancel
function M.reload(mode, callback, where) return session(where, callback):reload(mode, callback) end

---toggle switches a server, or a tool as "server/tool", off or on in a project, and remembers it.
---@param name string
---@param callback? fun(err: mcp_sidecar.Error?)
---@param where? mcp_sidecar.Where
function M.toggle(name, callback, where)
  -- It would be remembered, and no session could have such settings.
  if type(name) ~= 'string' or name == '' then
    error('mcp_sidecar: what is switched off or on is "server" or "server/tool"', 2)
  end
  session(where, callback):toggle(name, callback)
end

---share gives the endpoint by which other programs join the session, in their variable MCP_SIDECAR_ENDPOINT: a
---secret.
---@param callback mcp_sidecar.Callback<string>
---@param where? mcp_sidecar.Where
---@return mcp_sidecar.Cancel
function M.share(callback, where) return session(where, callback):share(callback) end

---on subscribes to an event of all projects, and returns what ends the subscription.
---@overload fun(event: "tools_changed", fn: fun(data: mcp_sidecar.ToolsChange)): fun()
---@overload fun(event: "status", fn: fun(data: mcp_sidecar.StatusChange)): fun()
---@overload fun(event: "diagnostics", fn: fun(data: mcp_sidecar.DiagnosticsChange)): fun()
---@overload fun(event: "log", fn: fun(data: mcp_sidecar.LogEntry)): fun()
---@param event "state" or another of mcp_sidecar.Event
---@param fn fun(data: mcp_sidecar.SessionView)
---@return fun() off
function M.on(event, fn) return require('mcp_sidecar.events').on(event, fn) end

---statusline is a word about the session of the current buffer's project.
---@return string
function M.statusline() return require('mcp_sidecar.statusline').statusline() end

---openai_tools gives the tools as definitions for OpenAI's APIs, and what runs the model's calls. It starts the
---sidecar: make them anew before every request, so that what came meanwhile is there.
---@param options? mcp_sidecar.OpenAIOptions
---@return table[] definitions
---@return fun(tool_calls: table[], callback: fun(messages: table[])): mcp_sidecar.Cancel dispatch
function M.openai_tools(options)
  local own = session(options)
  own:start()
  return require('mcp_sidecar.adapters.openai').tools(own, options)
end

---anthropic_tools gives the tools as definitions for Anthropic's API, and what runs the model's calls, as
---openai_tools does.
---@param options? mcp_sidecar.AdapterOptions
---@return table[] definitions
---@return fun(content: table[], callback: fun(blocks: table[])): mcp_sidecar.Cancel dispatch
function M.anthropic_tools(options)
  local own = session(options)
  own:start()
  return require('mcp_sidecar.adapters.anthropic').tools(own, options)
end

---awaited gives a function with a callback the form for coroutines: without that argument, it yields until the
---callback comes, and returns (result, err).
---@param fn function
---@param place integer where the callback stands
local function awaited(fn, place)
  return function(...)
    local own, is_main = coroutine.running()
    if not own or is_main then error('mcp_sidecar.co: not in a coroutine', 2) end
    local given, count = { ... }, math.max(place - 1, select('#', ...))
    local answer, waiting
    local function callback(err, result)
      answer = { err = err, result = result }
      if not waiting then return end
      local ok, failure = coroutine.resume(own)
      if ok then return end
      -- Who called back has others to tell.
      local trace = debug.traceback(own, ('mcp-sidecar: a coroutine failed: %s'):format(tostring(failure)))
      vim.schedule(function() vim.notify(trace, vim.log.levels.ERROR) end)
    end
    for i = count, place, -1 do
      given[i + 1] = given[i]
    end
    given[place] = callback
    fn(unpack(given, 1, count + 1))
    waiting = true
    -- Somebody else may resume it: that is not the answer.
    while not answer do
      coroutine.yield()
    end
    return answer.result, answer.err
  end
end

---co has the functions for coroutines: `local outcome, err = mcp.co.call(name, args)`. They take what the others
---take, without the callback.
M.co = {
  ---@type fun(where?: mcp_sidecar.Where): nil, mcp_sidecar.Error?
  start = awaited(M.start, 1),
  ---@type fun(where?: mcp_sidecar.Where)
  stop = awaited(M.stop, 1),
  ---@type fun(target: string|{ server: string, tool: string }, args?: table|string, options?: mcp_sidecar.CallOptions): mcp_sidecar.CallOutcome?, mcp_sidecar.Error?
  call = awaited(M.call, 4),
  ---@type fun(method: string, params?: table, where?: mcp_sidecar.Where): any, mcp_sidecar.Error?
  request = awaited(M.request, 3),
  ---@type fun(server: string, options?: { restart?: boolean, root?: string }): mcp_sidecar.Server?, mcp_sidecar.Error?
  connect = awaited(M.connect, 3),
  ---@type fun(server: string, where?: mcp_sidecar.Where): mcp_sidecar.Server?, mcp_sidecar.Error?
  disconnect = awaited(M.disconnect, 2),
  ---@type fun(mode?: mcp_sidecar.ReloadMode, where?: mcp_sidecar.Where): mcp_sidecar.Snapshot?, mcp_sidecar.Error?
  reload = awaited(M.reload, 2),
  ---@type fun(name: string, where?: mcp_sidecar.Where): nil, mcp_sidecar.Error?
  toggle = awaited(M.toggle, 2),
  ---@type fun(where?: mcp_sidecar.Where): string?, mcp_sidecar.Error?
  share = awaited(M.share, 1),
}

return M
