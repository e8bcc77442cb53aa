-- What a sidecar may ask of its host. A handler that is there declares its capability, and is called with the
-- question; what it replies is the answer in its natural form, without the wire's wrapping.

local protocol = require('mcp_sidecar.protocol_gen')

---Reply answers a question, once. Without a value nothing is decided (from `input`: the user gave none), with
---a message instead the host failed.
---@alias mcp_sidecar.Reply fun(value?: any, failure?: string)

---Handler gets a question. What it returns is called when the sidecar withdraws the question, or is gone.
---@alias mcp_sidecar.Handler fun(question: table, reply: mcp_sidecar.Reply): fun()?

---@class mcp_sidecar.Handlers
---@field approve? mcp_sidecar.Handler may these servers run? (ApproveParams): decisions by name
---@field input? mcp_sidecar.Handler the value of an ${input:id} (InputParams): a string
---@field elicit? mcp_sidecar.Handler a server asks the user (RelayParams): MCP's ElicitResult
---@field sample? mcp_sidecar.Handler a server asks for a model's answer (RelayParams): MCP's CreateMessageResult
---@field open_url? mcp_sidecar.Handler open a page (OpenURLParams): was it opened?

local M = {}

---@class mcp_sidecar.QuestionRow
---@field handler string
---@field capability string
---@field declares any the capability of a host that has the handler, unless it says otherwise
---@field member string of the wire's result
---@field none? table the wire's result of no value, where that is an answer

---@type table<string, mcp_sidecar.QuestionRow>
local ROWS = {
  ['trust/approve'] = { handler = 'approve', capability = 'approve', declares = true, member = 'decisions' },
  ['input/request'] = {
    handler = 'input',
    capability = 'input',
    declares = true,
    member = 'value',
    none = vim.empty_dict(),
  },
  ['elicitation/create'] = {
    handler = 'elicit',
    capability = 'elicitation',
    declares = { form = true },
    member = 'result',
  },
  ['sampling/createMessage'] = {
    handler = 'sample',
    capability = 'sampling',
    declares = vim.empty_dict(),
    member = 'result',
  },
  ['auth/openUrl'] = { handler = 'open_url', capability = 'openUrl', declares = true, member = 'opened' },
}

---declared says what a host with these handlers can be asked. `refined` are the host's own words about it.
---@param handlers mcp_sidecar.Handlers
---@param refined? mcp_sidecar.Capabilities
---@return mcp_sidecar.Capabilities
function M.declared(handlers, refined)
  -- One that this version does not know is the sidecar's to judge: it warns of what it does not know, too.
  local known, capabilities = {}, vim.tbl_extend('force', vim.empty_dict(), refined or {})
  for _, row in pairs(ROWS) do
    known[row.handler] = true
    local own = capabilities[row.capability]
    if handlers[row.handler] then
      capabilities[row.capability] = own == nil and row.declares or own
    elseif own then
      error(('capability %s: there is no handler "%s" to keep it'):format(row.capability, row.handler), 0)
    end
  end
  for name in pairs(handlers) do
    -- It may well be a misspelt `approve`: without that one, nobody is asked.
    if not known[name] then error(('there is no handler "%s"'):format(name), 0) end
  end
  return capabilities
end

---ask has the handler answer, or refuses as the protocol wants it.
---@param handlers mcp_sidecar.Handlers
---@param method string
---@param params table
---@param reply fun(result: any?, code: integer?, message: string?)
---@return fun()? withdraw
function M.ask(handlers, method, params, reply)
  local row = ROWS[method]
  local handler = row and handlers[row.handler]
  if not handler then
    reply(nil, protocol.code.method_not_found, ('this host does not answer %s'):format(method))
    return
  end
  return handler(params, function(value, failure)
    if failure then
      reply(nil, protocol.code.internal_error, failure)
    elseif value ~= nil then
      local object = type(value) == 'table' and next(value) == nil
      reply({ [row.member] = object and vim.empty_dict() or value })
    elseif row.none then
      reply(row.none)
    else
      reply(nil, protocol.code.cancelled, ('%s: this host cannot ask now'):format(method))
    end
  end)
end

return M
