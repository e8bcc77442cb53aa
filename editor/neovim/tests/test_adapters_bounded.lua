local bounded = require('mcp_sidecar.adapters.bounded').bounded

local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

T['a bounded value is the same table if nothing had to change'] = function()
  local value = { a = { 1, 'é', { b = true } }, empty = vim.empty_dict() }
  eq(rawequal(bounded(value, 8), value), true)
  eq(bounded({ ['k\255'] = { 'v\255' } }, 8), { ['k�'] = { 'v�' } })
  eq(bounded({ a = { b = { 1 } } }, 2), { a = { b = '…' } })
  eq(value.a[2], 'é')
end

return T
