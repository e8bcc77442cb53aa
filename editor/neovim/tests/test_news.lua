-- Which records of a server are worth a message.
local news = require('mcp_sidecar.news')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set({
  parametrize = {
    { 'ready', false, true, false, false },
    { 'removed', false, true, false, false },
    { 'backoff', 'it ended', false, 'it ended', true },
    { 'backoff', 'it ended', true, false, true },
    { 'failed', 'it ended', false, 'it ended', true },
    { 'suspended', 'too often', false, 'too often', true },
    { 'invalid', 'no command', false, 'no command', true },
    { 'needs-auth', 'sign in', false, 'sign in', true },
    -- On its way; what was told before is still so.
    { 'starting', 'it ended', false, false, false },
    { 'starting', 'it ended', true, false, true },
    { 'failed', false, false, false, false },
    { 'disabled', false, false, false, false },
  },
})

T['a failure is told once, until the server works'] = function(phase, why, told, message, known)
  local server = { name = 's', phase = phase, error = why and { message = why } or nil }
  eq({ news.of(server, told) }, { message or nil, known })
end

return T
