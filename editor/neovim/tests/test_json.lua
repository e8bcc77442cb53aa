-- JSON as the wire needs it: exact numbers, objects that stay objects, and texts byte for byte.
local json = require('mcp_sidecar.json')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

local nan, infinity = 0 / 0, math.huge

T['numbers are written as exactly as Lua has them'] = function()
  local texts = {
    { 0, '0' },
    { -0.0, '0' },
    { 1, '1' },
    { -17, '-17' },
    { 123456789012345, '123456789012345' },
    { 1234567890123456, '1234567890123456' },
    { -9007199254740991, '-9007199254740991' },
    { 2 ^ 53, '9007199254740992' },
    { 2 ^ 60, '1152921504606846976' },
    { 1e20, '100000000000000000000' },
    { -1e21, '-1e+21' },
    { 0.1, '0.1' },
    { 0.1 + 0.2, '0.30000000000000004' },
    { 1 / 3, '0.3333333333333333' },
    { -1.5e-300, '-1.5e-300' },
    { 5e-324, '4.94065645841247e-324' },
    { 1.7976931348623157e308, '1.7976931348623157e+308' },
    { 12345678901234567LL, '12345678901234567' },
    { 1234567890123456789LL, '1234567890123456789' },
    { -9223372036854775807LL, '-9223372036854775807' },
    { 18446744073709551615ULL, '18446744073709551615' },
  }
  for _, row in ipairs(texts) do
    eq({ row[2], json.encode(row[1]) }, { row[2], row[2] })
  end
end

T['every number that is written is the number that is read'] = function()
  math.randomseed(1)
  for _ = 1, 300 do
    local number = (math.random() - 0.5) * 10 ^ math.random(-300, 300)
    for _, value in ipairs({ number, math.floor(number) }) do
      eq(tonumber(json.encode(value)), value)
      eq(json.decode(json.encode(value)), value)
    end
  end
end

T['tables are objects, lists, or refused'] = function()
  local cyclic = { a = {} }
  cyclic.a.b = cyclic
  local list = {}
  list[1] = list
  local shared = { 1 }
  local rows = {
    { {}, '[]' },
    { vim.empty_dict(), '{}' },
    { { a = {} }, '{"a":[]}' },
    { { a = vim.empty_dict() }, '{"a":{}}' },
    { { vim.empty_dict(), {} }, '[{},[]]' },
    { { 1, 'a', true, vim.NIL, { b = false } }, '[1,"a",true,null,{"b":false}]' },
    { { b = 1, a = 2, ['a b'] = 3, [''] = 4 }, '{"":4,"a":2,"a b":3,"b":1}' },
    { { shared, shared }, '[[1],[1]]' },
    { { [1] = 1, [3] = 3 }, nil, 'gaps or mixed keys' },
    { { 1, 2, a = 3 }, nil, 'gaps or mixed keys' },
    { { [true] = 1 }, nil, 'gaps or mixed keys' },
    { { [0] = 1 }, nil, 'gaps or mixed keys' },
    { cyclic, nil, 'contains itself' },
    { list, nil, 'contains itself' },
    { nan, nil, 'no word for the number nan' },
    { { 1, infinity }, nil, 'no word for the number inf' },
    { { a = -infinity }, nil, 'no word for the number %-inf' },
    { { a = print }, nil, 'cannot hold a function' },
    { { a = vim.uv.new_timer() }, nil, 'cannot hold a userdata' },
    { { a = coroutine.create(print) }, nil, 'cannot hold a thread' },
    { { a = require('ffi').new('int[2]') }, nil, 'cannot hold a cdata' },
  }
  for i, row in ipairs(rows) do
    local ok, text = pcall(json.encode, row[1])
    if row[2] then
      eq({ i, ok, text }, { i, true, row[2] })
    else
      eq({ i, ok, text:match(row[3]) ~= nil, text:match('%.lua:') }, { i, false, true })
    end
  end
end

T['an error leaves nothing behind: what failed once can be written when it is mended'] = function()
  local value = { a = { b = print } }
  eq(pcall(json.encode, value), false)
  value.a.b = 1
  eq(json.encode(value), '{"a":{"b":1}}')
end

T['what is too deep is an error, and no crash'] = function()
  local value = {}
  for _ = 1, 100000 do
    value = { value }
  end
  eq(pcall(json.encode, value), false)
  local deep = {}
  for _ = 1, 900 do
    deep = { deep }
  end
  eq(json.encode(deep), ('['):rep(901) .. (']'):rep(901))
end

T['strings are written so that every JSON reader has them back'] = function()
  for _, text in ipairs({
    '',
    'a"b\\c/d',
    'line\nbreak\ttab\rreturn',
    '\0zero\0',
    'ü €  🎉',
    '\127\31',
    ('x'):rep(1e6),
  }) do
    eq(vim.json.decode(json.encode(text)) == text, true)
    eq(next(vim.json.decode(json.encode({ [text] = 1 }))) == text, true)
    eq(json.encode(text):find('[%z\1-\31]'), nil)
  end
end

T['bytes that are not UTF-8 are refused: the sidecar could not say which request had them'] = function()
  for _, text in ipairs({
    '\255',
    'caf\233',
    '\192\175',
    '\237\160\189',
    '\244\144\128\128',
    '\226\130',
    '\128',
    'ü\195',
  }) do
    for _, value in ipairs({ text, { a = text }, { [text] = 1 }, { { text } } }) do
      local ok, why = pcall(json.encode, value)
      eq({ text, ok, why }, { text, false, 'JSON cannot hold bytes that are not UTF-8' })
    end
  end
  for _, text in ipairs({
    'é',
    'ࠀ',
    '퟿',
    '\238\128\128',
    '\239\191\191',
    '𐀀',
    '\244\143\191\191',
    '\194\128',
  }) do
    eq(json.decode(json.encode(text)), text)
  end
end

T['object writes an empty table as an object'] = function()
  eq(json.object({}), '{}')
  eq(json.object(vim.empty_dict()), '{}')
  eq(json.object({ a = 1 }), '{"a":1}')
end

T['decode leaves null out of objects and keeps it in lists'] = function()
  eq(json.decode('{"a":null,"b":[null,1],"c":{"d":null}}'), { b = { vim.NIL, 1 }, c = vim.empty_dict() })
  eq(getmetatable(json.decode('{"a":{}}').a), getmetatable(vim.empty_dict()))
  eq(getmetatable(json.decode('{"a":[]}').a), nil)
end

T['half of a surrogate pair, as JavaScript writes it, is read as the replacement character'] = function()
  local rows = {
    { [["\ud83d"]], '\239\191\189' },
    { [["a\uD83Db"]], 'a\239\191\189b' },
    { [["\ude00"]], '\239\191\189' },
    { [["\ude00\ud83d"]], '\239\191\189\239\191\189' },
    { [["\ud83d\ud83d\ude00"]], '\239\191\189🎀' },
    { [["\ud83d\u0041"]], '\239\191\189A' },
    { [["\ud83d\\ude00"]], '\239\191\189\\ude00' },
    { [["\\ud83d \ud83d"]], '\\ud83d \239\191\189' },
    { [["\\\ud83d\""]], '\\\239\191\189"' },
    { [["\ud83d\ude00 \udc00"]], '😀 \239\191\189' },
  }
  rows[5][2] = '\239\191\189😀'
  for _, row in ipairs(rows) do
    eq({ row[1], json.decode(row[1]) }, { row[1], row[2] })
    eq(json.decode('{"a":[' .. row[1] .. ',null]}'), { a = { row[2], vim.NIL } })
  end
end

T['what is nested deeper than anybody reads is cut, and the rest is read'] = function()
  local depth = 5000
  local text = ('{"a":"]}\\"","deep":%s%s,"z":1}'):format(('[{"b":'):rep(depth), '"c"' .. ('}]'):rep(depth))
  local value = json.decode(text)
  eq({ value.a, value.z }, { ']}"', 1 })
  local levels, at = 0, value.deep
  while type(at) == 'table' do
    at = at[1] or at.b
    levels = levels + 1
  end
  eq({ levels > 900, levels <= 1000, at }, { true, true, '…' })
  eq(vim.deep_equal(value, json.decode(text)), true)
  eq(type(json.encode(value)), 'string')
end

T['what is no JSON is an error that says where'] = function()
  for _, text in ipairs({
    '',
    '{',
    '{"a":',
    '[1,',
    '"',
    '"\\',
    '"\\ud83d',
    '{"a" 1}',
    'x',
    '[1 2]',
    ('['):rep(3000),
    ']',
  }) do
    local ok, why = pcall(json.decode, text)
    eq({ text, ok, type(why), why:match('character') }, { text, false, 'string', 'character' })
  end
end

return T
