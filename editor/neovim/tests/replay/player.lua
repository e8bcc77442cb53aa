-- Plays the sidecar's side of a dialogue to a client. conformance/README.md ("Playing the sidecar's side") says what
-- each step means here.

local completion = require('replay.completion')
local failure = require('replay.failure')
local json = require('replay.raw_json')
local pattern = require('replay.pattern')
local Session = require('replay.session')
local surroundings = require('replay.surroundings')

local expect = failure.expect

local M = {}

---Steps about what only a real sidecar has.
local nothing = {
  'eof',
  'signal',
  'stderr',
  'put',
  'remove',
  'mode',
  'await',
  'count',
  'release',
  'kill',
  'gone',
  'launch',
  '<!',
}

---@class replay.Player
---@field private steps replay.Step[]
---@field private through replay.Through
---@field private session? replay.Session
---@field private saved replay.Saved
---@field private open table<string, replay.Open> the client's requests that are open, by the ids of the dialogue
---@field private own table<string, { method: string, id: string }> requests that nobody made but the client, likewise
---@field private tokens table<string, { text: string, call: replay.Open }> the client's tokens by those of the dialogue
local Player = {}
Player.__index = Player

local function shutdown_pattern() return pattern.read('{"method":"runtime/shutdown"}') end

local function exit_pattern() return pattern.read('{"method":"runtime/exit"}') end

---@param step replay.Step
function Player:take(step)
  if vim.tbl_contains(nothing, step.verb) then return end
  if step.verb == 'start' then return self:start(step) end
  local session = self.session
  expect(session, 'no sidecar runs')
  local message = step.verb == '>' and pattern.read(step.args[1]) or nil
  if not message or not self:says_itself(message) then session:nothing_unnamed() end
  if message then
    self:say(message)
  elseif step.verb == '<' then
    self:send_line(step)
  elseif step.verb == '<{' then
    -- In one turn of the event loop, as if one read had brought them all.
    vim.iter(step.group):each(function(each) self:send_line(each) end)
  else
    return self:finish(step)
  end
  session:check()
end

---@private
function Player:start(step)
  expect(not self.session, 'the last one still runs')
  self.open, self.own, self.tokens = {}, {}, {}
  self.session = Session.new(self:declared(step), self.through)
end

---What the client can be asked: the runtime/initialize of this session says it.
---@private
---@return table<string, any>
function Player:declared(start)
  local begun = false
  for _, step in ipairs(self.steps) do
    if begun and step.verb == 'start' then break end
    begun = begun or step == start
    local message = begun and step.verb == '>' and pattern.read(step.args[1])
    if message and json.string_at(message, 'method') == 'runtime/initialize' then
      local given = message.members.params.members.capabilities
      if given then return json.shown(json.read(pattern.example(given, {}))) end
    end
  end
  return {}
end

---Whether a client says this of its own accord, so that it may have said it already.
---@private
function Player:says_itself(message)
  local method = json.string_at(message, 'method')
  return not method or method == 'runtime/exit' or self:asks_itself(method)
end

---@private
function Player:asks_itself(method)
  return method == 'tools/snapshot' and self.session.mirror.gap and next(self.own) == nil
end

---@private
function Player:say(line)
  local session = self.session
  local method, id = json.string_at(line, 'method'), line.members.id
  -- A pattern after ">" stands for its example.
  local message = json.read(pattern.example(line, vim.tbl_extend('keep', {}, self.saved)))
  if not method then
    expect(id, 'neither a method nor an id')
    session.desk:answer(id.text, message)
    self:fits(line, session:next())
  elseif id then
    self:ask(id.text, method, line, message.members.params)
  elseif method == '$/cancelRequest' then
    self:cancel(line)
  elseif method == 'runtime/exit' and session.closing then
    self:fits(line, session:next())
  end
  -- Whatever else has no id, a client does not say.
end

---@private
function Player:ask(id, method, line, params)
  expect(not self.open[id] and not self.own[id], ('the id %s is in flight'):format(id))
  local itself = self:asks_itself(method)
  if method == 'runtime/shutdown' then
    self.session:close()
    itself = true
  end
  local open = not itself and self.session:ask(method, params) or nil
  self.open[id] = open
  local sent = self:named(line, open)
  local used = self:usable(sent)
  if open then
    open.id, open.size = used, #sent.text
  else
    self.own[id] = { method = method, id = used }
  end
end

---The client's next message, which must be the request of this line but for ids and tokens.
---@private
---@param line replay.Json
---@param call replay.Open?
---@return replay.Json
function Player:named(line, call)
  local sent = self.session:next()
  local wanted = json.with(line, 'id', nil)
  local params = line.members.params
  local token = params and params.members.progressToken
  local used = sent.members.params and sent.members.params.members.progressToken
  if token and call then
    local usable = used and (used.kind == 'string' or used.kind == 'number')
    expect(usable, 'no usable progressToken: ' .. sent.text)
    self.tokens[token.text] = { text = used.text, call = call }
    wanted = json.with(wanted, 'params', json.with(params, 'progressToken', nil).text)
  else
    expect(not used, 'a token for progress that nobody asked for: ' .. sent.text)
  end
  self:fits(wanted, sent)
  return sent
end

---The id of a request: a string or an integer that is not in flight.
---@private
---@param sent replay.Json
---@return string
function Player:usable(sent)
  local id = sent.members.id
  expect(id and (id.kind == 'string' or id.text:find('^%d+$')), 'no usable id: ' .. sent.text)
  for _, open in ipairs(self.session.open) do
    expect(open.id ~= id.text, ('the id %s is in flight: %s'):format(id.text, sent.text))
  end
  return id.text
end

---@private
function Player:cancel(line)
  local params = line.members.params
  local id = params and params.members.id
  local open = id and self.open[id.text]
  -- What has been answered, or never was asked, a client does not cancel.
  if not open or open.abandoned then return end
  Session.abandon(open)
  local wanted = ('{"method":"$/cancelRequest","params":{"id":%s}}'):format(open.id)
  self:fits(pattern.read(wanted), self.session:next())
end

---@private
function Player:fits(wanted, sent)
  local found = pattern.mismatch(wanted, sent, self.saved)
  expect(not found, ('%s\nthe client sent: %s'):format(found, sent.text))
end

---@private
function Player:send_line(step)
  failure.at(step.line, function() self:send(pattern.read(step.args[1])) end)
end

---@private
function Player:send(line)
  local session = self.session
  local message = json.read(pattern.example(line, self.saved))
  local method, id = json.string_at(message, 'method'), message.members.id
  local params = message.members.params or json.read('{}')
  if not method then return self:answer(id and id.text or 'null', message) end
  if method == '$/progress' then return self:progress(params) end
  local completed = completion.params(method, params, session.mirror)
  if id then return session:request(id.text, method, completed) end
  session:notify(method, completed)
  if method == '$/cancelRequest' and params.members.id then session.desk:withdrawn(params.members.id.text) end
end

---@private
function Player:progress(params)
  local token = params.members.token and params.members.token.text
  local used = self.tokens[token or '']
  expect(used, ('no call has the progressToken %s'):format(token))
  self.session:progress(used.text, params.members.value or json.read('{"progress":0}'), used.call)
end

---@private
function Player:answer(id, message)
  local session = self.session
  local member = message.members.error and 'error' or 'result'
  local value = message.members[member]
  expect(value, 'neither a method nor a result nor an error: ' .. message.text)
  if id == 'null' then
    local largest = session:answer_nobody(completion.error(value))
    for known, open in pairs(self.open) do
      if open == largest then self.open[known] = nil end
    end
    return
  end
  local own, open = self.own[id], self.open[id]
  local method = (own or open or {}).method
  expect(method, ('the client has no request %s that is not answered'):format(id))
  local text = member == 'error' and completion.error(value)
    or completion.result(method, value, session.mirror)
  self.own[id], self.open[id] = nil, nil
  if own then return session:answer_own(own.id, method, member, text) end
  session:answer(open, member, text)
end

---@private
function Player:finish(step)
  local session = self.session
  local code = tonumber(step.args[1])
  if step.verb == 'stop' then
    session:close()
    local id = self:usable(self:named(shutdown_pattern()))
    session:answer_own(id, 'runtime/shutdown', 'result', '{}')
    self:fits(exit_pattern(), session:next())
    code = 0
  end
  expect(code, ('a client does not know the step %s'):format(step.verb))
  session:exit(code)
  self.session = nil
end

---@private
function Player:play()
  for _, step in ipairs(self.steps) do
    failure.at(step.line, function() self:take(step) end)
  end
  expect(not self.session, 'the dialogue ends while the sidecar runs')
end

---Plays the whole dialogue. What it raises is a failure.
---@param transcript replay.Transcript
---@param through? replay.Through
function M.play(transcript, through)
  local player = setmetatable({ steps = transcript.steps, through = through or {}, saved = {} }, Player)
  local last = transcript.steps[#transcript.steps]
  local watch = surroundings.watch()
  local held, problem = pcall(failure.at, last and last.line or 0, player.play, player)
  watch:unwatch()
  if not held then error(problem, 0) end
  local complaint = watch:complaint()
  if complaint then failure.raise(last.line, complaint) end
end

return M
