-- JSON that people read.
local json_text = require('mcp_sidecar.json_text')
local json_write = require('mcp_sidecar.ui.json_write')

local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

T['strings are written as UTF-8 without control characters'] = function()
  eq(json_write.string('a"b\\c/é\n\t\1'), '"a\\"b\\\\c/é\\n\\t\\u0001"')
  eq(json_write.string('x\255y\237\160\128z\192\128'), '"x�y���z��"')
  eq(json_write.string('𝄞'), '"𝄞"')
  eq(vim.json.decode(json_write.string('\0')), '\0')
end

T['numbers keep their digits'] = function()
  local wanted =
    { { 1, '1' }, { -0.1, '-0.1' }, { 2 ^ 53 - 1, '9007199254740991' }, { 1 / 3, '0.3333333333333333' } }
  vim.list_extend(
    wanted,
    { { 0.1 + 0.2, '0.30000000000000004' }, { 1e300, '1e+300' }, { 1 / 0, 'null' }, { 0 / 0, 'null' } }
  )
  for _, case in ipairs(wanted) do
    eq(json_write.number(case[1]), case[2])
  end
end

T['values are written by the rules of vim.json, and never fail'] = function()
  local loop = {}
  loop.loop = loop
  eq(
    json_write.value({ b = {}, a = vim.empty_dict(), c = vim.NIL, d = { 1, vim.NIL, 'x' } }),
    '{"a":{},"b":[],"c":null,"d":[1,null,"x"]}'
  )
  eq(json_write.value({ f = print, x = 1 }), '{"x":1}')
  eq(json_text.problem(json_write.value(loop)), nil)
  eq(json_write.object({ { name = 'z', json = '1' }, { name = 'a"', json = '[]' } }), '{"z":1,"a\\"":[]}')
end

return T
