-- JSON as text: what is checked, laid out and cut is not read.
local json_text = require('mcp_sidecar.json_text')

local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

T['a text is JSON or the place is told where it is not'] = MiniTest.new_set({
  parametrize = {
    { '{"a": [1, -2.5e+3, true, null, "x\\u00e9\\n"]}', nil },
    { ' 0 ', nil },
    { '""', nil },
    { '[]', nil },
    { '[[[]], {}, {"": {}}]', nil },
    { '-0.10e+5', nil },
    { '1E5', nil },
    { '12345678901234567890.5', nil },
    { '{"a":{"b":[1,"]}\\"",-2]},"nan":"nan","01":0}\r\n\t', nil },
    { '{"ü":"\\u0000 \\\\ \\" \127"}', nil },
    { '["NaN, 0x10 \\n \\\\"]', nil },
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

T['what vim.json reads and the sidecar does not is told'] = function()
  local rows = {
    { '{"a":nan}', 6, 'nan is no value' },
    { '[-Infinity]', 3, 'a digit is missing' },
    { '{"a":0x10}', 7, 'a comma or }' },
    { '{"a":01}', 6, 'no leading zeros' },
    { '[1, -01.5]', 5, 'no leading zeros' },
    { '{"a":"b\1"}', 8, 'control characters' },
    { '["\\\\\n"]', 5, 'control characters' },
    { '{"a\t":1}', 4, 'control characters' },
    { '["\0"]', 3, 'control characters' },
    { '{"a":"caf\233"}', 10, 'not UTF-8' },
    { '[1,\f2]', 4, 'a value should be here' },
  }
  for _, row in ipairs(rows) do
    local problem = json_text.problem(row[1]) or {}
    eq({ row[1], problem.at, (problem.message or ''):find(row[3], 1, true) ~= nil }, { row[1], row[2], true })
  end
end

T['half of a surrogate pair is JSON, though vim.json does not read it'] = function()
  eq(json_text.problem('"\\ud83d"'), nil)
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

T['member is the text of a member, byte for byte'] = function()
  local rows = {
    { '{"a":1}', 'a', '1' },
    { '{"a":1}', 'b', nil },
    { '{}', 'a', nil },
    { ' { } ', 'a', nil },
    { '{"a":{"b":1},"b":2}', 'b', '2' },
    { '{"x":[{"a":0},"a"],"a":true}', 'a', 'true' },
    { '{ "a" : [1, 2 ,{"b" : "}"}] , "c":null }', 'a', '[1, 2 ,{"b" : "}"}]' },
    { '{ "a" : [1] , "c" : null }', 'c', 'null' },
    { '{"s":"\\"a\\":1,\\\\","a":"x\\\\"}', 'a', '"x\\\\"' },
    { '{"a\\"":1,"a":2}', 'a', '2' },
    { '{"":1,"a":""}', '', '1' },
    { '{"":1,"a":""}', 'a', '""' },
    { '{"a":-1.50e+10\n}', 'a', '-1.50e+10' },
    { '{"a":{},"b":[]}', 'a', '{}' },
    { '{"a":{},"b":[]}', 'b', '[]' },
    { '\n{\t"n"\r:\t1234567890123456789,"m":1}', 'n', '1234567890123456789' },
    { '{"result":{"a":"{\\u007b"},"id":1}', 'result', '{"a":"{\\u007b"}' },
    { '{"😀":"😀"}', '😀', '"😀"' },
  }
  for _, row in ipairs(rows) do
    eq({ row[1], json_text.member(row[1], row[2]) }, { row[1], row[3] })
  end
end

return T
