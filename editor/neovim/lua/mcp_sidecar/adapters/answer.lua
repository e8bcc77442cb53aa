-- Calls as a model makes them. Each gets exactly one answer, in words that help the model to do better: also
-- when it did something wrong, when the sidecar refuses the call or is gone, and when the user has had enough.
-- Nothing is thrown.

local arguments = require('mcp_sidecar.adapters.arguments')
local content = require('mcp_sidecar.adapters.content')
local protocol = require('mcp_sidecar.protocol_gen')
local utf8 = require('mcp_sidecar.utf8')

local M = {}

---ModelCall is a call as a model wants it.
---@class mcp_sidecar.ModelCall
---@field name any
---@field arguments any JSON text, or an object
---@field mistake? string what is wrong with it, if it is known already

---Answer is a result for a model.
---@class mcp_sidecar.Answer
---@field parts mcp_sidecar.Part[] never empty
---@field failed boolean

---AnswerOptions say how calls are made.
---@class mcp_sidecar.AnswerOptions
---@field shown table<string, mcp_sidecar.Renamed> what the tools were shown with, by name
---@field only_shown boolean a tool that was not shown is not there
---@field call? mcp_sidecar.CallOptions

local function nothing() end

---failure is the answer by which a model learns that it has to do something else.
---@param words string
---@return mcp_sidecar.Answer
function M.failure(words)
  return { failed = true, parts = { { type = 'text', text = utf8.well_formed(words) } } }
end

---@param name string
---@param data any of the error
---@return string
local function unknown_tool(name, data)
  data = type(data) == 'table' and data or {}
  local why = type(data.reason) == 'string' and ' now: ' .. data.reason or ', or not any more'
  local near = ''
  if vim.islist(data.suggestions or {}) and #(data.suggestions or {}) > 0 then
    near = (' Near names are %s.'):format(table.concat(data.suggestions, ', '))
  end
  return ('There is no tool %s%s.%s Use the tools that are offered now.'):format(name, why, near)
end

---refusal is the answer to a call that has no result.
---@param name string
---@param err mcp_sidecar.Error
---@return mcp_sidecar.Answer
local function refusal(name, err)
  if err.kind == 'cancelled' then return M.failure('The call was cancelled by the user.') end
  if err.code == protocol.code.unknown_tool then return M.failure(unknown_tool(name, err.data)) end
  return M.failure(err.message or tostring(err))
end

---@param outcome mcp_sidecar.CallOutcome
---@return mcp_sidecar.Answer
local function told(outcome)
  return { failed = outcome.result.isError == true, parts = content.parts(outcome) }
end

---one makes one call.
---@param session mcp_sidecar.Session
---@param call mcp_sidecar.ModelCall
---@param options mcp_sidecar.AnswerOptions
---@param callback fun(answer: mcp_sidecar.Answer) is called once; maybe before `one` returns
---@return mcp_sidecar.Cancel
function M.one(session, call, options, callback)
  local answered = false
  local function answer(value)
    if answered then return end
    answered = true
    callback(value)
  end
  local function fail(words)
    answer(M.failure(words))
    return nothing
  end

  local name = call.name
  if call.mistake then return fail(call.mistake) end
  if type(name) ~= 'string' or name == '' then
    return fail('A call needs the name of a tool. Use the tools that are offered now.')
  end
  if options.only_shown and not options.shown[name] then return fail(unknown_tool(name)) end
  local args, mistake = arguments.read(name, call.arguments, options.shown[name] or {})
  if mistake then return fail(mistake) end

  local ok, cancel = pcall(session.call, session, name, args, options.call, function(err, outcome)
    if err then return answer(refusal(name, err)) end
    local read, result = pcall(told, outcome)
    answer(read and result or M.failure(('The result of %s could not be read: %s'):format(name, result)))
  end)
  if not ok then return fail(('%s could not be called: %s'):format(name, cancel)) end
  return function()
    cancel()
    answer(refusal(name, { kind = 'cancelled', message = '' }))
  end
end

---all makes all calls at the same time.
---@param session mcp_sidecar.Session
---@param calls mcp_sidecar.ModelCall[]
---@param options mcp_sidecar.AnswerOptions
---@param callback fun(answers: mcp_sidecar.Answer[]) in the order of calls; never called before `all` returns
---@return mcp_sidecar.Cancel
function M.all(session, calls, options, callback)
  local answers, left = {}, #calls
  local function finish()
    vim.schedule(function() callback(answers) end)
  end
  if left == 0 then finish() end
  local cancels = {}
  for i, call in ipairs(calls) do
    cancels[i] = M.one(session, call, options, function(answer)
      answers[i], left = answer, left - 1
      if left == 0 then finish() end
    end)
  end
  return function()
    for _, cancel in ipairs(cancels) do
      cancel()
    end
  end
end

return M
