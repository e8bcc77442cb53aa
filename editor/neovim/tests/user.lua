-- A user with a script, for child Neovims: answers vim.ui.select and vim.ui.input in turn, and notes what was asked
-- and said. And a session that only remembers what it was asked to call.

local M = { asked = {}, said = {}, calls = {} }

local function next_answer()
  local answer = table.remove(M.answers, 1)
  if answer == nil then return '(nobody answers)' end
  return answer
end

-- What a list shows, and the item whose line begins so.
local function choose(items, options, done, answer)
  local format = options.format_item or tostring
  local lines = vim.tbl_map(format, items)
  M.asked[#M.asked + 1] = { prompt = options.prompt, kind = options.kind, items = lines }
  if answer == false then return done(nil) end
  for i, line in ipairs(lines) do
    if vim.startswith(line, answer) then return done(items[i], i) end
  end
end

---plays answers the questions to come: a string is typed, or chosen by how its line begins; true accepts what is
---proposed; false is <Esc>. After the last one questions stay open.
---@param answers (string|boolean)[]
function M.plays(answers)
  M.answers, M.asked, M.said = answers, {}, {}
  vim.ui.select = function(items, options, done) choose(items, options, done, next_answer()) end
  vim.ui.input = function(options, done)
    M.asked[#M.asked + 1] =
      { prompt = options.prompt, default = options.default, completion = options.completion }
    local answer = next_answer()
    if answer == '(nobody answers)' then return end
    if answer == true then answer = options.default or '' end
    done(answer or nil)
  end
  vim.notify = function(message, level) M.said[#M.said + 1] = { message, level } end
end

---settle lets everything happen that is scheduled, and what that schedules.
function M.settle()
  for _ = 1, 5 do
    local turned = false
    vim.schedule(function() turned = true end)
    vim.wait(5000, function() return turned end, 1)
  end
end

---words are all messages so far.
---@return string[]
function M.words()
  return vim.tbl_map(function(said) return said[1] end, M.said)
end

---tool of a server, as a session has it.
---@param server string
---@param name string
---@param definition? table
---@return mcp_sidecar.Tool
function M.tool(server, name, definition)
  return {
    name = ('mcp_%s_%s'):format(server, name),
    label = server .. '/' .. name,
    server = server,
    state = 'live',
    path = 'mcp:' .. server,
    definition = vim.tbl_extend('force', { name = name }, definition or {}),
  }
end

---server as a session has it.
---@return mcp_sidecar.Server
function M.server(name, phase, more)
  local status = phase == 'ready' and 'connected' or phase == 'starting' and 'connecting' or 'disconnected'
  local server = { name = name, phase = phase, status = status, tools = { count = 0, from = 'none' } }
  return vim.tbl_extend('force', server, more or {})
end

---session runs, and has these tools. Its calls wait in M.calls until a test ends them.
---@param tools mcp_sidecar.Tool[]
---@param view? table
function M.session(tools, view)
  local session =
    { root = '/p', shown = { root = '/p', phase = 'running', tools = tools, servers = {}, errors = {} } }
  session.shown = vim.tbl_extend('force', session.shown, view or {})
  M.calls, M.starts = {}, {}
  function session:view() return self.shown end
  function session.start(_, callback) M.starts[#M.starts + 1] = callback end
  function session.call(_, target, args, options, callback)
    local call = { target = target, args = args, options = options, callback = callback, cancels = 0 }
    M.calls[#M.calls + 1] = call
    return function() call.cancels = call.cancels + 1 end
  end
  M.current = session
  return session
end

---outcome of a call, of one text or of a whole result.
---@param result string|table
---@param details? table
---@return mcp_sidecar.CallOutcome
function M.outcome(result, details)
  if type(result) == 'string' then result = { content = { { type = 'text', text = result } } } end
  local told = { server = 'fs', tool = 'read', deferred = false, waitedMs = 0, durationMs = 12 }
  return {
    result = result,
    details = vim.tbl_extend('force', told, details or {}),
    json = require('mcp_sidecar.ui.json_write').value(result),
  }
end

return M
