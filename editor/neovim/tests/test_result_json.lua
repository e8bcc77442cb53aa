local json_text = require('mcp_sidecar.ui.json_text')
local json_write = require('mcp_sidecar.ui.json_write')

local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

T['a text is JSON or the place is told where it is not'] = MiniTest.new_set({
  parametrize = {
    { '{"a": [1, -2.5e+3, true, null, "x\\u00e9\\n"]}', nil },
    { ' 0 ', nil },
    { '""', nil },
    { '[]', nil },
    { '[[[]], {}, {"": {}}]', nil },
    { '', { 1, 1, 'the text ends where a value should be' } },
    { '{', { 1, 2, 'the text ends inside an object: } is missing' } },
    { '[1, 2', { 1, 6, 'the text ends inside an array: ] is missing' } },
    { '{"a": 1,\n "b": }', { 2, 7, 'a value is missing before this (or there is a comma too many)' } },
    { '{"a": 1,\n}', { 2, 1, 'there is a comma too many before this }' } },
    { '[1, ]', { 1, 5, 'a value is missing before this (or there is a comma too many)' } },
    { '[1 2]', { 1, 4, 'a comma or ] should be here' } },
    { '{"a" 1}', { 1, 6, 'a colon should be here' } },
    { '{a: 1}', { 1, 2, 'the name of a member should be here, in double quotes' } },
    { "['x']", { 1, 2, 'strings are written in double quotes' } },
    { '["x]', { 1, 2, 'the string that begins here does not end' } },
    {
      '["a\nb"]',
      { 1, 4, 'a string has no line breaks, tabs or other control characters: write \\n, \\t or \\u00XX' },
    },
    { '["\\x"]', { 1, 3, 'this is no escape of JSON (a backslash is written \\\\)' } },
    { '["\\u12G4"]', { 1, 3, '\\u wants four hexadecimal digits' } },
    { '[007]', { 1, 2, 'a number has no leading zeros' } },
    { '[1.]', { 1, 4, 'a digit is missing here' } },
    { '[1e]', { 1, 4, 'a digit is missing here' } },
    { '[-]', { 1, 3, 'a digit is missing here' } },
    { '[+1]', { 1, 2, 'a number begins with a digit or a minus' } },
    { '[True]', { 1, 2, 'write true in lower case' } },
    { '[None]', { 1, 2, 'write null for None' } },
    { '[nullx]', { 1, 2, 'nullx is no value: a string is written in double quotes' } },
    { '// x\n1', { 1, 1, 'JSON has no comments' } },
    { '{} x', { 1, 4, 'there is more text after the end of the value' } },
    { '1 2', { 1, 3, 'there is more text after the end of the value' } },
    { ']', { 1, 1, 'a value is missing before this (or there is a comma too many)' } },
  },
})

T['a text is JSON or the place is told where it is not']['test'] = function(text, wanted)
  local problem = json_text.problem(text)
  eq(problem and { problem.line, problem.column, problem.message }, wanted)
  if wanted == nil then eq((pcall(vim.json.decode, text)), true) end
end

T['what vim.json takes, and what it refuses, is judged the same'] = function()
  local pieces = { '{', '}', '[', ']', ',', ':', '"a"', '1', 'null', ' ' }
  local state = 7
  for _ = 1, 4000 do
    local text = ''
    for _ = 1, 1 + state % 7 do
      state = (state * 1103515245 + 12345) % 2 ^ 31
      text = text .. pieces[1 + math.floor(state / 65536) % #pieces]
    end
    local ok = pcall(vim.json.decode, text)
    if (json_text.problem(text) == nil) ~= ok then error(('%q: vim.json says %s'):format(text, ok)) end
  end
end

T['laying out changes no token'] = function()
  local text = '{"b":1234567890123456789,"a":[1.0,1e400,{}, [ ] ,{"x":null}],"t":"a,b: {\\"}\\u00e9"}'
  eq(json_text.pretty(text), {
    '{',
    '  "b": 1234567890123456789,',
    '  "a": [',
    '    1.0,',
    '    1e400,',
    '    {},',
    '    [],',
    '    {',
    '      "x": null',
    '    }',
    '  ],',
    '  "t": "a,b: {\\"}\\u00e9"',
    '}',
  })
  eq(json_text.compact(table.concat(json_text.pretty(text), '\n')), json_text.compact(text))
  eq(json_text.compact('[1, {"a" : 2}]'), '[1,{"a":2}]')
  eq(json_text.compact('[1,{"a":2}]', true), '[1, {"a": 2}]')
  eq(json_text.pretty(' "x" '), { '"x"' })
end

T['nesting without end is neither slow nor large'] = function()
  local text = ('['):rep(20000) .. (']'):rep(20000)
  eq(json_text.problem(text), nil)
  eq(#json_text.pretty(text), 39999)
end

T['members come in the order of the text'] = function()
  eq(json_text.members(' {"z": {"a": [1, 2]}, "\\u00e9":"x" ,"n": -1.50, "e":[], "o": {} } '), {
    { name = 'z', json = '{"a": [1, 2]}' },
    { name = 'é', json = '"x"' },
    { name = 'n', json = '-1.50' },
    { name = 'e', json = '[]' },
    { name = 'o', json = '{}' },
  })
  eq(json_text.members('{}'), {})
  eq(json_text.members('[1]'), nil)
end

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
