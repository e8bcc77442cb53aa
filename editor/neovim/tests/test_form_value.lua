local form_schema = require('mcp_sidecar.ui.form_schema')
local form_value = require('mcp_sidecar.ui.form_value')

local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

local function field(property, required)
  local schema = {
    type = 'object',
    required = required ~= false and { 'x' } or nil,
    properties = { x = vim.json.decode(property) },
  }
  return form_schema.form(schema).fields[1]
end

T['what is typed becomes JSON, or is told to be wrong'] = MiniTest.new_set({
  parametrize = {
    { '{"type":"string"}', ' a "b" ', '" a \\"b\\" "' },
    { '{"type":"string"}', '', '""' },
    { '{"type":"string"}', 'null', '"null"' },
    { '{"type":["string","null"]}', '', 'null' },
    { '{"type":"string","minLength":2}', 'é', false, 'too short: 1 character, at least 2 wanted' },
    { '{"type":"string","minLength":2}', '', false, 'too short: 0 characters, at least 2 wanted' },
    { '{"type":"string","maxLength":3}', 'äöü', '"äöü"' },
    { '{"type":"string","maxLength":3}', 'äöüß', false, 'too long: 4 characters, at most 3 allowed' },
    { '{"type":"string","pattern":"^a+$"}', 'aab', false, 'does not match the pattern ^a+$' },
    { '{"type":"string","pattern":"^a+$"}', 'aa', '"aa"' },
    { '{"type":"string","pattern":"(?=x)"}', 'anything', '"anything"' },
    { '{"type":"integer"}', ' 1234567890123456789 ', '1234567890123456789' },
    { '{"type":"integer"}', '-0', '-0' },
    { '{"type":"integer"}', '1.0', '1.0' },
    { '{"type":"integer"}', '15e1', '15e1' },
    { '{"type":"integer"}', '150e-1', '150e-1' },
    { '{"type":"integer"}', '1.5', false, '1.5 is no whole number' },
    { '{"type":"integer"}', '15e-1', false, '15e-1 is no whole number' },
    { '{"type":"integer"}', 'twelve', false, '"twelve" is no number' },
    { '{"type":"integer"}', '', false, 'a number is wanted' },
    { '{"type":"integer"}', '007', false, '"007" is no number: a number has no leading zeros' },
    { '{"type":"number"}', '.5', false, '".5" is no number: a digit is missing here' },
    { '{"type":"number"}', '0x10', false, '"0x10" is no number' },
    { '{"type":"number"}', '1,5', false, '"1,5" is no number' },
    { '{"type":"number"}', 'inf', false, '"inf" is no number' },
    { '{"type":"number"}', '0.10000000000000000001', '0.10000000000000000001' },
    { '{"type":["number","null"]}', 'null', 'null' },
    { '{"type":["number","null"]}', '', 'null' },
    { '{"type":"integer","minimum":1,"maximum":9}', '0', false, '0 must be at least 1' },
    { '{"type":"integer","minimum":1,"maximum":9}', '10', false, '10 must be at most 9' },
    { '{"type":"integer","minimum":1,"maximum":9}', '9', '9' },
    { '{"type":"number","exclusiveMinimum":0}', '0', false, '0 must be more than 0' },
    { '{"type":"number","exclusiveMaximum":1}', '1', false, '1 must be less than 1' },
    { '{"type":"number","minimum":0,"exclusiveMinimum":true}', '0', false, '0 must be more than 0' },
    { '{"type":"number","maximum":1,"exclusiveMaximum":false}', '1', '1' },
    { '{"type":"integer","multipleOf":5}', '12', false, '12 must be a multiple of 5' },
    { '{"type":"integer","multipleOf":5}', '12345678901234567890', '12345678901234567890' },
    {
      '{"type":"integer","multipleOf":7}',
      '12345678901234567890',
      false,
      '12345678901234567890 must be a multiple of 7',
    },
    { '{"type":"number","multipleOf":0.1}', '0.3', '0.3' },
    { '{"type":"number","multipleOf":0.1}', '0.35', false, '0.35 must be a multiple of 0.1' },
    { '{"type":"number","multipleOf":0}', '3', '3' },
    { '{"type":"array","items":{"type":"string"}}', 'a, b c ,d', '["a","b c","d"]' },
    { '{"type":"array","items":{"type":"string"}}', '["a,b", "c"]', '["a,b","c"]' },
    { '{"type":"array","items":{"type":"string"}}', 'a,', '["a"]' },
    { '{"type":"array","items":{"type":"string"}}', '', '[]' },
    {
      '{"type":"array","items":{"type":"string"}}',
      '["a"',
      false,
      'no valid JSON, column 5: the text ends inside an array: ] is missing',
    },
    {
      '{"type":"array","items":{"type":"integer","maximum":9}}',
      '1, 12',
      false,
      'item 2: 12 must be at most 9',
    },
    { '{"type":"array","items":{"type":"integer"}}', '1,,2', false, 'item 2: a number is wanted' },
    {
      '{"type":"array","items":{"type":"string"},"minItems":2}',
      'a',
      false,
      'too few: 1 item, at least 2 wanted',
    },
    {
      '{"type":"array","items":{"type":"string"},"maxItems":1}',
      'a,b',
      false,
      'too many: 2 items, at most 1 allowed',
    },
    { '{"type":"array","items":{"type":"string"},"uniqueItems":true}', 'a,a', false, '"a" is there twice' },
    { '{"type":"object"}', '{"b": 1.50, "a": []}', '{"b":1.50,"a":[]}' },
    { '{"type":"object"}', '[1]', false, 'JSON of type object is wanted, this is array' },
    { '{"type":"object"}', '', false, 'JSON is wanted' },
    { '{"type":"object","required":["k"]}', '{"a":1}', false, 'the member "k" is missing' },
    { '{"type":["object","null"]}', 'null', 'null' },
    { '{"type":["string","integer"]}', '12', '12' },
    { '{"type":["string","integer"]}', '"12"', '"12"' },
    { '{"type":["string","integer"]}', '1.5', '"1.5"' },
    { '{"type":["string","integer"]}', 'x y', '"x y"' },
    { '{"type":["boolean","integer"]}', 'x', false, 'boolean or integer is wanted' },
    { '{}', '{"a": 1}', '{"a":1}' },
    { '{}', 'plain words', '"plain words"' },
    { '{}', 'true', 'true' },
  },
})

T['what is typed becomes JSON, or is told to be wrong']['test'] = function(property, text, json, problem)
  -- mini.test loses arguments that are nil.
  eq({ form_value.read(field(property), text) }, { json or nil, problem })
end

T['an empty answer leaves an optional argument out'] = function()
  for _, property in ipairs({
    '{"type":"string"}',
    '{"type":"integer"}',
    '{"type":"object"}',
    '{"type":["string","null"]}',
    '{}',
  }) do
    eq({ form_value.read(field(property, false), '') }, {})
  end
  eq({ form_value.read(field('{"type":"string"}', false), ' ') }, { '" "' })
  eq({ form_value.read(field('{"type":"array","items":{"type":"string"}}', false), ' ') }, {})
end

return T
