-- What the sidecar asks, and how it is answered.
local questions = require('mcp_sidecar.questions')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

local function nothing() end
local ALL = { approve = nothing, input = nothing, elicit = nothing, sample = nothing, open_url = nothing }

T['a handler declares its capability, refined by its owner'] = function()
  eq(questions.declared({}), vim.empty_dict())
  eq(questions.declared(ALL), {
    approve = true,
    input = true,
    elicitation = { form = true },
    sampling = vim.empty_dict(),
    openUrl = true,
  })
  local refined = { elicitation = { url = true }, approve = false, later = { x = 1 } }
  eq(questions.declared({ elicit = nothing, approve = nothing }, refined), refined)
  eq(require('mcp_sidecar.json').object(questions.declared({ sample = nothing })), '{"sampling":{}}')
  eq(require('mcp_sidecar.json').object(questions.declared({})), '{}')
end

T['a capability without a handler, and a handler nobody knows, are mistakes'] = function()
  local rows = {
    { { {}, { input = true } }, 'capability input: there is no handler "input"' },
    { { { aprove = nothing } }, 'there is no handler "aprove"' },
  }
  for _, row in ipairs(rows) do
    local ok, err = pcall(questions.declared, unpack(row[1]))
    eq({ ok, err:find(row[2], 1, true) ~= nil }, { false, true })
  end
end

---answer asks a question whose handler replies with these values.
local function answer(method, handlers)
  local given
  questions.ask(handlers, method, { about = 1 }, function(...) given = { n = select('#', ...), ... } end)
  return given
end

T['replies are wrapped as the wire has them'] = function()
  local function replying(name, ...)
    local values = { n = select('#', ...), ... }
    return { [name] = function(_, reply) reply(unpack(values, 1, values.n)) end }
  end
  local rows = {
    { 'trust/approve', 'approve', { { a = 'allow' } }, { { decisions = { a = 'allow' } } } },
    { 'trust/approve', 'approve', { {} }, { { decisions = vim.empty_dict() } } },
    { 'input/request', 'input', { 'x' }, { { value = 'x' } } },
    { 'input/request', 'input', { '' }, { { value = '' } } },
    { 'input/request', 'input', {}, { vim.empty_dict() } },
    { 'elicitation/create', 'elicit', { { action = 'decline' } }, { { result = { action = 'decline' } } } },
    { 'auth/openUrl', 'open_url', { false }, { { opened = false } } },
  }
  for i, row in ipairs(rows) do
    local given = answer(row[1], replying(row[2], unpack(row[3])))
    eq({ i, given[1], given[2] }, { i, row[4][1], nil })
  end
  local json = require('mcp_sidecar.json')
  eq(json.encode(answer('input/request', replying('input'))[1]), '{}')
  eq(json.encode(answer('trust/approve', replying('approve', {}))[1]), '{"decisions":{}}')
  for _, method in ipairs({ 'trust/approve', 'auth/openUrl', 'sampling/createMessage' }) do
    local name = ({ ['trust/approve'] = 'approve', ['auth/openUrl'] = 'open_url' })[method] or 'sample'
    eq(answer(method, replying(name))[2], -32800)
  end
  eq({ answer('input/request', replying('input', nil, 'no screen'))[2] }, { -32603 })
end

T['the handler gets the question; what it returns withdraws it'] = function()
  local got
  local withdraw = questions.ask({
    input = function(question)
      got = question
      return nothing
    end,
  }, 'input/request', { id = 'x' }, nothing)
  eq({ got, withdraw }, { { id = 'x' }, nothing })
end

T['what nobody handles is refused'] = function()
  eq(
    { answer('input/request', {})[2], answer('later/thing', ALL)[2], answer('approve', ALL)[2] },
    { -32601, -32601, -32601 }
  )
end

return T
