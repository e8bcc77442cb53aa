-- Where the entry of a server is in its file.
local place = require('mcp_sidecar.ui.trust_place')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

T['in a text'] = MiniTest.new_set({
  parametrize = {
    { '{"mcpServers": {"own": {"command": "x"}}}', 'own', { 1, 17 } },
    { '{\n  "mcpServers": {\n    "own" : {}\n  }\n}', 'own', { 3, 5 } },
    { '{\n  "mcpServers": {\n    "own":\n    {}\n  }\n}', 'own', { 3, 5 } },
    -- The name is also a value, a word, a member that is no object, the end of another name.
    { '{"x": "own",\n"y": ["own"], "own": 1,\n"not-own": {},\n"own": {}}', 'own', { 4, 1 } },
    { '{"a\\"b": {}}', 'a"b', { 1, 2 } },
    { '{"a\\\\b": {}}', 'a\\b', { 1, 2 } },
    { '{"a/b": {}}', 'a/b', { 1, 2 } },
    { '{"a.b-c%d": {}}', 'a.b-c%d', { 1, 2 } },
    { '{"axb": {}, "a.b": {}}', 'a.b', { 1, 13 } },
    { '{"ü": {}, "日本": {}}', '日本', { 1, 12 } },
    { 'x = 1\n[mcp_servers.own]\ncommand = "x"', 'own', { 2, 1 } },
    { '[mcp_servers.own.env]\n', 'own', nil },
    { '[mcp_servers."a b"]', 'a b', { 1, 1 } },
    { 'mcpServers:\n  own:\n    command: x', 'own', { 2, 3 } },
    { 'x: own\nmcpServers:\n  - name: own', 'own', nil },
    { '{"mcpServers": {}}', 'own', nil },
    { '', 'own', nil },
  },
})
T['in a text']['is'] = function(text, name, wanted)
  local line, column = place.in_text(vim.split(text, '\n'), name)
  eq(line and { line, column }, wanted)
end

T['the sidecar knows it'] = function()
  local server = { name = 'own', path = '/p/.mcp.json' }
  local source = { path = '/p/.mcp.json', line = 7, column = 3 }
  local rows = {
    { { { name = 'own', source = source } }, { 7, 3 } },
    { { { name = 'other', source = source } }, {} },
    { { { name = 'own', source = { path = '/home/me/.mcp.json', line = 7 } } }, {} }, -- the user's own
    { { { name = 'own', source = { path = '/p/.mcp.json' } } }, {} },
    { { { name = 'own' } }, {} },
    { {}, {} },
  }
  for number, row in ipairs(rows) do
    eq({ number, { place.of(row[1], server) } }, { number, row[2] })
  end
end

return T
