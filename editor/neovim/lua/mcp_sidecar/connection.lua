-- A Connection is one end of a JSON-RPC 2.0 conversation: it numbers requests, finds the owners of answers,
-- cancels, and serves what the other end asks. It knows no method but `$/cancelRequest`.
--
-- It is not vim.lsp.rpc, which makes tables of everything: Neovim 0.10 would send the argument
-- 1234567890123456 as 1.2345678901235e+15, and drop what is null. It hides the ids of what the other end asks
-- too, without which a question that is withdrawn cannot be told from the others.
--
-- Hooks and callbacks run while a message is being read, in the order of the wire. An abandoned request stays
-- known until it is answered: nobody waits for it, but what its answer says of the state of things counts.

local errors = require('mcp_sidecar.errors')
local guarded = require('mcp_sidecar.guarded')
local json = require('mcp_sidecar.json')
local protocol = require('mcp_sidecar.protocol_gen')

---@class mcp_sidecar.Transport
---@field send fun(self: mcp_sidecar.Transport, body: string) one message, which is JSON text
---@field close fun(self: mcp_sidecar.Transport) ends the other end, by force if need be

---@class mcp_sidecar.ConnectionHooks
---@field answered fun(method: string, result: any) a request of ours has this result
---@field notified fun(method: string, params: any)
---@field asked fun(method: string, params: any, reply: fun(result: any?, code: integer?, message: string?)): fun()? serves a request, once; what it returns is called if the request is withdrawn
---@field closed fun() the other end made no sense, or is gone; not after `finish`

---@class mcp_sidecar.Pending
---@field method string
---@field size integer of the message, in bytes
---@field callback? fun(err: mcp_sidecar.Error?, result: any, body: string?) nil once its caller has heard of its end

---@class mcp_sidecar.Connection
---@field private transport mcp_sidecar.Transport
---@field private hooks mcp_sidecar.ConnectionHooks
---@field private pending table<integer, mcp_sidecar.Pending>
---@field private serving table<integer|string, { withdraw: fun()?, reply: fun(result: any?, code: integer?, message: string?) }>
---@field private last_id integer
---@field ended mcp_sidecar.Error? why nothing is sent any more
---@field over boolean the transport has ended
local Connection = {}
Connection.__index = Connection

local M = {}

---@param transport mcp_sidecar.Transport
---@param hooks mcp_sidecar.ConnectionHooks
---@return mcp_sidecar.Connection
function M.new(transport, hooks)
  local self = { transport = transport, hooks = hooks, pending = {}, serving = {}, last_id = 0, over = false }
  return setmetatable(self, Connection)
end

---@param pending mcp_sidecar.Pending
local function settle(pending, ...)
  local callback = pending.callback
  pending.callback = nil
  if callback then guarded(callback, ...) end
end

---request sends params, which are JSON text.
---@param method string
---@param params string
---@param callback fun(err: mcp_sidecar.Error?, result: any, body: string?)
---@return mcp_sidecar.Cancel
function Connection:request(method, params, callback)
  if self.ended then
    local reason = self.ended
    vim.schedule(function() callback(reason) end)
    return function() end
  end
  return self:send_request(method, params, callback)
end

---@private
function Connection:send_request(method, params, callback)
  self.last_id = self.last_id + 1
  local id = self.last_id
  local body = ('{"jsonrpc":"2.0","id":%d,"method":%s,"params":%s}'):format(id, json.encode(method), params)
  local pending = { method = method, size = #body, callback = callback }
  self.pending[id] = pending
  self.transport:send(body)
  return function()
    if not pending.callback then return end
    self:notify('$/cancelRequest', ('{"id":%d}'):format(id))
    settle(pending, errors.new('cancelled', ('%s was cancelled'):format(method)))
  end
end

---notify sends params, which are JSON text.
---@param method string
---@param params string
function Connection:notify(method, params)
  self.transport:send(('{"jsonrpc":"2.0","method":%s,"params":%s}'):format(json.encode(method), params))
end

---finish fails everything that is in flight and to come, for one reason. The transport is left open.
---@param reason mcp_sidecar.Error
function Connection:finish(reason)
  if self.ended then return end
  self.ended = reason
  self:fail_pending()
  local serving = self.serving
  self.serving = {}
  for _, question in pairs(serving) do
    if question.withdraw then guarded(question.withdraw) end
  end
end

---conclude ends the conversation with one last request.
---@param reason mcp_sidecar.Error
---@param method string
---@param callback fun()
function Connection:conclude(reason, method, callback)
  self:finish(reason)
  if self.over then return callback() end
  self:send_request(method, '{}', callback)
end

---@private
function Connection:fail_pending()
  local ids = vim.tbl_keys(self.pending)
  table.sort(ids)
  local pending = self.pending
  self.pending = {}
  for _, id in ipairs(ids) do
    settle(pending[id], self.ended)
  end
end

---message takes one message of the other end. Nothing that comes makes it fail.
---@param body string
function Connection:message(body)
  local ok, err = pcall(function() self:dispatch(json.decode(body), body) end)
  if not ok then
    self:refuse(('sent a message that makes no sense (%s): %s'):format(err, body:sub(1, 200)))
  end
end

---refuse ends a conversation in which the other end does what it must not.
---@param what string
function Connection:refuse(what)
  if self.ended then return end
  local reason = errors.new('closed', 'the sidecar ' .. what)
  self:finish(reason)
  self.hooks.closed()
  self.transport:close()
end

---closed is told by the transport, once, when it has ended.
---@param reason mcp_sidecar.Error
function Connection:closed(reason)
  local news = self.ended == nil
  self.over = true
  self:finish(reason)
  self:fail_pending() -- the last request, too
  if news then self.hooks.closed() end
end

---@private
function Connection:dispatch(message, body)
  local id, method = message.id, message.method
  if type(method) == 'string' then
    if id ~= nil then
      self:serve(id, method, message.params)
    elseif method == '$/cancelRequest' then
      self:withdraw((message.params or {}).id)
    else
      self.hooks.notified(method, message.params)
    end
  elseif type(id) == 'number' then
    self:answer(id, message, body)
  elseif id == nil and message.error then
    self:answer(self:largest(), message, body)
  end
end

---@private
function Connection:answer(id, message, body)
  local pending = self.pending[id]
  if not pending then return end
  -- Still pending in the meantime: if the answer makes no sense, the request fails with the others.
  local refusal = message.error and errors.response(pending.method, message.error)
  if not refusal then self.hooks.answered(pending.method, message.result) end
  self.pending[id] = nil
  settle(pending, refusal, not refusal and message.result or nil, body)
end

---largest is the request that an error without an id is about: only what is too large to be read is answered
---so, and it is larger than everything that was read.
---@private
---@return integer?
function Connection:largest()
  local largest, size = nil, 0
  for id, pending in pairs(self.pending) do
    if pending.size > size then
      largest, size = id, pending.size
    end
  end
  return largest
end

---@private
function Connection:serve(id, method, params)
  local question = {} ---@type { withdraw: fun()?, reply: function }
  local answered = false
  local function reply(result, code, message)
    if answered then return end
    answered = true
    if self.serving[id] == question then self.serving[id] = nil end
    if self.over then return end
    local ok, text = pcall(json.encode, result)
    if not code and not ok then
      code, message = protocol.code.internal_error, text
    end
    local answer = code and ('"error":{"code":%d,"message":%s}'):format(code, json.encode(message or ''))
      or ('"result":%s'):format(text)
    self.transport:send(('{"jsonrpc":"2.0","id":%s,%s}'):format(json.encode(id), answer))
  end
  question.reply = reply
  self.serving[id] = question
  local ok, withdraw = pcall(self.hooks.asked, method, params, reply)
  if not ok then
    reply(nil, protocol.code.internal_error, tostring(withdraw))
  elseif not answered then
    question.withdraw = withdraw
  end
end

---@private
function Connection:withdraw(id)
  local question = id ~= nil and self.serving[id]
  if not question then return end
  self.serving[id] = nil
  if question.withdraw then guarded(question.withdraw) end
  -- A handler that takes its question off the screen has nothing to say any more, and a word that comes late
  -- would answer the next question with this id.
  question.reply(nil, protocol.code.cancelled, 'the question was withdrawn')
end

return M
