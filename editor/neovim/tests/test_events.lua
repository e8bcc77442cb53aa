-- Listeners and autocommands.
local events = require('mcp_sidecar.events')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

T['a listener hears what it subscribed to, until it ends that'] = function()
  local heard = {}
  local function hear(data) table.insert(heard, data) end
  local off = events.on('state', hear)
  local other = events.on('state', hear)
  events.emit('state', 1)
  events.emit('log', 2)
  off()
  off()
  events.emit('state', 3)
  other()
  events.emit('state', 4)
  eq(heard, { 1, 1, 3 })
end

T['who ends a subscription while it is told keeps nobody from hearing'] = function()
  local heard, off = {}, nil
  off = events.on('state', function()
    table.insert(heard, 'first')
    off()
  end)
  local other = events.on('state', function() table.insert(heard, 'second') end)
  events.emit('state')
  events.emit('state')
  other()
  eq(heard, { 'first', 'second', 'second' })
end

T['an event that is none is an error that names those there are'] = function()
  MiniTest.expect.error(function()
    events.on('tools', function() end)
  end, 'there is no event "tools"; there are diagnostics, log, state, status, tools_changed')
end

T['a listener that is none is an error at once'] = function()
  MiniTest.expect.error(function() events.on('state') end, 'a listener is a function, not a nil')
end

T['two are autocommands, too'] = function()
  local heard = {}
  local id = vim.api.nvim_create_autocmd('User', {
    pattern = 'Mcp*',
    callback = function(event) table.insert(heard, { event.match, event.data }) end,
  })
  for _, name in ipairs({ 'tools_changed', 'status', 'state', 'log', 'diagnostics' }) do
    events.emit(name, { name = name })
  end
  vim.api.nvim_del_autocmd(id)
  eq(heard, { { 'McpToolsChanged', { name = 'tools_changed' } }, { 'McpStatus', { name = 'status' } } })
end

T['a listener that fails is shown, and the others hear'] = function()
  local heard, shown, notify = {}, {}, vim.notify
  vim.notify = function(text) table.insert(shown, text) end
  local off = events.on('state', function() error('broken', 0) end)
  local other = events.on('state', function(data) table.insert(heard, data) end)
  events.emit('state', 1)
  require('patience').await('the message', function() return shown[1] end)
  vim.notify = notify
  off()
  other()
  eq({ heard, #shown, shown[1]:match('^mcp%-sidecar: broken') }, { { 1 }, 1, 'mcp-sidecar: broken' })
end

return T
