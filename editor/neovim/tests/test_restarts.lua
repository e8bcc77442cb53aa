-- How often, and after which pause, a sidecar that ends by itself is started again.
local restarts = require('mcp_sidecar.restarts')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

T['the pause doubles, until there were too many in the window'] = function()
  local ends, delays = {}, {}
  for i = 1, 4 do
    delays[i], ends = restarts.decide(ends, 1000 + i, 3, 60000)
  end
  eq({ delays, #ends }, { { 250, 500, 1000 }, 4 })
end

T['ends before the window do not count'] = function()
  eq({ restarts.decide({ 1, 2, 3 }, 60003, 3, 60000) }, { 250, { 60003 } })
  eq({ restarts.decide({ 1, 2, 4 }, 60003, 3, 60000) }, { 500, { 4, 60003 } })
end

T['a limit of 0 is no restart at all, and no window is always the first'] = function()
  eq({ restarts.decide({}, 5, 0, 60000) }, { nil, { 5 } })
  eq({ restarts.decide({ 5, 5 }, 5, 3, 0) }, { 250, { 5 } })
end

T['the list that was given is not changed'] = function()
  local ends = { 1, 2 }
  restarts.decide(ends, 3, 3, 60000)
  eq(ends, { 1, 2 })
end

T['a high limit makes no pause that a timer cannot have'] = function()
  local ends = {}
  for i = 1, 200 do
    ends[i] = i
  end
  local delay = restarts.decide(ends, 201, 1000, 60000)
  eq({ type(delay), delay <= 60000 }, { 'number', true })
end

return T
