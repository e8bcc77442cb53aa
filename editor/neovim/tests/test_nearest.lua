-- The name that was meant.
local nearest = require('mcp_sidecar.nearest')
local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

local NAMES = { 'connect', 'disconnect', 'reload', 'restart', 'start', 'status', 'stop' }

for name, meant in pairs({
  conect = 'connect', -- a letter is missing
  connnect = 'connect', -- one too many
  cannect = 'connect', -- another one
  relaod = 'reload', -- two are exchanged
  Status = 'status',
  disc = 'disconnect', -- the beginning
  stopp = 'stop',
  help = false,
  x = false,
  [''] = false,
}) do
  T[('"%s" means %s'):format(name, meant or 'nothing')] = function() eq(nearest.of(name, NAMES), meant or nil) end
end

T['the nearest of several wins, then the first'] = function()
  eq(nearest.of('rest', { 'rest-api', 'best' }), 'rest-api')
  eq(nearest.of('ab1', { 'ab2', 'ab3' }), 'ab2')
  eq(nearest.of('filez', { 'profiles', 'files' }), 'files')
  eq(nearest.of('x', {}), nil)
end

return T
