local texts = require('mcp_sidecar.adapters.well_formed')

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
}, { test = function(given, expected) eq(texts.well_formed(given), expected) end })

T['a long text is cut between characters'] = function()
  eq(texts.cut('éé', 2), 'éé')
  eq(texts.cut('ééé', 2), 'é…')
  eq(texts.cut('é', 0), '…')
  eq(texts.cut(('é'):rep(9), math.huge), ('é'):rep(9))
  eq(texts.length('a\0日😀'), 4)
end

T['a bounded value is the same table if nothing had to change'] = function()
  local value = { a = { 1, 'é', { b = true } }, empty = vim.empty_dict() }
  eq(rawequal(texts.bounded(value, 8), value), true)
  eq(texts.bounded({ ['k\255'] = { 'v\255' } }, 8), { ['k�'] = { 'v�' } })
  eq(texts.bounded({ a = { b = { 1 } } }, 2), { a = { b = '…' } })
  eq(value.a[2], 'é')
end

return T
