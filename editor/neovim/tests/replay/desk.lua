-- The user of the host, as far as the sidecar asks: handlers that wait until a line says what they answer.

local failure = require('replay.failure')
local json = require('replay.raw_json')

local M = {}

---Question is one call of a handler.
---@class replay.Question
---@field method string
---@field params table
---@field reply fun(answer: any, problem?: string)
---@field withdrawn integer how often it was

---Asked is a request of the sidecar's.
---@class replay.Asked
---@field method string
---@field params replay.Json
---@field question? replay.Question
---@field answered? "by the client"|"by the handler"

---Desk has one handler for each capability that the host of the dialogue declares.
---@class replay.Desk
---@field handlers table<string, function>
---@field served table<string, boolean> the methods that have a handler
---@field questions replay.Question[] those that no request has been found for
---@field requests table<string, replay.Asked> by their ids, as JSON
local Desk = {}
Desk.__index = Desk

---@type table<string, { method: string, handler: string, member: string }>
local capabilities = {
  approve = { method = 'trust/approve', handler = 'approve', member = 'decisions' },
  input = { method = 'input/request', handler = 'input', member = 'value' },
  elicitation = { method = 'elicitation/create', handler = 'elicit', member = 'result' },
  sampling = { method = 'sampling/createMessage', handler = 'sample', member = 'result' },
  openUrl = { method = 'auth/openUrl', handler = 'open_url', member = 'opened' },
}

---@param declared table<string, any>
---@return replay.Desk
function M.new(declared)
  local desk = setmetatable({ handlers = {}, served = {}, questions = {}, requests = {} }, Desk)
  for name, row in pairs(capabilities) do
    if declared[name] then
      desk.served[row.method] = true
      desk.handlers[row.handler] = function(params, reply)
        local question = { method = row.method, params = params, reply = reply, withdrawn = 0 }
        table.insert(desk.questions, question)
        return function() question.withdrawn = question.withdrawn + 1 end
      end
    end
  end
  return desk
end

---@param request replay.Asked
---@param message replay.Json
local function reply(request, message)
  local say = request.question.reply
  local refused = message.members.error
  if not refused then
    local row = vim
      .iter(vim.tbl_values(capabilities))
      :find(function(row) return row.method == request.method end)
    say(json.shown(message.members.result)[row.member])
  elseif refused.members.code.text == '-32800' then
    say(nil)
  else
    say(nil, json.string_at(refused, 'message'))
  end
end

---Notes a request that is being sent.
---@param id string
---@param method string
---@param params replay.Json
function Desk:asked(id, method, params)
  local before = self.requests[id]
  failure.expect(not before or before.answered, ('request %s of the sidecar is not answered yet'):format(id))
  self.requests[id] = { method = method, params = params }
end

---Looks whether the request has reached its handler, if it has one.
---@param id string
function Desk:heard(id)
  local request = self:request(id)
  if not self.served[request.method] then return end
  local question = table.remove(self.questions, 1)
  failure.expect(question, ('the handler of %s was not asked'):format(request.method))
  failure.same(question.method, request.method, 'the handler that was asked')
  failure.same(question.params, json.shown(request.params), 'the question of ' .. request.method)
  failure.expect(question.withdrawn == 0, 'a question is withdrawn from the beginning')
  request.question = question
end

---Every call of a handler must be about a request of the sidecar's.
function Desk:nothing_unasked()
  local first = self.questions[1]
  failure.expect(not first, ('a handler was called without need: %s'):format(first and first.method))
end

---Looks whether a handler has learnt that its question was withdrawn. One that has answered must not.
---@param id string?
function Desk:withdrawn(id)
  local request = self.requests[id]
  if not request or not request.question then return end
  local times, method = request.question.withdrawn, request.method
  if request.answered == 'by the handler' then
    failure.expect(times == 0, ('the handler of %s learns that its answer is withdrawn'):format(method))
  else
    failure.expect(times > 0, ('the handler of %s does not learn that it is withdrawn'):format(method))
    failure.expect(times == 1, ('the handler of %s learns twice that it is withdrawn'):format(method))
  end
end

---Makes the handler answer what the line says, if it was asked and may still answer. What it says besides is nothing.
---@param id string
---@param message replay.Json
function Desk:answer(id, message)
  local request = self:request(id)
  failure.expect(not request.answered, ('request %s of the sidecar is answered twice'):format(id))
  local question = request.question
  local asked = question and question.withdrawn == 0
  request.answered = asked and 'by the handler' or 'by the client'
  if asked then reply(request, message) end
  if question then question.reply(nil, 'a second answer') end
end

---Whether a message answers a question that is open: one that a client leaves behind may be answered.
---@param message replay.Json
---@return boolean
function Desk:left_open(message)
  local id = message.members.id
  if message.members.method or not id then return false end
  local request = self.requests[id.text]
  return request ~= nil
    and not request.answered
    and request.question ~= nil
    and request.question.withdrawn > 0
end

---The sidecar is gone: so are its questions.
function Desk:over()
  for id in pairs(self.requests) do
    self:withdrawn(id)
  end
end

---@param id string
---@return replay.Asked
function Desk:request(id)
  return self.requests[id] or error(('the sidecar has not made a request %s'):format(id), 0)
end

return M
