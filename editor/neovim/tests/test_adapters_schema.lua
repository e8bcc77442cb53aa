local cases = require('adapter_cases')
local input_schema = require('mcp_sidecar.adapters.input_schema')

local new_set, eq = MiniTest.new_set, MiniTest.expect.equality
local T = new_set()

local function same(shown, expected) eq(cases.as_json(shown), cases.as_json(expected)) end

---Whose new names depend on the order of members, which Lua does not know.
local IN_ORDER = 'names that Anthropic refuses'

T['shared cases'] = new_set()
for _, case in ipairs(cases.read('schemas.json')) do
  local openai = case.openai == 'unchanged' and case.given or case.openai
  local anthropic = case.anthropic
  if anthropic == 'unchanged' then anthropic = case.given end
  if anthropic == 'as openai' then anthropic = openai end

  T['shared cases']['openai: ' .. case.name] = function()
    local before = vim.deepcopy(case.given)
    same((input_schema.for_provider(case.given, 'openai')), openai)
    same(case.given, before)
  end
  if case.name ~= IN_ORDER then
    T['shared cases']['anthropic: ' .. case.name] = function()
      same((input_schema.for_provider(case.given, 'anthropic')), anthropic)
      local any = input_schema.for_provider(case.given, 'any') -- what OpenAI takes, with names for Anthropic
      same(any, (input_schema.for_provider(openai, 'any')))
    end
  end
  if case.openai == 'unchanged' then
    T['shared cases']['the same table: ' .. case.name] = function()
      eq(rawequal(input_schema.for_provider(case.given, 'openai'), case.given), true)
    end
  end
end

T['shared cases']['read as the plugin reads messages, without null'] = function()
  for _, case in ipairs(cases.read('schemas.json', { luanil = { object = true } })) do
    local shown = input_schema.for_provider(case.given, 'any')
    eq(shown.type, 'object')
    eq(cases.as_json(shown.properties):sub(1, 1), '{')
  end
end

T['arguments have plain names for Anthropic, the same every time, and get back their own'] = function()
  local schema, renamed = input_schema.for_provider({
    type = 'object',
    properties = {
      ['filter[id]'] = { type = 'string' },
      ['filter(id)'] = { type = 'string', title = 'Own' },
      filter_id = { type = 'string' },
      ['日本'] = true,
      [('x'):rep(65)] = vim.empty_dict(),
    },
    required = { 'filter[id]', 'filter_id' },
  }, 'anthropic')
  local names = vim.tbl_keys(schema.properties)
  table.sort(names)
  eq(names, { 'argument', 'filter_id', 'filter_id_2', 'filter_id_3', ('x'):rep(64) })
  eq(schema.required, { 'filter_id_3', 'filter_id' })
  eq(schema.properties.filter_id_3, { type = 'string', title = 'filter[id]' })
  eq(schema.properties.filter_id_2, { type = 'string', title = 'Own' })
  local own = require('mcp_sidecar.adapters.property_names').own_names
  eq(own({ filter_id_3 = 1, argument = 2, filter_id = 3 }, renamed), {
    ['filter[id]'] = 1,
    ['日本'] = 2,
    filter_id = 3,
  })
end

T['tables that were not read from JSON will do too'] = function()
  same(
    (input_schema.for_provider({ properties = {} }, 'openai')),
    { type = 'object', properties = vim.empty_dict() }
  )
  local null = { type = 'object', properties = { a = vim.NIL, b = { type = vim.NIL, items = vim.NIL } } }
  same((input_schema.for_provider(null, 'openai')), {
    type = 'object',
    properties = { a = vim.empty_dict(), b = vim.empty_dict() },
  })
  for _, odd in ipairs({ 'text', 7, true, vim.NIL, print }) do
    same((input_schema.for_provider(odd, 'any')), { type = 'object', properties = vim.empty_dict() })
  end
end

T['what is too deep ends in an ellipsis'] = function()
  local deep = { type = 'object', properties = vim.empty_dict() }
  for _ = 1, 400 do
    deep = { type = 'object', properties = { a = deep } }
  end
  local shown, depth = input_schema.for_provider(deep, 'any'), 0
  while shown.properties and shown.properties.a do
    shown, depth = shown.properties.a, depth + 1
  end
  eq(depth < 128, true)
end

T['patterns'] = new_set()
local is_plain = require('mcp_sidecar.adapters.plain_pattern').is_plain
local PLAIN = {
  '',
  'a',
  '^[a-z]+$',
  '^(a|b)?c{2,}d{1,3}e{4}$',
  '[^-a-z_.-]*?',
  [[\d+\.\d*\-\x41\u00e9\n]],
  '[\\w.-]',
  '(?:a(?:b))+',
  'ä-ö[ä-ö]',
  '[a\\]b]',
}
local ODD = {
  '(',
  ')',
  '(a',
  'a)',
  '[a',
  ']',
  '{',
  'a{,2}',
  'a{3,1}',
  '*a',
  '^*',
  'a**',
  'a++',
  '(*)',
  '[z-a]',
  '[\\d-z]',
  '[a-\\w]',
  '[a-b-c]',
  '[]',
  '[^]',
  '[a[b]]',
  '(?=a)',
  '(?i)a',
  '(?<n>a)',
  '\\1',
  '\\z',
  '\\',
  '\\xg0',
  '\\ud83d',
  '[\\b]',
  '\\b+',
  'a\255',
}
for _, pattern in ipairs(PLAIN) do
  T['patterns'][('plain: %q'):format(pattern)] = function() eq(is_plain(pattern), true) end
end
for _, pattern in ipairs(ODD) do
  T['patterns'][('odd: %q'):format(pattern)] = function() eq(is_plain(pattern), false) end
end

return T
