-- Waiting for what a call by hand needs: a session that runs, and servers whose tools are still to come. It is shown
-- with the calls that run, and cancelled like one.

local call_tools = require('mcp_sidecar.ui.call_tools')
local events = require('mcp_sidecar.events')
local progress = require('mcp_sidecar.ui.progress')
local prompts = require('mcp_sidecar.ui.prompts')
local say = require('mcp_sidecar.say')

local M = {}

local function wait(session, label, ready, target, proceed)
  local running, ended, offs = nil, false, {}
  local function stop()
    ended = true
    running:finish()
    for _, off in ipairs(offs) do
      off()
    end
  end
  local function look()
    local phase = session:view().phase
    if ended or phase == 'starting' then return end
    -- A session that ended meanwhile has said so itself.
    if phase ~= 'running' then return stop() end
    if not ready() and #call_tools.pending(session:view(), target) > 0 then return end
    stop()
    -- Time has gone by, and the user may be typing, or answering another question.
    prompts.ask(function(done)
      done()
      proceed()
    end)
  end
  running = progress.begin({
    label = label,
    cancel = function()
      stop()
      say.info(('waiting for %s was cancelled'):format(label))
    end,
    note = function()
      local view = session:view()
      return view.phase == 'running' and call_tools.waiting_note(view, target) or 'starting the sidecar'
    end,
  })
  for _, event in ipairs({ 'tools_changed', 'status', 'state' }) do
    offs[#offs + 1] = events.on(event, function(data)
      -- A list of tools that comes in the same message is not to be missed.
      if data.root == session.root then vim.schedule(look) end
    end)
  end
  session:start(function(err)
    if ended then return end
    if not err then return look() end
    stop()
    say.failure(err)
  end)
end

---when_ready proceeds once the session runs and has what is wanted of it, or nothing more may come. What ends the wait
---otherwise is said.
---@param session mcp_sidecar.Session
---@param label string what is waited for
---@param ready fun(): any it has what is wanted
---@param target? string|{ server: string, tool: string } the tool that is wanted; nil: any
---@param proceed fun()
function M.when_ready(session, label, ready, target, proceed)
  local view = session:view()
  local settled = view.phase == 'running' and (ready() or #call_tools.pending(view, target) == 0)
  if settled then return proceed() end
  wait(session, label, ready, target, proceed)
end

return M
