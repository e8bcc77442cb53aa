-- What is sent is JSON to the letter, or it is not sent.
local wire = require('mcp_sidecar.wire')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

T['arguments are written, or sent as their caller wrote them'] = function()
  local rows = {
    { nil, '{}' },
    { {}, '{}' },
    { vim.empty_dict(), '{}' },
    { { b = 1, a = {} }, '{"a":[],"b":1}' },
    { ' {"b":1.0, "a":12345678901234567890}\n', ' {"b":1.0, "a":12345678901234567890}\n' },
    { '{"half":"\\ud83d"}', '{"half":"\\ud83d"}' },
  }
  for i = 1, 6 do
    local text, problem = wire.arguments(rows[i][1])
    eq({ i, text, problem }, { i, rows[i][2] })
  end
end

T['arguments that are no object are a problem'] = function()
  local rows = {
    { { 1 }, 'are an object' },
    { 5, 'are an object' },
    { true, 'are an object' },
    { vim.NIL, 'are an object' },
    { '[1]', 'are a JSON object' },
    { '"{"', 'are a JSON object' },
    { 'null', 'are a JSON object' },
    { '', 'are not JSON: ' },
    { '{"a":1', 'are not JSON: ' },
    { '{"a":nan}', 'are not JSON: line 1, column 6: nan is no value' },
    { { a = 0 / 0 }, 'no word for the number' },
    { { a = '\255' }, 'not UTF-8' },
    { { 1, a = 1 }, 'mixed keys' },
  }
  for i, row in ipairs(rows) do
    local text, problem = wire.arguments(row[1])
    eq({ i, text, problem and problem:find(row[2], 1, true) ~= nil }, { i, nil, true })
  end
end

T['params are an object'] = function()
  eq({ wire.params(nil) }, { '{}' })
  eq({ wire.params({}) }, { '{}' })
  eq({ wire.params({ a = { 1 } }) }, { '{"a":[1]}' })
  eq({ wire.params('{"a": 1e3}') }, { '{"a": 1e3}' })
  for _, params in ipairs({ '{"a":01}', '{', 5, print, { a = print } }) do
    local text, problem = wire.params(params)
    eq({ text, type(problem) }, { nil, 'string' })
  end
end

T['the time for shutting down is that of the settings, if it can be one'] = function()
  local function of(timeouts) return wire.shutdown_ms({ settings = { timeouts = timeouts } }, 2000) end
  eq(of({ shutdownMs = 100 }), 100)
  eq(of({ shutdownMs = 0 }), 0)
  eq(of({ connectMs = 1 }), 2000)
  for _, wrong in ipairs({
    5,
    'x',
    { shutdownMs = 'x' },
    { shutdownMs = -1 },
    { shutdownMs = 0 / 0 },
    { shutdownMs = 1e30 },
  }) do
    eq(of(wrong), nil)
  end
  for _, params in ipairs({ 'text', {}, { settings = 5 }, { settings = {} } }) do
    eq(wire.shutdown_ms(params, 2000), nil)
  end
  eq(wire.shutdown_ms(nil, 2000), nil)
end

return T
