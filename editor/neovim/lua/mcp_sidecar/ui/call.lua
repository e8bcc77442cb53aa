-- Calling a tool by hand: which tool, with which arguments, then the result.
--
--   pick ──▶ start ──▶ form or buffer ──▶ a question, if it destroys ──▶ call, with progress ──▶ result
--                                                                                  ▲   │ again, edit
--                                                                                  └───┘

local call_tools = require('mcp_sidecar.ui.call_tools')
local call_wait = require('mcp_sidecar.ui.call_wait')
local json_text = require('mcp_sidecar.json_text')
local once = require('mcp_sidecar.ui.once')
local progress = require('mcp_sidecar.ui.progress')
local say = require('mcp_sidecar.say')

local M = {}

local api = vim.api

---CallStart says how a call by hand begins.
---@class mcp_sidecar.CallStart
---@field edit? boolean the arguments are written in a buffer, whatever is known of them already
---@field confirm? boolean false: a destructive tool is not asked about
---@field window? integer of a result that the new one takes the place of

---ManualCall is one call by hand, from its arguments to its result.
---@class mcp_sidecar.ManualCall
---@field session mcp_sidecar.Session
---@field target string|{ server: string, tool: string }
---@field tool? mcp_sidecar.Tool nil: the session has none of that name, and the sidecar will say why
---@field label string "server/tool"
---@field start mcp_sidecar.CallStart
---@field editor? mcp_sidecar.ArgumentsBuffer in which its arguments are written

local function said_cancelled(label) say.info(('%s was not called'):format(label)) end

-- Runs `show` as soon as a window may be opened: while the user types text, but not while they type a command.
local function when_free(show)
  local mode = api.nvim_get_mode().mode:sub(1, 1)
  if vim.fn.getcmdwintype() == '' and mode ~= 'c' then return show() end
  api.nvim_create_autocmd({ 'ModeChanged', 'CmdwinLeave' }, {
    once = true,
    desc = 'mcp-sidecar: show the result of a call',
    callback = function()
      vim.schedule(function() when_free(show) end)
    end,
  })
end

-- Whether the user is where the call was made, with nothing half done: then the result is entered.
local function may_enter(window)
  return api.nvim_get_current_win() == window and api.nvim_get_mode().mode == 'n'
end

local function show_result(call, arguments, outcome, from)
  local function again(how)
    return function(window)
      local options = vim.tbl_extend('force', { window = window }, how)
      M.start(call.session, call.target, arguments, options)
    end
  end
  when_free(function()
    local enter = may_enter(from)
    if call.editor then call.editor:close() end
    require('mcp_sidecar.ui.result').open({
      label = call.label,
      outcome = outcome,
      again = again({}),
      edit = again({ edit = true }),
      window = call.start.window,
      enter = enter,
    })
    if not enter then say.info(call.label .. ' has answered') end
  end)
end

-- What a call to a server that is not connected waits for.
local function waiting(call)
  if not (call.tool and call.tool.state == 'deferred') then return nil end
  local server = call.tool.server
  return function()
    for _, one in ipairs(call.session:view().servers) do
      if one.name == server and one.status == 'connected' then return nil end
    end
    local note = call_tools.waiting_note(call.session:view(), { server = server, tool = '' })
    return note == 'waiting' and 'waiting for ' .. server or note
  end
end

local function run(call, arguments)
  local from = api.nvim_get_current_win()
  local cancel
  local running = progress.begin({
    label = call.label,
    cancel = function()
      if cancel then cancel() end
    end,
    note = waiting(call),
  })
  if call.editor then call.editor.busy = true end
  local options = { on_progress = function(value) running:update(value) end }
  cancel = call.session:call(call.target, arguments, options, function(err, outcome)
    running:finish()
    if call.editor then call.editor.busy = false end
    if not err then return show_result(call, arguments, outcome, from) end
    if err.kind == 'cancelled' then return say.info(call.label .. ' was cancelled') end
    -- Only the sidecar's own answers say what they are about.
    if err.kind == 'closed' and not err.reported then return say.error(call.label .. ': ' .. err.message) end
    say.failure(err)
  end)
end

-- So much of the arguments is shown in a question.
local SHOWN = 400

local function confirm(call, arguments)
  if call.start.confirm == false or not call_tools.is_destructive(call.tool) then
    return run(call, arguments)
  end
  local cells = require('mcp_sidecar.cells')
  local shown = cells.cut(cells.visible(json_text.compact(arguments, true)), SHOWN)
  local options = {
    prompt = ('%s may destroy something. Call it with %s? '):format(call.label, shown),
    kind = 'mcp_sidecar.confirm',
  }
  local answers = { 'Call it', 'Do not call it' }
  if not call.editor then answers[3] = 'Look at the arguments first' end
  local function answered(_, index)
    if index == 1 then return run(call, arguments) end
    if index == 3 then return M.write(call, arguments) end
    said_cancelled(call.label)
  end
  vim.ui.select(answers, options, once(answered))
end

---write opens a buffer for the arguments of a call.
---@private
---@param call mcp_sidecar.ManualCall
---@param arguments? string
function M.write(call, arguments)
  require('mcp_sidecar.ui.arguments_buffer').open({
    label = call.label,
    schema = call.tool and call_tools.schema(call.tool),
    json = arguments,
    call = function(json, buffer)
      call.editor = buffer
      confirm(call, json)
    end,
  })
end

local function ask(call)
  if not call.tool then return run(call, '{}') end
  local request = { label = call.label, schema = call_tools.schema(call.tool) }
  require('mcp_sidecar.ui.form').ask(request, function(outcome)
    if outcome.kind == 'done' then return confirm(call, outcome.json) end
    if outcome.kind == 'edit' then return M.write(call, outcome.json) end
    said_cancelled(call.label)
  end)
end

-- The arguments that a caller gave, as one line of JSON text; nil after saying what is wrong with them.
local function checked(arguments)
  local text, problem = require('mcp_sidecar.wire').arguments(arguments)
  if not text then return say.error(problem) end
  return json_text.compact(text)
end

---start calls a tool. Without arguments it asks for them, as its schema wants; a tool that has none runs at once.
---@param session mcp_sidecar.Session
---@param target string|{ server: string, tool: string } the exposed name, or the server and its own name of the tool
---@param arguments? table|string a table, or JSON text
---@param options? mcp_sidecar.CallStart
function M.start(session, target, arguments, options)
  local text
  if arguments ~= nil then
    text = checked(arguments)
    if not text then return end
  end
  local function find() return call_tools.find(session:view(), target) end
  call_wait.when_ready(session, call_tools.label(target, find()), find, target, function()
    local tool = find()
    local call = { session = session, target = target, tool = tool, start = options or {} }
    call.label = call_tools.label(target, tool)
    if call.start.edit and tool then return M.write(call, text) end
    if text then return confirm(call, text) end
    ask(call)
  end)
end

---pick lets the user choose among the session's tools, and starts the one that was chosen.
---@param session mcp_sidecar.Session
function M.pick(session)
  local function has_tools() return #session:view().tools > 0 end
  call_wait.when_ready(session, 'MCP tools', has_tools, nil, function()
    local view = session:view()
    if #view.tools == 0 then return say.warn(call_tools.why_none(view)) end
    local width = math.max(60, vim.o.columns - 6) -- a list of Neovim's own has numbers before its lines
    local pending = call_tools.pending(view)
    local prompt = #pending > 0 and ('Call a tool (%s may bring more): '):format(table.concat(pending, ', '))
      or 'Call a tool: '
    local options = {
      prompt = prompt,
      kind = 'mcp_sidecar.tool',
      format_item = function(tool) return call_tools.line(tool, width) end,
    }
    local function chosen(tool)
      if tool then M.start(session, tool.name) end
    end
    vim.ui.select(view.tools, options, once(chosen))
  end)
end

return M
