-- How the user is told why something failed.
local errors = require('mcp_sidecar.errors')
local say = require('mcp_sidecar.say')
local eq = MiniTest.expect.equality

local notify, shown = vim.notify, nil
local T = MiniTest.new_set({
  hooks = {
    pre_case = function()
      shown = {}
      vim.notify = function(text, level) table.insert(shown, { text, level }) end
    end,
    post_case = function() vim.notify = notify end,
  },
})

T['a failure'] = MiniTest.new_set({
  parametrize = {
    { errors.response('tools/call', { code = 1, message = 'no such tool' }), 'mcp-sidecar: no such tool' },
    { errors.new('closed', 'the sidecar was stopped'), 'mcp-sidecar: the sidecar was stopped' },
    { errors.new('response', 'x', { method = 'tools/call' }), 'mcp-sidecar: x' },
    { errors.new('cancelled', 'tools/call was cancelled'), false },
    { errors.new('closed', 'no program', { reported = true }), false },
    { false, false },
  },
})
T['a failure']['is told without words of the protocol, once'] = function(err, text)
  say.failure(err or nil)
  eq(shown, text and { { text, vim.log.levels.ERROR } } or {})
end

T['a vim.notify that fails stops nothing'] = function()
  local failing = vim.notify
  vim.notify = function(text, level)
    if text == 'mcp-sidecar: x' then error('no window', 0) end
    failing(text, level)
  end
  say.warn('x')
  require('patience').await('the failure', function() return shown[1] end)
  eq(shown[1][1]:match('^mcp%-sidecar: no window'), 'mcp-sidecar: no window')
end

return T
