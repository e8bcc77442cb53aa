-- Makes a client do what a line after ">" says: by the method it has for that, or by `request` where the line's params
-- are not such that its users could have said it.

local folder = require('replay.folder')
local json = require('replay.raw_json')

local M = {}

---Deed is a method that a client has for a request.
---@class replay.Deed
---@field takes table<string, string> the kinds of its members; "!" marks those it cannot do without
---@field run fun(client: table, given: table, doing: replay.Doing): fun()
---@field part? string the member of the wire's result that it gives
---@field natural? fun(result: replay.Json): any
---@field got? fun(result: any): any what of the client's result is compared with that

---Doing is what a deed needs besides its params.
---@class replay.Doing
---@field params? replay.Json
---@field callback fun(err: table?, result: any)
---@field on_progress fun(value: table) hears the progress of a call whose line has a token
---@field opened boolean the session is open

---Done is what was done.
---@class replay.Done
---@field cancel fun()
---@field typed boolean by a method of its own, and not by `request`
---@field natural fun(result: replay.Json): any what its caller gets of the wire's result
---@field got fun(result: any): any what of the caller's result is compared with that

---Arguments and params are text where Lua would write them otherwise, as those of a model are.
local function table_or_text(given)
  local value = vim.json.decode(given.text)
  if type(value) == 'table' and vim.json.encode(value) == given.text then return value end
  return given.text
end

local function call(client, given, doing)
  local arguments = doing.params.members.arguments
  local target = given.name or { server = given.server, tool = given.tool }
  local options = { timeoutMs = given.timeoutMs, maxBytes = given.maxBytes }
  if given.progressToken then options.on_progress = doing.on_progress end
  return client:call(target, arguments and table_or_text(arguments), options, doing.callback)
end

local function call_outcome(answer)
  local result = answer.members.result
  return { result = json.shown(result), details = json.shown(answer.members.details), json = result.text }
end

---The text of a result is there when somebody asks for it.
local function call_got(outcome)
  return { result = outcome.result, details = outcome.details, json = outcome.json }
end

local function whole(result) return result end

---@type table<string, replay.Deed>
local deeds = {
  ['runtime/initialize'] = {
    takes = {
      protocolVersion = 'number!',
      client = 'object!',
      cwd = 'string!',
      workspaceFolders = 'array',
      capabilities = 'object',
      settings = 'object',
    },
    run = function(client, given, doing)
      local params = { cwd = given.cwd, workspaceFolders = given.workspaceFolders, settings = given.settings }
      return client:initialize(params, doing.callback)
    end,
  },
  ['runtime/configure'] = {
    takes = { settings = 'object', workspaceFolders = 'array' },
    run = function(client, given, doing) return client:configure(given, doing.callback) end,
    part = 'snapshot',
  },
  ['mcp/reload'] = {
    takes = { mode = 'string' },
    run = function(client, given, doing) return client:reload(given.mode, doing.callback) end,
    part = 'snapshot',
  },
  ['tools/call'] = {
    takes = {
      name = 'string',
      server = 'string',
      tool = 'string',
      arguments = 'object',
      timeoutMs = 'number',
      progressToken = 'string',
      maxBytes = 'number',
    },
    run = call,
    natural = call_outcome,
    got = call_got,
  },
  ['tools/search'] = {
    takes = { query = 'string!', limit = 'number' },
    run = function(client, given, doing)
      return client:search(given.query, { limit = given.limit }, doing.callback)
    end,
    part = 'tools',
  },
  ['mcp/connect'] = {
    takes = { server = 'string!', restart = 'boolean' },
    run = function(client, given, doing)
      return client:connect(given.server, { restart = given.restart }, doing.callback)
    end,
  },
  ['mcp/disconnect'] = {
    takes = { server = 'string!' },
    run = function(client, given, doing) return client:disconnect(given.server, doing.callback) end,
  },
  ['mcp/wait'] = {
    takes = { servers = 'array', timeoutMs = 'number' },
    run = function(client, given, doing) return client:wait(given, doing.callback) end,
  },
  ['mcp/logs'] = {
    takes = { server = 'string!', lines = 'number', after = 'number' },
    run = function(client, given, doing)
      return client:logs(given.server, { lines = given.lines, after = given.after }, doing.callback)
    end,
  },
  ['mcp/doctor'] = {
    takes = { server = 'string' },
    run = function(client, given, doing) return client:doctor(given, doing.callback) end,
  },
  ['runtime/share'] = {
    takes = {},
    run = function(client, _, doing) return client:share(doing.callback) end,
    part = 'endpoint',
  },
}

---@type table<string, fun(params: replay.Json): boolean> what must hold besides
local further = {
  ['runtime/initialize'] = function(params)
    local given = params.members
    return given.protocolVersion.text == '1' and vim.deep_equal(json.shown(given.client), folder.client)
  end,
  ['tools/call'] = function(params)
    local given = params.members
    if given.name then return not given.server and not given.tool end
    return given.server ~= nil and given.tool ~= nil
  end,
}

---Whether the client's own method takes these params.
local function fits(method, params)
  local deed = deeds[method]
  if not deed or params.kind ~= 'object' then return false end
  for _, name in ipairs(params.names) do
    local kind = (deed.takes[name] or ''):gsub('!', '')
    if kind ~= params.members[name].kind then return false end
  end
  for name, kind in pairs(deed.takes) do
    if vim.endswith(kind, '!') and not params.members[name] then return false end
  end
  return not further[method] or further[method](params)
end

---Does it.
---@param client table
---@param method string
---@param doing replay.Doing
---@return replay.Done
function M.perform(client, method, doing)
  doing.params = doing.params or json.read('{}')
  local params = doing.params
  -- Nobody opens a session twice.
  if not fits(method, params) or (doing.opened and method == 'runtime/initialize') then
    local cancel = client:request(method, table_or_text(params), doing.callback)
    return { cancel = cancel, typed = false, natural = json.shown, got = whole }
  end
  local deed = deeds[method]
  local function natural(result) return json.shown(deed.part and result.members[deed.part] or result) end
  return {
    cancel = deed.run(client, vim.json.decode(params.text), doing),
    typed = true,
    natural = deed.natural or natural,
    got = deed.got or whole,
  }
end

return M
