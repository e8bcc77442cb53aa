local form_schema = require('mcp_sidecar.ui.form_schema')

local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

local function decode(text) return vim.json.decode(text, { luanil = { object = true } }) end

-- A field in short: "name! kind type" with what it has besides.
local function short(field)
  local words = { field.name .. (field.required and '!' or ''), field.kind, field.type }
  if field.choices then
    words[#words + 1] =
      table.concat(vim.tbl_map(function(c) return c.label .. '=' .. c.json end, field.choices), '|')
  end
  if field.default then words[#words + 1] = 'default ' .. field.default end
  if field.skeleton and field.skeleton ~= field.default then words[#words + 1] = 'like ' .. field.skeleton end
  if field.description ~= '' then words[#words + 1] = '# ' .. field.description end
  return table.concat(words, ' ')
end

local function fields(schema)
  local form = form_schema.form(type(schema) == 'string' and decode(schema) or schema)
  return vim.tbl_map(short, form.fields), form.whole
end

-- One property of a tool, as a field.
local function field(property, more)
  return (fields('{"type":"object","properties":{"x":' .. property .. '}' .. (more or '') .. '}'))[1]
end

T['a property becomes a question of the right kind'] = MiniTest.new_set({
  parametrize = {
    { '{"type":"string"}', 'x string string' },
    { '{"type":"string","description":"The file.\\nMore."}', 'x string string # The file.' },
    { '{"type":"string","title":"Path"}', 'x string string # Path' },
    { '{"type":"string","format":"date-time"}', 'x string string, date-time' },
    { '{"type":"string","default":"a b"}', 'x string string default a b' },
    { '{"type":"integer","minimum":1,"maximum":100,"default":10}', 'x integer integer 1..100 default 10' },
    { '{"type":"number","minimum":0.5}', 'x number number >= 0.5' },
    { '{"type":"number","maximum":-1}', 'x number number <= -1' },
    { '{"type":"boolean"}', 'x choice boolean yes=true|no=false' },
    { '{"type":["string","null"]}', 'x string string or null' },
    { '{"type":["null"]}', 'x mixed any or null' },
    { '{"type":"string","nullable":true}', 'x string string or null' },
    {
      '{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}],"default":null}',
      'x integer integer >= 1 or null',
    },
    { '{"type":["integer","number"]}', 'x number number' },
    { '{"type":["string","integer"]}', 'x mixed integer or string' },
    { '{"anyOf":[{"type":"string"},{"type":"boolean"}]}', 'x mixed boolean or string' },
    { '{"type":["string","object"]}', 'x mixed object or string' },
    { '{"enum":["a","b"]}', 'x choice choice a="a"|b="b"' },
    { '{"type":"string","enum":["a"],"enumNames":["The A"]}', 'x choice string The A="a"' },
    {
      '{"enum":[1,2.5,null,true,"",{"k":1}]}',
      'x choice choice 1=1|2.5=2.5|null=null|true=true|""=""|{"k":1}={"k":1}',
    },
    { '{"enum":["1",1]}', 'x choice choice 1 ("1")="1"|1 (1)=1' },
    { '{"const":"only"}', 'x choice choice only="only"' },
    {
      '{"oneOf":[{"const":"a","title":"Alpha"},{"const":"b","title":"Beta","description":"the second"}]}',
      'x choice choice Alpha="a"|Beta  — the second="b"',
    },
    { '{"anyOf":[{"enum":["a","b"]},{"const":"c"}]}', 'x choice choice a="a"|b="b"|c="c"' },
    { '{"type":"array","items":{"type":"string"}}', 'x list list of string' },
    {
      '{"type":"array","items":{"type":"string"},"default":["a","b"]}',
      'x list list of string default a, b',
    },
    {
      '{"type":"array","items":{"type":"string"},"default":["a,b"]}',
      'x list list of string default ["a,b"]',
    },
    { '{"type":"array","items":{"type":"integer","maximum":9}}', 'x list list of integer <= 9' },
    { '{"type":"array","items":{"enum":["a","b"]}}', 'x choices list of choices a="a"|b="b"' },
    { '{"type":"array","items":{"type":"boolean"}}', 'x json array like []' },
    { '{"type":"array"}', 'x json array like []' },
    { '{"type":"array","items":true}', 'x json array like []' },
    { '{"type":"array","items":[{"type":"string"}]}', 'x json array like []' },
    {
      '{"type":"array","items":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}}',
      'x json array like [{"id":0}]',
    },
    {
      '{"type":"object","required":["b","a"],"properties":{"a":{"type":"string"},"b":{"default":[1]},"c":{}}}',
      'x json object like {"b":[1],"a":""}',
    },
    { '{"type":"object","default":{"k":"v"}}', 'x json object default {"k":"v"}' },
    { '{"properties":{"a":{}}}', 'x json object like {}' },
    { '{"pattern":"^a"}', 'x string string' },
    { '{"multipleOf":2}', 'x number number' },
    { '{}', 'x mixed any' },
    { 'true', 'x mixed any' },
    { '17', 'x mixed any' },
    { '[]', 'x mixed any' },
    { '["a"]', 'x mixed any' },
    { '{"type":"file"}', 'x mixed any' },
    { '{"type":[]}', 'x mixed any' },
    { '{"type":{"a":1}}', 'x mixed any' },
    { '{"type":7,"enum":"no","minimum":"x","description":{}}', 'x mixed any' },
    { '{"type":"string","description":"a\\u001b[31m\\u202eb"}', 'x string string # a\\e[31m\\u{202e}b' },
  },
})

T['a property becomes a question of the right kind']['test'] = function(property, wanted)
  eq(field(property), wanted)
end

T['references'] = MiniTest.new_set({
  parametrize = {
    { '{"$ref":"#/$defs/n"}', '"$defs":{"n":{"type":"integer","minimum":3}}', 'x integer integer >= 3' },
    {
      '{"$ref":"#/definitions/a~1b%20c","description":"own"}',
      '"definitions":{"a/b c":{"type":"string","description":"theirs"}}',
      'x string string # own',
    },
    {
      '{"allOf":[{"$ref":"#/$defs/e"}],"default":"b"}',
      '"$defs":{"e":{"enum":["a","b"],"type":"string"}}',
      'x choice string a="a"|b="b" default "b"',
    },
    {
      '{"anyOf":[{"$ref":"#/$defs/e"},{"type":"null"}]}',
      '"$defs":{"e":{"enum":["a"]}}',
      'x choice choice or null a="a"',
    },
    { '{"$ref":"#/$defs/loop"}', '"$defs":{"loop":{"$ref":"#/$defs/loop"}}', 'x mixed any' },
    {
      '{"$ref":"#/$defs/many"}',
      '"$defs":{"many":{"allOf":[{"$ref":"#/$defs/many"},{"$ref":"#/$defs/many"}],"type":"string"}}',
      'x string string',
    },
    { '{"$ref":"#/no/where"}', '"$defs":{}', 'x mixed any' },
    { '{"$ref":"http://other/document"}', '"$defs":{}', 'x mixed any' },
    { '{"$ref":5}', '"$defs":{}', 'x mixed any' },
    {
      '{"$ref":"#/$defs/tree"}',
      '"$defs":{"tree":{"type":"object","required":["kids"],"properties":{"kids":{"type":"array",'
        .. '"items":{"$ref":"#/$defs/tree"}}}}}',
      'x json object like {"kids":[{"kids":[{"kids":[{}]}]}]}',
    },
  },
})

T['references']['test'] = function(property, more, wanted) eq(field(property, ',' .. more), wanted) end

T['required ones come first, in their order, then the others by name'] = function()
  local schema =
    '{"type":"object","required":["z","a","z","ghost",7],"properties":{"m":{},"a":{},"z":{},"b":{},"no":false}}'
  eq(vim.tbl_map(function(text) return text:match('%S+') end, (fields(schema))), { 'z!', 'a!', 'b', 'm' })
end

T['members of allOf are joined'] = function()
  local schema =
    [[{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"number"}},
    "required":["b"]}],"type":"object"}]]
  eq((fields(schema)), { 'a! string string', 'b! number number' })
end

T['a plain object without members takes no arguments'] = MiniTest.new_set({
  parametrize = {
    { '{"type":"object"}' },
    { '{"type":"object","properties":{}}' },
    { '{"type":"object","properties":[]}' },
    { '{"type":"object","properties":{},"additionalProperties":false,"required":[]}' },
    { '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":null}' },
  },
})

T['a plain object without members takes no arguments']['test'] = function(schema)
  eq({ fields(schema) }, { {}, false })
end

T['what says nothing of members is asked for as a whole'] = MiniTest.new_set({
  parametrize = {
    { nil },
    { vim.NIL },
    { true },
    { false },
    { 'text' },
    { 5 },
    { {} },
    { { 1, 2 } },
    { { type = 'object', additionalProperties = true } },
    { { type = 'object', additionalProperties = { type = 'string' } } },
    { { type = 'object', patternProperties = { ['^x'] = {} } } },
    { { type = 'object', properties = { {}, {} } } },
    { { type = 'array' } },
    { { type = 'object', anyOf = { { required = { 'a' } }, { required = { 'b' } } } } },
    { { ['$ref'] = '#' } },
  },
})

T['what says nothing of members is asked for as a whole']['test'] = function(schema)
  local form = form_schema.form(schema)
  eq(form.whole, true)
  eq(vim.tbl_map(short, form.fields), { 'arguments! json object default {}' })
end

T['alternatives of a whole schema give a skeleton'] = function()
  local schema =
    '{"oneOf":[{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}},{"type":"object"}]}'
  eq((fields(schema)), { 'arguments! json object default {"a":""}' })
end

T['a default of several lines is kept as JSON where it is needed, and else left to the server'] = function()
  eq(field('{"type":"string","default":"a\\nb"}'), 'x string string')
  eq(field('{"type":"string","default":"a\\nb"}', ',"required":["x"]'), 'x! json string default "a\\nb"')
end

T['the skeleton has the required arguments in their order'] = function()
  local schema = decode(
    [[{"type":"object","required":["z","n","e","o"],"properties":{"z":{"type":"string"},
    "n":{"type":"integer","default":5},"e":{"enum":["q","r"]},"o":{"type":["null","object"]},"opt":{"type":"string"}}}]]
  )
  eq(form_schema.skeleton(schema), '{"z":"","n":5,"e":"q","o":{}}')
  eq(form_schema.skeleton(nil), '{}')
  eq(form_schema.skeleton({ type = 'object' }), '{}')
end

T['no schema breaks it'] = function()
  local odd =
    { vim.NIL, true, false, 0, 1 / 0, '', 'x', {}, { {} }, { vim.NIL }, vim.empty_dict(), { a = vim.NIL } }
  local keywords = {
    'type',
    'properties',
    'required',
    'items',
    'enum',
    'const',
    'anyOf',
    'oneOf',
    'allOf',
    '$ref',
    'default',
  }
  vim.list_extend(
    keywords,
    { 'minimum', 'maximum', 'multipleOf', 'minLength', 'pattern', 'format', 'enumNames', 'title' }
  )
  vim.list_extend(keywords, {
    'nullable',
    'prefixItems',
    'additionalProperties',
    'description',
    '$defs',
    'uniqueItems',
    'alternatives',
  })
  for _, keyword in ipairs(keywords) do
    for _, value in ipairs(odd) do
      for _, kind in ipairs({ false, 'string', 'integer', 'array', 'object' }) do
        local schema = { type = kind or nil, [keyword] = value }
        form_schema.form(schema)
        form_schema.skeleton(schema)
        form_schema.form({
          type = 'object',
          required = { 'x' },
          properties = { x = schema, y = { type = 'array', items = schema } },
        })
        form_schema.skeleton({ type = 'object', required = { 'x' }, properties = { x = schema } })
        form_schema.form({
          type = 'object',
          anyOf = { schema, schema },
          properties = { x = { oneOf = { schema, {} } } },
        })
      end
    end
  end
end

return T
