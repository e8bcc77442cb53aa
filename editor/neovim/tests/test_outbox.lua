-- What is told, and in which order, when who is told changes things again.
local outbox = require('mcp_sidecar.outbox')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

T['nothing is told before it is sent, and everything once, in order'] = function()
  local box, told = outbox.new(), {}
  local function tell(...) table.insert(told, { ... }) end
  box:add(tell, 'a', nil, 3)
  box:add(tell)
  eq(told, {})
  box:send()
  box:send()
  eq(told, { { 'a', nil, 3 }, {} })
end

T['what is told because of something comes after everything that was there'] = function()
  local box, told = outbox.new(), {}
  local function tell(word) table.insert(told, word) end
  box:add(function()
    tell('first')
    box:add(tell, 'because of the first')
    box:send()
    tell('still the first')
  end)
  box:add(tell, 'second')
  box:send()
  eq(told, { 'first', 'still the first', 'second', 'because of the first' })
end

T['one that fails is shown, and keeps nobody from hearing'] = function()
  local box, told, shown, notify = outbox.new(), {}, {}, vim.notify
  vim.notify = function(text) table.insert(shown, text) end
  box:add(error, 'broken', 0)
  box:add(table.insert, told, 'after')
  box:send()
  box:add(table.insert, told, 'later')
  box:send()
  require('patience').await('the message', function() return shown[1] end)
  vim.notify = notify
  eq(told, { 'after', 'later' })
  eq({ #shown, shown[1]:match('^mcp%-sidecar: broken') }, { 1, 'mcp-sidecar: broken' })
end

T['one that yields keeps nobody from hearing, and does not stop who changed something'] = function()
  local box, told = outbox.new(), {}
  box:add(coroutine.yield)
  box:add(table.insert, told, 'after')
  local caller = coroutine.create(function() box:send() end)
  coroutine.resume(caller)
  eq({ told, coroutine.status(caller) }, { { 'after' }, 'dead' })
  box:add(table.insert, told, 'later')
  box:send()
  eq(told, { 'after', 'later' })
end

return T
