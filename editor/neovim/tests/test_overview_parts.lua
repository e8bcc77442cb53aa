-- The small pure parts of the overview.
local keys = require('mcp_sidecar.ui.overview_keys')
local page_type = require('mcp_sidecar.ui.page')
local place = require('mcp_sidecar.ui.overview_place')
local places = require('mcp_sidecar.ui.places')
local schema_parts = require('mcp_sidecar.ui.schema_parts')
local window = require('mcp_sidecar.ui.overview_window')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

T['types of arguments'] = MiniTest.new_set({
  parametrize = {
    { { type = 'string' }, 'string' },
    { { type = { 'string', 'null' } }, 'string|null' },
    { { enum = { 'a', 'b', 3 } }, '"a"|"b"|3' },
    { { enum = { 1, 2, 3, 4, 5, 6, 7, 8 } }, '1|2|3|4|5|6|…' },
    { { const = true }, 'true' },
    { { enum = { 1234567890123456, vim.NIL } }, '1234567890123456|null' },
    { { type = 'array', items = { type = 'number' } }, 'number[]' },
    { { type = 'array', items = { enum = { 'a', 'b' } } }, '("a"|"b")[]' },
    { { type = 'array' }, 'any[]' },
    { { anyOf = { { type = 'string' }, { type = 'null' }, { type = 'string' } } }, 'string|null' },
    { { oneOf = { { const = 'a' }, { type = 'number' } } }, '"a"|number' },
    { { anyOf = { { enum = { 'a', 'b' } }, { type = 'null' } } }, '"a"|"b"|null' },
    { { enum = { 'a', vim.NIL, 'b' } }, '"a"|"b"|null' },
    { { enum = { vim.NIL }, type = 'string' }, 'null' },
    { { ['$ref'] = '#/$defs/Point' }, 'object' },
    { { type = 'array', items = { ['$ref'] = '#/$defs/Point' } }, 'object[]' },
    { { ['$ref'] = '#/$defs/Self' }, 'any' },
    { { ['$ref'] = '#/$defs/None' }, 'any' },
    { { allOf = { { type = 'integer' }, { minimum = 1 } } }, 'integer' },
    { { properties = { a = {} } }, 'object' },
    { {}, 'any' },
    { true, 'any' },
  },
})
T['types of arguments']['are words'] = function(schema, wanted)
  local defs = { Point = { type = 'object' }, Self = { ['$ref'] = '#/$defs/Self' } }
  eq(schema_parts.new({ ['$defs'] = defs }):notation(schema), wanted)
end

T['places'] = function()
  local function short(path, line)
    return places.short({ path = path, line = line }, '/home/me/app', '/home/me')
  end
  eq(short('/home/me/app/.mcp.json', 3), '.mcp.json:3')
  eq(short('/home/me/application/x'), '~/application/x')
  eq(short('/home/me/.claude.json', 1), '~/.claude.json:1')
  eq(short('/etc/x'), '/etc/x')
  eq(short('settings.trust'), 'settings.trust')
  eq(places.tilde('/home/me', '/home/me'), '~')
  eq(places.tilde('/home/me', nil), '/home/me')
  eq(places.short({ path = '/a/b' }, '/', nil), '/a/b')
  local files = vim.tbl_map(places.is_file, { '/x', 'C:\\x', 'mcp:x', '' })
  eq(files, { true, true, false, false })
end

---@return mcp_sidecar.ui.Page
local function page_of(...)
  local page = page_type.new(40)
  for _, id in ipairs({ ... }) do
    local owner = id:match('^(%a+)%.')
    page:add(id ~= '' and { id = id, owner = owner, kind = 'server', head = not owner } or nil, { { id } })
  end
  return page
end

T['the cursor stays on what it is on'] = function()
  local old = page_of('a', 'b', 'b.one', 'c')
  local function moved(row, ...) return place.on(page_of(...), place.of(old, row, 0, 1), 10).row end
  eq(moved(4, 'a', 'b', 'c'), 3)
  eq(moved(4, 'x', 'y', 'a', 'b', 'b.one', 'c'), 6)
  -- What is gone leaves the cursor on its owner, or on what was above.
  eq(moved(3, 'x', 'a', 'b', 'c'), 3)
  eq(moved(4, 'a', 'b'), 2)
  eq(moved(4, 'x'), 1)
end

T['the line with the cursor stays where it is on the screen'] = function()
  local old = page_of('a', 'b', 'c', 'd', 'e', 'f')
  local new = page_of('x', 'y', 'a', 'b', 'c', 'd', 'e', 'f')
  eq(place.on(new, place.of(old, 5, 0, 3), 4), { row = 7, top = 5 })
  -- Nobody has scrolled, and there is room: the page is seen from its beginning.
  eq(place.on(new, place.of(old, 2, 0, 1), 10), { row = 4, top = 1 })
  eq(place.on(new, place.of(old, 2, 0, 1), 3), { row = 4, top = 3 })
  eq(place.on(page_of('e'), place.of(old, 5, 0, 3), 4), { row = 1, top = 1 })
end

T['the window fits the screen'] = MiniTest.new_set({
  parametrize = {
    { 80, 23, {}, { 76, 20 } },
    { 200, 59, {}, { 160, 47 } },
    { 200, 59, { width = 0.5, height = 0.5 }, { 100, 29 } },
    { 200, 59, { width = 0.1, height = 0.1 }, { 80, 24 } },
    { 200, 59, { width = 60, height = 10 }, { 60, 10 } },
    { 80, 23, { width = 1000, height = 1000 }, { 76, 20 } },
    { 10, 3, {}, { 6, 1 } },
    { 1, 1, {}, { 1, 1 } },
  },
})
T['the window fits the screen']['whatever its size'] = function(columns, rows, size, wanted)
  local got = window.layout({ columns = columns, rows = rows, frame = 2 }, size)
  eq({ got.width, got.height }, wanted)
  eq(got.row >= 0 and got.col >= 0, true)
end

T['the help line always has help and closing'] = function()
  eq(keys.help_line(200), ' <CR> open  l log  r reconnect  x off/on  t trust  ? keys  q close ')
  eq(keys.help_line(40), ' <CR> open  l log  ? keys  q close ')
  eq(keys.help_line(5), ' ? keys  q close ')
end

T['each key does something, and no two the same'] = function()
  local actions, seen = require('mcp_sidecar.ui.overview_actions'), {}
  for _, section in ipairs(keys.sections) do
    for _, key in ipairs(section.keys) do
      eq({ key.action, type(actions[key.action]) }, { key.action, 'function' })
      for _, lhs in ipairs(key.keys) do
        eq({ lhs, seen[lhs] }, { lhs })
        seen[lhs] = true
      end
    end
  end
end

T['the help fits an ordinary window'] = function()
  local page = require('mcp_sidecar.ui.help').render(keys.sections, 76)
  for _, line in ipairs(page.lines) do
    eq({ line, line:find('…') }, { line })
  end
end

return T
