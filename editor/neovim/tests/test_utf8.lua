-- Texts are UTF-8, or are made so.
local utf8 = require('mcp_sidecar.utf8')

local new_set, eq = MiniTest.new_set, MiniTest.expect.equality
local T = new_set()

T['bytes that are no characters are replaced, characters stay'] = new_set({
  parametrize = {
    { 'plain', 'plain' },
    { 'é日😀', 'é日😀' },
    { 'cut \240\159\152', 'cut ���' },
    { '\237\160\189', '���' }, -- half of an emoji
    { '\192\128', '��' }, -- overlong
    { '\244\144\128\128', '����' }, -- beyond U+10FFFF
    { 'a\255é\128', 'a�é�' },
    { '\0', '\0' },
  },
}, {
  test = function(given, expected)
    eq(utf8.well_formed(given), expected)
    eq(utf8.valid(given), given == expected)
  end,
})

T['a long text is cut between characters'] = function()
  eq(utf8.cut('éé', 2), 'éé')
  eq(utf8.cut('ééé', 2), 'é…')
  eq(utf8.cut('é', 0), '…')
  eq(utf8.cut(('é'):rep(9), math.huge), ('é'):rep(9))
  eq(utf8.length('a\0日😀'), 4)
end

T['a character has a code and a length; a byte that begins none has neither'] = function()
  local rows = {
    { 'a', 0x61, 1 },
    { 'é', 0xe9, 2 },
    { '日', 0x65e5, 3 },
    { '😀', 0x1f600, 4 },
    { '\194\128', 0x80, 2 },
    { '\244\143\191\191', 0x10ffff, 4 },
    { '\192\128', nil, 1 }, -- overlong
    { '\224\159\191', nil, 1 },
    { '\237\160\128', nil, 1 }, -- a surrogate
    { '\244\144\128\128', nil, 1 }, -- beyond U+10FFFF
    { '\226\130', nil, 1 }, -- cut off
    { '\226\130x', nil, 1 },
    { '\128', nil, 1 },
    { '\255', nil, 1 },
  }
  for number, row in ipairs(rows) do
    local code, length = utf8.character('x' .. row[1], 2)
    eq({ number, code, length }, { number, row[2], row[3] })
    eq({ number, utf8.valid(row[1]) }, { number, row[2] ~= nil })
  end
end

return T
