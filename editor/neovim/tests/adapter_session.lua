-- A session as the adapters see one: tools, and calls that the test answers.
local M = {}

---@class mcp_sidecar.test.Call
---@field target string
---@field args any
---@field options any
---@field cancelled boolean
---@field answer fun(err: table?, outcome: table?)

---outcome is that of a call, with the text that a sidecar would give.
---@param result table
---@return table
function M.outcome(result)
  return { result = result, details = {}, json = require('mcp_sidecar.json').object(result) }
end

---@param name string
---@param definition? table
---@param server? string
---@return table
function M.tool(name, definition, server)
  server = server or 'test'
  return {
    name = ('mcp_%s_%s'):format(server, name),
    label = server .. '/' .. name,
    server = server,
    state = 'live',
    path = 'mcp:' .. server,
    definition = vim.tbl_extend('keep', definition or {}, { name = name }),
  }
end

---@param tools? table[]
---@param root? string
---@return table session with `calls`, those that were made
function M.new(tools, root)
  local session =
    { calls = {}, tools = tools or {}, starts = 0, phase = 'running', root = root or '/project' }
  function session:view() return { root = self.root, phase = self.phase, tools = self.tools } end
  function session:start() self.starts = self.starts + 1 end
  function session:call(target, args, options, callback)
    local call = { target = target, args = args, options = options, cancelled = false, answer = callback }
    table.insert(self.calls, call)
    return function()
      if call.cancelled then return end
      call.cancelled = true
      callback({ kind = 'cancelled', message = 'tools/call was cancelled' })
    end
  end
  return session
end

return M
