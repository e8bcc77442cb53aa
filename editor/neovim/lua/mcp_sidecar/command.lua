-- `:Mcp` and its subcommands.

local sessions = require('mcp_sidecar.sessions')

local M = {}

---@param message string
---@param level? integer
local function say(message, level) vim.notify('mcp-sidecar: ' .. message, level or vim.log.levels.INFO) end

---fail says why a command failed, unless that was said already.
---@param err mcp_sidecar.Error
local function fail(err)
  if not err.reported and err.kind ~= 'cancelled' then say(err.message, vim.log.levels.ERROR) end
end

local function server_names(session)
  return vim.tbl_map(function(server) return server.name end, session:view().servers)
end

local function tool_names(session)
  return vim.tbl_map(function(tool) return tool.name end, session:view().tools)
end

---said tells what has become of a server.
---@param verb string
local function said(verb)
  return function(err, server)
    if err then return fail(err) end
    local why = server.error and (': ' .. server.error.message) or ''
    local level = server.error and vim.log.levels.WARN or vim.log.levels.INFO
    say(('%s: %s is %s%s'):format(verb, server.name, server.phase, why), level)
  end
end

---status_lines are what `:Mcp status` prints.
---@param view mcp_sidecar.SessionView
---@return string[]
function M.status_lines(view)
  local sidecar = view.sidecar and (' ' .. view.sidecar.version) or ''
  local lines = { ('mcp-sidecar%s is %s in %s'):format(sidecar, view.phase, view.root) }
  if view.error then lines[#lines + 1] = '  ' .. view.error end
  for _, server in ipairs(view.servers) do
    local tools = server.tools.count == 1 and '1 tool' or ('%d tools'):format(server.tools.count)
    local why = server.error and (' — ' .. server.error.message) or ''
    lines[#lines + 1] = ('  %s: %s, %s%s'):format(server.name, server.phase, tools, why)
  end
  for _, diagnostic in ipairs(view.errors) do
    if not diagnostic.server then
      local line = diagnostic.line and (':%d'):format(diagnostic.line) or ''
      lines[#lines + 1] = ('  %s%s: %s'):format(diagnostic.path, line, diagnostic.error)
    end
  end
  return lines
end

---@class mcp_sidecar.Subcommand
---@field about string
---@field words? string its arguments, for the user
---@field run fun(session: mcp_sidecar.Session, words: string[], rest: string)
---@field complete? fun(session: mcp_sidecar.Session): string[] the first argument
---@field needs? integer how many words it cannot do without

---@type table<string, mcp_sidecar.Subcommand>
M.SUBCOMMANDS = {
  status = {
    about = 'what runs, in a few lines',
    run = function(session)
      local chunks = vim.tbl_map(function(line) return { line .. '\n' } end, M.status_lines(session:view()))
      vim.api.nvim_echo(chunks, true, {})
    end,
  },
  tools = {
    about = 'choose a tool, and call it',
    run = function(session) require('mcp_sidecar.ui.call').pick(session) end,
  },
  call = {
    about = 'call a tool',
    words = '[TOOL [JSON]]',
    complete = tool_names,
    run = function(session, words, rest)
      local call = require('mcp_sidecar.ui.call')
      if not words[1] then return call.pick(session) end
      local args = vim.trim(rest:sub(#words[1] + 1))
      call.start(session, words[1], args ~= '' and args or nil)
    end,
  },
  reload = {
    about = 'read all configuration again',
    words = '[full|changed]',
    complete = function() return { 'changed', 'full' } end,
    run = function(session, words)
      local mode = words[1] or 'full'
      if mode ~= 'full' and mode ~= 'changed' then
        return say(('reload is "full" or "changed", not "%s"'):format(mode), vim.log.levels.ERROR)
      end
      session:reload(mode, function(err, snapshot)
        if err then return fail(err) end
        say(('reloaded: %d servers, %d tools'):format(#snapshot.servers, #snapshot.tools))
      end)
    end,
  },
  connect = {
    about = 'connect a server, or again',
    words = 'SERVER',
    needs = 1,
    complete = server_names,
    run = function(session, words) session:connect(words[1], { restart = true }, said('connect')) end,
  },
  disconnect = {
    about = 'stop a server',
    words = 'SERVER',
    needs = 1,
    complete = server_names,
    run = function(session, words) session:disconnect(words[1], said('disconnect')) end,
  },
  logs = {
    about = "a server's log, or the sidecar's own",
    words = '[SERVER]',
    complete = server_names,
    run = function(session, words) require('mcp_sidecar.ui.logs').open(session, words[1]) end,
  },
  trust = {
    about = "which of the project's servers may run",
    run = function(session) require('mcp_sidecar.ui.trust').manage(session) end,
  },
  start = {
    about = 'start the sidecar',
    run = function(session)
      session:start(function(err)
        if err then fail(err) end
      end)
    end,
  },
  restart = {
    about = 'stop the sidecar, and start it anew',
    run = function(session)
      session:restart(function(err)
        if err then return fail(err) end
        say('restarted')
      end)
    end,
  },
  stop = {
    about = 'stop the sidecar and its servers',
    run = function(session)
      session:stop(function() say('stopped') end)
    end,
  },
}

---@return string[]
local function names()
  local all = vim.tbl_keys(M.SUBCOMMANDS)
  table.sort(all)
  return all
end

---run is `:Mcp`.
---@param args string what stands behind it
function M.run(args)
  local session = sessions.current()
  require('mcp_sidecar.ui.trust').expect(session.root)
  local name, rest = args:match('^%s*(%S*)%s*(.*)$')
  if name == '' then
    session:begin()
    return require('mcp_sidecar.ui.overview').open(session)
  end
  local subcommand = M.SUBCOMMANDS[name]
  if not subcommand then
    local all = table.concat(names(), ', ')
    return say(('there is no `:Mcp %s`; there are %s'):format(name, all), vim.log.levels.ERROR)
  end
  local words = vim.split(rest, '%s+', { trimempty = true })
  if #words < (subcommand.needs or 0) then
    local usage = ('usage: `:Mcp %s %s` (%s)'):format(name, subcommand.words, subcommand.about)
    return say(usage, vim.log.levels.ERROR)
  end
  subcommand.run(session, words, rest)
end

---complete gives what may stand where the cursor is.
---@param lead string
---@param line string up to the cursor
---@return string[]
function M.complete(lead, line)
  local before = line:match('^.-Mcp!?%s+(.*)$') or ''
  before = before:sub(1, #before - #lead)
  local words = vim.split(before, '%s+', { trimempty = true })
  local candidates = {}
  if #words == 0 then
    candidates = names()
  elseif #words == 1 then
    local subcommand = M.SUBCOMMANDS[words[1]]
    if subcommand and subcommand.complete then candidates = subcommand.complete(sessions.current()) end
  end
  return vim.tbl_filter(function(candidate) return vim.startswith(candidate, lead) end, candidates)
end

return M
