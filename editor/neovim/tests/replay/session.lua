-- One connection of a dialogue: the client under test, the sidecar that the test is, and what must hold between the
-- two after every step.

local deed = require('replay.deed')
local Desk = require('replay.desk')
local failure = require('replay.failure')
local folder = require('replay.folder')
local json = require('replay.raw_json')
local Mirror = require('replay.mirror')
local Pipe = require('replay.pipe')

local expect, same = failure.expect, failure.same

local M = {}

---Through stands between the client and the test, to show that the player sees what goes wrong.
---@class replay.Through
---@field transport? fun(pipe: replay.Pipe): table what the client gets for a transport
---@field listener? fun(listener: table): table what the test gets of the client
---@field client? fun(client: table): table

---Open is a request of the client's that the sidecar has not answered.
---@class replay.Open
---@field method string
---@field done replay.Done
---@field id string the id that the client used, as JSON, once it was seen
---@field size integer the length of its message
---@field ends { err: table?, result: any }[] how it ended for whoever asked: once, if all is well
---@field abandoned boolean nobody waits for it any more

---@class replay.Session
---@field mirror replay.Mirror
---@field pipe replay.Pipe
---@field desk replay.Desk
---@field open replay.Open[] the oldest first
---@field all replay.Open[] those that have ended, too
---@field closing? { over: integer } how often the callbacks of close() were called
---@field private client table
---@field private expected replay.Event[] what the client must have told its program in this step
---@field private heard replay.Event[] what it has
---@field private closings table[] the reasons of its events "closed"
---@field private seen { [1]: any, [2]: any }[] lists that were given out, and copies: they must not change
local Session = {}
Session.__index = Session

local told = {
  'tools_changed',
  'status',
  'diagnostics',
  'log',
  'resources_changed',
  'resource_updated',
  'prompts_changed',
  'elicitation_complete',
}

local getters =
  { 'tools', 'servers', 'errors', 'exa_api_keys', 'revision', 'hash', 'info', 'methods', 'guest' }

---Lets everything run that is ready. What a message asks for, a client does while it reads it: only that a request was in
---vain from the beginning it may say a little later.
local function turn()
  for _ = 1, 3 do
    vim.wait(0)
  end
end

---@param declared table<string, any> the capabilities of the host
---@param through replay.Through
---@return replay.Session
function M.new(declared, through)
  local self = setmetatable({
    mirror = Mirror.new(),
    pipe = Pipe.new(),
    desk = Desk.new(declared),
    open = {},
    all = {},
    expected = {},
    heard = {},
    closings = {},
    seen = {},
  }, Session)
  local listeners = { closed = function(reason) self:hears_end(reason) end }
  for _, event in ipairs(told) do
    listeners[event] = function(payload) self:hears(event, payload) end
  end
  -- Of these there is no more to say than that there is a handler.
  local refined = vim.tbl_extend('force', {}, declared)
  refined.approve, refined.input, refined.openUrl = nil, nil, nil
  local transport = through.transport and through.transport(self.pipe) or self.pipe
  local client = require('mcp_sidecar.client').new(transport, {
    client = folder.client,
    handlers = self.desk.handlers,
    capabilities = refined,
    on = listeners,
  })
  self.client = through.client and through.client(client) or client
  local listener = client:listener()
  self.pipe.listener = through.listener and through.listener(listener) or listener
  return self
end

---@private
function Session:hears(event, payload)
  local late = #self.closings > 0 and 'after the end: ' or ''
  table.insert(self.heard, { event = late .. event, payload = payload })
end

---The end is told last: whoever waited knows of it already.
---@private
function Session:hears_end(reason)
  local function waits(open) return #open.ends == 0 end
  table.insert(self.closings, vim.iter(self.open):any(waits) and 'before a call has failed' or reason)
end

---Makes the client ask.
---@param method string
---@param params replay.Json?
---@return replay.Open
function Session:ask(method, params)
  local open = { method = method, id = '', size = 0, ends = {}, abandoned = false }
  open.done = deed.perform(self.client, method, {
    params = params,
    callback = function(err, result) table.insert(open.ends, { err = err, result = result }) end,
    on_progress = function(value) self:hears('progress', value) end,
    opened = self.mirror.info ~= nil,
  })
  table.insert(self.open, open)
  table.insert(self.all, open)
  return open
end

---Makes the client abandon a request, which must end at once. A second time is nothing.
---@param open replay.Open
function M.abandon(open)
  open.done.cancel()
  open.done.cancel()
  open.abandoned = true
  expect(#open.ends > 0, ('%s was abandoned and still waits'):format(open.method))
  local err = open.ends[1].err
  expect(
    err and err.kind == 'cancelled',
    ('an abandoned %s ended with %s'):format(open.method, vim.inspect(err))
  )
end

---Makes the client shut the sidecar down. Whoever waits for an answer must be told at once. A second time changes
---nothing, and is told when it is over, too.
function Session:close()
  self.closing = { over = 0 }
  for _ = 1, 2 do
    self.client:close(function() self.closing.over = self.closing.over + 1 end)
  end
  self:closed_all()
end

---The oldest message that the client has sent and no line has named.
---@return replay.Json
function Session:next()
  local body = table.remove(self.pipe.sent, 1)
  expect(body, 'the client has sent nothing')
  local message = json.read(body)
  if self.closing and self.desk:left_open(message) then return self:next() end
  same(json.string_at(message, 'jsonrpc'), '2.0', 'not JSON-RPC 2.0: ' .. body)
  return message
end

---Fails if the client has sent what no line names.
function Session:nothing_unnamed()
  local first = self.pipe.sent[1]
  expect(not first, ('the client has sent what no line names: %s'):format(first))
end

---Sends a notification of the sidecar's, which the client must tell as the mirror says.
---@param method string
---@param params string
function Session:notify(method, params)
  local events = self.mirror:notified(method, json.read(params))
  self:deliver({ { 'method', json.quoted(method) }, { 'params', params } }, events)
end

---Sends the progress of a call that the client gave a token for. One that has ended hears of none.
---@param token string
---@param value replay.Json
---@param call replay.Open
function Session:progress(token, value, call)
  local events = #call.ends == 0 and { { event = 'progress', payload = json.shown(value) } } or {}
  local params = json.object({ { 'token', token }, { 'value', value.text } })
  self:deliver({ { 'method', '"$/progress"' }, { 'params', params } }, events)
end

---Sends a request of the sidecar's.
---@param id string
---@param method string
---@param params string
function Session:request(id, method, params)
  self.desk:asked(id, method, json.read(params))
  self:deliver({ { 'id', id }, { 'method', json.quoted(method) }, { 'params', params } }, {})
  self.desk:heard(id)
end

---Whether it is the error that was sent.
local function refused(open, sent)
  local err = open.ends[1].err
  local error = json.shown(sent)
  expect(err, ('%s was refused, and does not fail'):format(open.method))
  local supported = type(error.data) == 'table' and error.data.supported
  local version = open.done.typed and open.method == 'runtime/initialize' and type(supported) == 'table'
  same(err.kind, version and 'version' or 'response', ('the kind of error of %s'):format(open.method))
  same(err.data, error.data, 'the data of the error')
  if version then return end
  same(err.code, error.code, 'the code of the error')
  local says = tostring(err)
  same(says, err.message, 'the text of the error')
  expect(says:find(error.message, 1, true), ('the error says "%s", not what the sidecar said'):format(says))
end

---Answers a request of the client's.
---@param open replay.Open
---@param member "result"|"error"
---@param text string
function Session:answer(open, member, text)
  local value = json.read(text)
  local events = member == 'result' and self.mirror:answered(open.method, value) or {}
  self:forget(open)
  self:deliver({ { 'id', open.id }, { member, text } }, events)
  open.done.cancel() -- too late: nothing comes of it
  -- Of an abandoned request, what its answer says of the tools counts, and nobody hears of the rest.
  if open.abandoned then return end
  expect(#open.ends > 0, ('%s was answered and still waits'):format(open.method))
  if member == 'error' then return refused(open, value) end
  local outcome, what = open.ends[1], ('the outcome of %s'):format(open.method)
  same(outcome.err, nil, what)
  same(open.done.got(outcome.result), open.done.natural(value), what)
end

---Answers with an error that has no id, because the request was too large to be read: it is the largest that is open.
---@param text string
---@return replay.Open? largest
function Session:answer_nobody(text)
  local largest
  for _, open in ipairs(self.open) do
    if not largest or open.size > largest.size then largest = open end
  end
  if largest then self:forget(largest) end
  self:deliver({ { 'id', 'null' }, { 'error', text } }, {})
  if not largest or largest.abandoned then return largest end
  expect(#largest.ends > 0, ('%s was too large and still waits'):format(largest.method))
  refused(largest, json.read(text))
  return largest
end

---Answers what the client asked of its own accord.
---@param id string
---@param method string
---@param member "result"|"error"
---@param text string
function Session:answer_own(id, method, member, text)
  local events = member == 'result' and self.mirror:answered(method, json.read(text)) or {}
  self.mirror.gap = false
  self:deliver({ { 'id', id }, { member, text } }, events)
end

---Sends any message. What must hold at once is looked at before anything else runs.
---@private
function Session:deliver(members, events)
  vim.list_extend(self.expected, events)
  self.pipe:deliver(json.object({ { 'jsonrpc', '"2.0"' }, unpack(members) }))
  self:compare()
end

---Looks at what the client shows, and at what it has told.
---@private
function Session:compare()
  local shown = self.mirror:shown()
  for _, name in ipairs(getters) do
    same(self.client[name](self.client), shown[name], name)
  end
  same(self.heard, self.expected, 'the events')
end

---Looks at everything, also at what the client only did a little later.
function Session:check()
  turn()
  self:compare()
  self.desk:nothing_unasked()
  self.heard, self.expected = {}, {}
  for _, list in ipairs(self.seen) do
    same(list[1], list[2], 'a list that was given out before')
  end
  self.seen = vim.tbl_map(function(name)
    local list = self.client[name](self.client)
    return { list, vim.deepcopy(list) }
  end, { 'tools', 'servers', 'errors' })
  for _, open in ipairs(self.all) do
    expect(#open.ends < 2, ('%s ended twice'):format(open.method))
  end
  if self.closing then return end
  same(self.client:closed(), nil, 'closed()')
  expect(#self.closings == 0, 'closed was told while the sidecar runs')
  for _, open in ipairs(self.open) do
    expect(open.abandoned or #open.ends == 0, ('%s ended before it was answered'):format(open.method))
  end
end

---@private
function Session:forget(open)
  self.open = vim.tbl_filter(function(other) return other ~= open end, self.open)
end

---Ends the sidecar with an exit code; −1 is the end by a signal.
---@param code integer
function Session:exit(code)
  expect(not self.pipe.forced, 'the client ended the sidecar by force')
  local how = code < 0 and { signal = 15 } or { code = code }
  self.pipe:ends(how.code and ('exited with code %d'):format(code) or 'was killed', how)
  self:closed_all()
  local reason = self.client:closed()
  expect(reason and reason.kind == 'closed', 'a client whose sidecar is gone says so in closed()')
  self:closed_once(reason)
  if self.closing then
    same(self.closing.over, 2, 'the calls of the callbacks of close()')
  else
    same(
      { reason.exit_code, reason.signal },
      { how.code, how.signal },
      'how the sidecar ended, in the reason'
    )
  end
  self.desk:over()
  local later = self:ask('mcp/servers')
  local over = 0
  self.client:close(function() over = over + 1 end)
  turn()
  expect(#later.ends > 0, 'a call after the end waits')
  expect(later.ends[1].err == reason, 'a call after the end fails for another reason')
  same(over, 1, 'the calls of the callbacks of close() after the end')
  self:closed_once(reason)
  same(self.heard, {}, 'the events after the end')
  for _, open in ipairs(self.all) do
    expect(#open.ends < 2, ('%s ended twice'):format(open.method))
  end
  self:nothing_unnamed()
end

---@private
function Session:closed_once(reason)
  expect(#self.closings == 1, ('closed was told %d times'):format(#self.closings))
  expect(self.closings[1] == reason, 'closed is told with the reason that every call fails with')
end

---Every call that waits fails, all with the one reason.
---@private
function Session:closed_all()
  local reason = self.client:closed()
  for _, open in ipairs(self.open) do
    if not open.abandoned then
      open.abandoned = true -- an answer that comes all the same is for nobody
      expect(#open.ends > 0, ('%s still waits for a sidecar that is gone'):format(open.method))
      local err = open.ends[1].err
      expect(err ~= nil and err == reason, ('%s ends for another reason'):format(open.method))
    end
  end
end

return M
