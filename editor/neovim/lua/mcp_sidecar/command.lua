-- `:Mcp` and its subcommands.

local diagnostics = require('mcp_sidecar.diagnostics')
local nearest = require('mcp_sidecar.nearest')
local protocol = require('mcp_sidecar.protocol_gen')
local say = require('mcp_sidecar.say')
local sessions = require('mcp_sidecar.sessions')
local counted = require('mcp_sidecar.words').counted

local M = {}

local function server_names(session)
  return vim.tbl_map(function(server) return server.name end, session:view().servers)
end

local function tool_names(session)
  return vim.tbl_map(function(tool) return tool.name end, session:view().tools)
end

---unknown says that a name is none of those that there are.
---@param what string
---@param name string
---@param names string[]
local function unknown(what, name, names)
  local near = nearest.of(name, names)
  local hint = near and ('did you mean `%s`?'):format(near)
    or (#names > 0 and ('there are %s'):format(table.concat(names, ', ')) or 'there are none')
  say.error(('there is no %s `%s`; %s'):format(what, name, hint))
end

---said tells what has become of a server.
---@param session mcp_sidecar.Session
---@param verb string
---@param name string
local function said(session, verb, name)
  return function(err, server)
    if err and err.code == protocol.code.unknown_server then
      return unknown('server', name, server_names(session))
    end
    if err then return say.failure(err) end
    local trouble = server.phase ~= 'stopped' and server.error -- what was wrong before it was stopped is over
    local why = trouble and (': ' .. trouble.message) or ''
    local tell = trouble and say.warn or say.info
    tell(('%s: %s is %s%s'):format(verb, server.name, server.phase, why))
  end
end

---status_lines are what `:Mcp status` prints.
---@param view mcp_sidecar.SessionView
---@return string[]
function M.status_lines(view)
  local sidecar = view.sidecar and (' ' .. view.sidecar.version) or ''
  local lines = { ('mcp-sidecar%s is %s in %s'):format(sidecar, view.phase, view.root) }
  if view.error then lines[#lines + 1] = '  ' .. view.error end
  local servers = {} ---@type table<string, mcp_sidecar.Server>
  for _, server in ipairs(view.servers) do
    servers[server.name] = server
    local tools = counted(server.tools.count, 'tool')
    local why = server.error and (' — ' .. server.error.message) or ''
    lines[#lines + 1] = ('  %s: %s, %s%s'):format(server.name, server.phase, tools, why)
  end
  for _, diagnostic in ipairs(view.errors) do
    local server = servers[diagnostic.server or '']
    if not (server and diagnostics.repeats(diagnostic, server)) then
      local line = diagnostic.line and (':%d'):format(diagnostic.line) or ''
      lines[#lines + 1] = ('  %s%s: %s'):format(diagnostic.path, line, diagnostic.error)
    end
  end
  return lines
end

---Subcommand of `:Mcp`. What stands behind it is one text, since names of servers may have blanks.
---@class mcp_sidecar.Subcommand
---@field about string
---@field words? string what it takes, for the user; in brackets if it may be left out
---@field run fun(session: mcp_sidecar.Session, rest: string)
---@field complete? fun(session: mcp_sidecar.Session): string[] what may stand behind it

---@type table<string, mcp_sidecar.Subcommand>
M.SUBCOMMANDS = {
  status = {
    about = 'what runs, in a few lines',
    run = function(session)
      vim.api.nvim_echo({ { table.concat(M.status_lines(session:view()), '\n') } }, true, {})
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
    run = function(session, rest)
      local call = require('mcp_sidecar.ui.call')
      local tool, args = rest:match('^(%S*)%s*(.*)$')
      if tool == '' then return call.pick(session) end
      call.start(session, tool, args ~= '' and args or nil)
    end,
  },
  reload = {
    about = 'read all configuration again',
    words = '[full|changed]',
    complete = function() return { 'changed', 'full' } end,
    run = function(session, rest)
      local mode = rest == '' and 'full' or rest
      if mode ~= 'full' and mode ~= 'changed' then
        return say.error(('reload is "full" or "changed", not "%s"'):format(mode))
      end
      session:reload(mode, function(err, snapshot)
        if err then return say.failure(err) end
        local servers, tools = counted(#snapshot.servers, 'server'), counted(#snapshot.tools, 'tool')
        say.info(('reloaded: %s, %s'):format(servers, tools))
      end)
    end,
  },
  connect = {
    about = 'connect a server, or again',
    words = 'SERVER',
    complete = server_names,
    run = function(session, name) session:connect(name, { restart = true }, said(session, 'connect', name)) end,
  },
  disconnect = {
    about = 'stop a server',
    words = 'SERVER',
    complete = server_names,
    run = function(session, name) session:disconnect(name, said(session, 'disconnect', name)) end,
  },
  logs = {
    about = "a server's log, or the sidecar's own",
    words = '[SERVER]',
    complete = server_names,
    run = function(session, name)
      -- Of a session that does not run nobody knows what there is: the log will say it.
      local names = session:view().phase == 'running' and server_names(session)
      if name ~= '' and names and not vim.list_contains(names, name) then
        return unknown('server', name, names)
      end
      require('mcp_sidecar.ui.logs').open(session, name ~= '' and name or nil)
    end,
  },
  trust = {
    about = "which of the project's servers may run",
    run = function(session) require('mcp_sidecar.ui.trust').manage(session) end,
  },
  start = {
    about = 'start the sidecar',
    run = function(session)
      local word = session:view().phase == 'running' and 'running already' or 'started'
      session:start(function(err)
        if err then return say.failure(err) end
        say.info(word)
      end)
    end,
  },
  restart = {
    about = 'stop the sidecar, and start it anew',
    run = function(session)
      session:restart(function(err)
        if err then return say.failure(err) end
        say.info('restarted')
      end)
    end,
  },
  stop = {
    about = 'stop the sidecar and its servers',
    run = function(session)
      session:stop(function() say.info('stopped') end)
    end,
  },
}

---@return string[]
local function names()
  local all = vim.tbl_keys(M.SUBCOMMANDS)
  table.sort(all)
  return all
end

---misused is why a subcommand cannot be carried out as it stands there.
---@param name string
---@param subcommand mcp_sidecar.Subcommand
---@param rest string
---@return string?
local function misused(name, subcommand, rest)
  local words = subcommand.words
  local problem
  if not words and rest ~= '' then problem = ('`:Mcp %s` takes nothing, and not "%s"'):format(name, rest) end
  if words and words:sub(1, 1) ~= '[' and rest == '' then
    problem = ('usage: `:Mcp %s %s`'):format(name, words)
  end
  return problem and ('%s (%s)'):format(problem, subcommand.about)
end

---run is `:Mcp`.
---@param args string what stands behind it
function M.run(args)
  if vim.fn.getcmdwintype() ~= '' then
    return say.error('`:Mcp` cannot be used in the command-line window')
  end
  local name, rest = args:match('^%s*(%S*)%s*(.-)%s*$')
  local subcommand = M.SUBCOMMANDS[name]
  if name ~= '' and not subcommand then return unknown('subcommand', name, names()) end
  local problem = subcommand and misused(name, subcommand, rest)
  if problem then return say.error(problem) end
  local session = sessions.current()
  require('mcp_sidecar.ui.trust').expect(session.root)
  if subcommand then return subcommand.run(session, rest) end
  session:begin()
  require('mcp_sidecar.ui.overview').open(session)
end

---complete gives what may stand where the cursor is. Of a session that does not run there is nothing to tell.
---@param lead string the last word, up to the cursor
---@param line string up to the cursor
---@return string[]
function M.complete(lead, line)
  local typed = line:match('^.-%f[%a]Mc?p?!?%s+(.*)$') or lead -- Neovim takes a shorter name, too
  local name, rest = typed:match('^(%S+)%s+(.*)$')
  local candidates = names()
  if name then
    local subcommand = M.SUBCOMMANDS[name]
    candidates = subcommand and subcommand.complete and subcommand.complete(sessions.current()) or {}
  end
  local given = rest or lead
  local fitting = vim.tbl_filter(function(candidate) return vim.startswith(candidate, given) end, candidates)
  -- Of a name with blanks only what takes the place of its last word.
  return vim.tbl_map(function(candidate) return candidate:sub(#given - #lead + 1) end, fitting)
end

return M
