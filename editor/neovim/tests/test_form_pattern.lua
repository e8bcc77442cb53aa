local pattern = require('mcp_sidecar.ui.form_pattern')

local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

T['a pattern means what it means in JSON Schema'] = MiniTest.new_set({
  parametrize = {
    { '^[a-z]+$', { 'abc' }, { 'aBc', '', 'a1' } },
    { 'b', { 'abc' }, { 'aBc' } },
    { [[^\d{4}-\d{2}-\d{2}$]], { '2026-12-01' }, { '26-12-01', '2026-12-011' } },
    { [[^\w+@\w+\.\w+$]], { 'a_1@b.cc' }, { 'a@b', '@b.c' } },
    { '^(foo|bar)(?:-baz)?$', { 'foo', 'bar-baz' }, { 'foobar', 'baz' } },
    { [[^[\w.-]+$]], { 'a-b.c_1' }, { 'a b', 'a/b' } },
    { [[^[^\s/]+$]], { 'ab' }, { 'a b', 'a/b' } },
    { [[^\S+\s\S+$]], { 'a b' }, { 'ab', 'a  b' } },
    { '^a{2,}b{1}$', { 'aab', 'aaab' }, { 'ab', 'aabb' } },
    { '^<a>=~&%@$', { '<a>=~&%@' }, { 'a' } },
    { '^\\$\\(\\)\\[\\]\\{\\}\\|\\^\\*\\+\\?\\.\\\\$', { '$()[]{}|^*+?.\\' }, { '$' } },
    { '^x.y$', { 'x-y' }, { 'xy', 'x--y' } },
    { '^(a|b)+c*$', { 'abba', 'abcc' }, { 'c', 'abd' } },
    { '^[]$', nil, nil },
    { '^[a\\]]+$', { 'a]' }, { 'b' } },
    { '^[-a]+$', { '-a' }, { 'b' } },
    { [[^\/api\/]], { '/api/x' }, { 'api/x' } },
  },
})

T['a pattern means what it means in JSON Schema']['test'] = function(text, matching, others)
  for _, one in ipairs(matching or {}) do
    eq({ one, pattern.matches(text, one) }, { one, true })
  end
  for _, one in ipairs(others or {}) do
    eq({ one, pattern.matches(text, one) }, { one, false })
  end
  if not matching then eq(pattern.translate(text), nil) end
end

T['what Vim would read otherwise is not judged'] = function()
  local patterns = {
    '(?=a)',
    '(?<n>a)',
    [[(a)\1]],
    'a*?',
    'a+?',
    'a{1}?',
    'a{,3}',
    'a{x}',
    [[\bword\b]],
    [[\p{L}]],
    [[\u00e4]],
  }
  vim.list_extend(
    patterns,
    { 'ä', '[a', 'a**', '*a', '[[:alpha:]]', [[[\w-z]a]], [[\]], '[', '(?i)a', 'a\nb' }
  )
  for _, text in ipairs(patterns) do
    eq({ text, pattern.matches(text, 'a') }, { text, nil })
  end
  eq(pattern.matches('^a$', 'ä'), nil)
end

T['the options of the user do not matter'] = function()
  local was = vim.o.ignorecase
  vim.o.ignorecase = true
  eq(pattern.matches('^[a-z]$', 'A'), false)
  vim.o.ignorecase = was
end

return T
