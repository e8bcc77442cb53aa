-- When the user is asked about the servers that a project's files name, and what becomes of the answer.
--
-- The dialog comes up by itself only right after the user has asked for something in the project: otherwise keys
-- that were meant for a text could allow something. Then the question is answered at once with nothing, and the
-- user is told: the sidecar asks one question at a time, and would keep what other servers need to know behind one
-- that nobody looks at. `:Mcp trust` needs no question: it shows all servers, and makes requests of what is decided.

local cells = require('mcp_sidecar.cells')
local prompts = require('mcp_sidecar.ui.prompts')
local protocol = require('mcp_sidecar.protocol_gen')
local say = require('mcp_sidecar.say')
local trust_dialog = require('mcp_sidecar.ui.trust_dialog')

local M = {}

---How long after a command of the user a dialog is expected.
local EXPECTED_MS = 10000

---Desk is what is going on about one project.
---@class mcp_sidecar.TrustDesk
---@field expected_until integer by the clock of vim.uv.now()
---@field announced? string what was announced last: a sidecar that is started again asks again
---@field dialog? mcp_sidecar.TrustDialog on the screen
---@field put_off? fun() the sidecar's question waits for its turn: this answers it with nothing
---@field listing boolean `:Mcp trust` is on its way to its dialog, which will have all servers

---@type table<string, mcp_sidecar.TrustDesk> by root
local desks = {}

---@param root string
---@return mcp_sidecar.TrustDesk
local function desk_of(root)
  desks[root] = desks[root] or { expected_until = 0, listing = false }
  return desks[root]
end

---@param desk mcp_sidecar.TrustDesk
local function is_expected(desk) return vim.uv.now() < desk.expected_until end

---expect says that the user has asked for something in this project just now.
---@param root string
function M.expect(root) desk_of(root).expected_until = vim.uv.now() + EXPECTED_MS end

local ANNOUNCED = 'servers wait for you: %s (`:Mcp trust`)'

---@param desk mcp_sidecar.TrustDesk
---@param servers mcp_sidecar.ProjectServer[]
local function announce(desk, servers)
  local function member(name)
    return table.concat(vim.tbl_map(function(server) return server[name] end, servers), ', ')
  end
  -- One with the same name may be another one.
  local what = member('name') .. '\0' .. member('hash')
  if desk.announced == what then return end
  desk.announced = what
  -- More than a line, and Neovim would ask to press ENTER.
  local room = math.max(vim.v.echospace, 60) - #say.PREFIX - #ANNOUNCED
  say.warn(ANNOUNCED:format(cells.line(member('name'), room)))
end

---open shows the dialog, as the one of its project.
---@param session mcp_sidecar.Session
---@param servers mcp_sidecar.ProjectServer[]
---@param done fun(chosen: mcp_sidecar.TrustChoice?)
local function open(session, servers, done)
  local desk = desk_of(session.root)
  local dialog
  dialog = trust_dialog.open(servers, function(chosen, file)
    if desk.dialog == dialog then desk.dialog = nil end
    done(chosen)
    if file then require('mcp_sidecar.ui.edit').show(file) end
  end)
  desk.dialog = dialog
  return dialog
end

---@param servers mcp_sidecar.ProjectServer[]
---@param chosen mcp_sidecar.TrustChoice
---@return table<string, mcp_sidecar.Decision>
local function by_name(servers, chosen)
  local decisions = {}
  for index, server in ipairs(servers) do
    decisions[server.name] = chosen[index]
  end
  return decisions
end

---ask answers trust/approve.
---@param session mcp_sidecar.Session
---@param question mcp_sidecar.ApproveParams
---@param reply mcp_sidecar.Reply
---@return fun()? withdraw
function M.ask(session, question, reply)
  local desk, servers = desk_of(session.root), question.servers
  if desk.listing then return reply(nil) end
  local dialog, take_back
  local function put_off() -- while it waits for its turn
    desk.put_off = nil
    if take_back then take_back() end
    reply(nil)
  end
  if not is_expected(desk) then
    announce(desk, servers)
    return put_off()
  end
  take_back = prompts.ask(function(done)
    -- It may have waited long.
    if not is_expected(desk) then
      announce(desk, servers)
      return put_off()
    end
    desk.put_off = nil
    local ok, opened = pcall(open, session, servers, function(chosen)
      done()
      reply(chosen and by_name(servers, chosen))
    end)
    if not ok then
      reply(nil)
      error(opened, 0)
    end
    dialog = opened
  end)
  desk.put_off = put_off
  return function()
    if dialog then return dialog:close() end
    if desk.put_off == put_off then put_off() end
  end
end

---Requests by decision; `later` forgets what was decided.
local REQUESTS = { allow = 'trust/allow', deny = 'trust/deny', later = 'trust/revoke' }

---@param session mcp_sidecar.Session
---@param servers mcp_sidecar.ProjectServer[]
---@param chosen mcp_sidecar.TrustChoice
local function carry_out(session, servers, chosen)
  for index, server in ipairs(servers) do
    local decision = chosen[index]
    if decision ~= (server.decision or 'later') then
      session:request(REQUESTS[decision], { server = server.name, hash = server.hash }, function(err)
        -- Its hash is that of another entry.
        if err and err.code == protocol.code.invalid_params then
          local name = cells.visible(server.name)
          return say.error(('%s has changed since it was shown: `:Mcp trust` shows it anew'):format(name))
        end
        say.failure(err)
      end)
    end
  end
end

---manage shows all servers of the project's files with what was decided, and carries out what is changed.
---@param session mcp_sidecar.Session
function M.manage(session)
  local desk = desk_of(session.root)
  if desk.dialog then return desk.dialog:focus() end
  if desk.listing then return end
  desk.listing = true
  if desk.put_off then desk.put_off() end
  session:request('trust/list', nil, function(err, result)
    if err or #result.servers == 0 then
      desk.listing = false
      if err then return say.failure(err) end
      return say.info('the files of this project name no servers')
    end
    prompts.ask(function(done)
      desk.listing = false
      open(session, result.servers, function(chosen)
        done()
        if chosen then carry_out(session, result.servers, chosen) end
      end)
    end)
  end)
end

return M
