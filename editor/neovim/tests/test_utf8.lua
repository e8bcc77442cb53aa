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

return T
