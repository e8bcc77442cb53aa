-- Text of others in the cells of a line.
local cells = require('mcp_sidecar.cells')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

T['visible'] = MiniTest.new_set({
  parametrize = {
    { 'plain text, [brackets] and ünïcödé 日本', 'plain text, [brackets] and ünïcödé 日本' },
    { 'two\nlines', 'two\\nlines' },
    { 'a\r\nb\tc', 'a\\r\\nb\\tc' },
    { 'red \27[31mtext\27[0m', 'red \\e[31mtext\\e[0m' },
    { 'null\0byte', 'null\\x00byte' },
    { 'delete\127', 'delete\\x7f' },
    { 'C1 \194\155 csi', 'C1 \\u{9b} csi' },
    { 'turned \226\128\174round', 'turned \\u{202e}round' },
    { 'line\226\128\168separator', 'line\\u{2028}separator' },
    { 'not utf-8 \255\254', 'not utf-8 \\xff\\xfe' },
    { 'cut off \230\151', 'cut off \\xe6\\x97' },
    { 'overlong \192\175', 'overlong \\xc0\\xaf' },
    { 'surrogate \237\160\128', 'surrogate \\xed\\xa0\\x80' },
    { 'tag \243\160\129\129', 'tag \\u{e0041}' },
    { '', '' },
  },
})
T['visible']['shows what cannot be seen, and leaves the rest'] = function(text, wanted)
  eq(cells.visible(text), wanted)
  eq(cells.visible(wanted), wanted)
end

T['colours and movements are taken out of what was written for a terminal'] = function()
  eq(cells.plain('\27[1;31mred\27[0m \27[2K\27[?25lbar\27[10;20H'), 'red bar')
  eq(cells.plain('\27]0;title\7'), '\27]0;title\7')
end

T['cut'] = MiniTest.new_set({
  parametrize = {
    { 'fits', 4, 'fits' },
    { 'too long', 4, 'too…' },
    { 'too long', 1, '…' },
    { 'too long', 0, '' },
    { 'too long', -3, '' },
    { '日本語', 6, '日本語' },
    { '日本語', 5, '日本…' },
    { '日本語', 4, '日…' },
    { 'e\204\129e\204\129e\204\129', 2, 'e\204\129…' },
    { 'ünï', 3, 'ünï' },
  },
})
T['cut']['never is wider than asked, and never cuts a character'] = function(text, width, wanted)
  eq(cells.cut(text, width), wanted)
end

T['a long text is cut without looking at all of it'] = function()
  eq(cells.cut(('日'):rep(1000000), 5), '日日…')
  eq(cells.cut(('e' .. ('\204\129'):rep(500)):rep(3), 2):sub(-3), '…')
end

T['any text becomes a line'] = function()
  eq(cells.line('a\nb', 10), 'a\\nb')
  eq(cells.line('a\nb', 3), 'a\\…')
  eq(cells.line(('日'):rep(100000), 5), '日日…')
  eq(cells.line('e' .. ('\204\129'):rep(500), 5):sub(-3), '…')
end

T['fill'] = function()
  eq(cells.fill('日本', 6), '日本  ')
  eq(cells.fill('日本語', 4), '日… ')
  eq(cells.fill('', 2), '  ')
end

T['wrap'] = MiniTest.new_set({
  parametrize = {
    { 'some words that go on', 10, { 'some words', 'that go on' } },
    { 'first\nsecond\r\nthird', 10, { 'first', 'second', 'third' } },
    { 'a\n\nb', 10, { 'a', '', 'b' } },
    { '\n\n  trimmed \n\n', 10, { 'trimmed' } },
    { 'averyveryverylongword', 8, { 'averyver', 'yverylon', 'gword' } },
    { 'x averyveryverylongword', 8, { 'x', 'averyver', 'yverylon', 'gword' } },
    { 'list:\n  - item one', 10, { 'list:', '  - item', '  one' } },
    { 'tab\tbed\27', 20, { 'tab  bed\\e' } },
    { 'a   table   row', 20, { 'a   table   row' } },
    { '日本語日本語', 5, { '日本', '語日', '本語' } },
    { '日本語', 1, { '日', '本', '語' } },
    { '', 5, { '' } },
  },
})
T['wrap']['breaks between words, and inside of those that are too long'] = function(text, width, wanted)
  eq(cells.wrap(text, width, 100), wanted)
end

T['wrap stops at its limit, and says whether there is more'] = function()
  local lines, more = cells.wrap('a\nb\nc', 10, 2)
  eq({ lines, more }, { { 'a', 'b' }, true })
  lines, more = cells.wrap('a\nb', 10, 2)
  eq({ lines, more }, { { 'a', 'b' }, false })
  lines, more = cells.wrap(('word '):rep(100000), 10, 3)
  eq({ #lines, more }, { 3, true })
  lines, more = cells.wrap(('x'):rep(1000000), 10, 2)
  eq({ #lines, more }, { 2, true })
end

return T
