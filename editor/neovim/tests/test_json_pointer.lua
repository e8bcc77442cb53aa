-- What references of a schema lead to.
local json_pointer = require('mcp_sidecar.json_pointer')
local eq = MiniTest.expect.equality

local ROOT =
  { ['$defs'] = { a = 'A', ['x/y~z'] = 'odd', ['é'] = 'letter' }, list = { 'first', 'second' }, no = false }

local T = MiniTest.new_set({
  parametrize = {
    { '#', ROOT },
    { '#/$defs/a', 'A' },
    { '#/%24defs/a', 'A' },
    { '#/$defs/x~1y~0z', 'odd' },
    { '#/$defs/%C3%A9', 'letter' },
    { '#/list/1', 'second' },
    { '#/no', false },
    { '#/list/2', vim.NIL },
    { '#/list/-', vim.NIL },
    { '#/$defs/a/b', vim.NIL },
    { '#/no/b', vim.NIL },
    { '#a', vim.NIL },
    { 'other.json#/a', vim.NIL },
    { 7, vim.NIL },
  },
})

T['a reference leads to'] = function(reference, wanted)
  local found = json_pointer.find(reference, ROOT)
  if found == nil then found = vim.NIL end
  eq(found, wanted)
end

return T
