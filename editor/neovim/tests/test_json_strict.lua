-- A text that is sent as it is has to be JSON to the letter.
local strict = require('mcp_sidecar.json_strict')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

T['JSON is let pass'] = function()
  local texts = {
    '{}',
    ' [ ] ',
    '"a"',
    '0',
    '-0.10e+5',
    '1E5',
    '12345678901234567890.5',
    '[true,false,null]',
    '{"a":{"b":[1,"]}\\"",-2]},"nan":"nan","01":0}\r\n\t',
    '{"ü":"\\ud83d \\u0000 \\\\ \\" \127"}',
    '["NaN, 0x10 \\n \\\\"]',
    ('['):rep(5000) .. (']'):rep(5000),
  }
  for _, text in ipairs(texts) do
    eq({ text, strict.problem(text) }, { text })
  end
end

T['what vim.json reads and the sidecar does not is a problem'] = function()
  local rows = {
    { '{"a":nan}', '"nan" is no value' },
    { '[-Infinity]', '"-Infinity" is no value' },
    { '{"a":0x10}', '"0x10" is no value' },
    { '{"a":01}', '"01" is no value' },
    { '[1, -01.5]', '"-01.5" is no value' },
    { '{"a":"b\1"}', 'control character 0x01' },
    { '["\\\\\n"]', 'control character 0x0a' },
    { '{"a\t":1}', 'control character 0x09' },
    { '["\0"]', '' },
    { '{"a":"caf\233"}', 'not UTF-8' },
    { '[1,\f2]', '' },
  }
  for _, row in ipairs(rows) do
    local problem = strict.problem(row[1])
    eq({ row[1], type(problem), (problem or ''):find(row[2], 1, true) ~= nil }, { row[1], 'string', true })
  end
end

T['what is no JSON at all is a problem'] = function()
  for _, text in ipairs({
    '',
    '{',
    '{"a":1,}',
    "{'a':1}",
    '[1]]',
    '1.',
    '.5',
    '+1',
    '{"a"}',
    'nul',
    '"',
    '"\\x"',
    '[,]',
  }) do
    eq({ text, type(strict.problem(text)) }, { text, 'string' })
  end
end

return T
