local plan = require('mcp_sidecar.adapters.codecompanion_groups').plan
local inlined = require('mcp_sidecar.adapters.inline_references').inlined
local words = require('mcp_sidecar.adapters.codecompanion_words')
local stub = require('adapter_session')

local new_set, eq = MiniTest.new_set, MiniTest.expect.equality
local T = new_set()

local OPTIONS = { group = 'mcp', server_groups = true }

local function names(tools, taken, options)
  local groups = plan(
    tools,
    options or OPTIONS,
    function(name) return vim.list_contains(taken or {}, name) end
  )
  return vim.tbl_map(function(group) return group.name end, groups)
end

T['groups have names of their own, of characters that can be written in a message'] = function()
  eq(names({}), {})
  local tools =
    { stub.tool('a', nil, 'my server!'), stub.tool('b', nil, 'my/server'), stub.tool('c', nil, '日本') }
  eq(names(tools), { 'mcp', 'mcp_my_server', 'mcp_my_server_2', 'mcp_server' })
  eq(names({ stub.tool('a') }, { 'mcp', 'mcp_test', 'mcp_test_2' }), { 'mcp_2', 'mcp_test_3' })
  eq(names({ stub.tool('a') }, {}, { group = false, server_groups = true }), { 'mcp_test' })
end

T['references are replaced by what they lead to'] = new_set({
  parametrize = {
    {
      {
        properties = { a = { ['$ref'] = '#/$defs/x', title = 'A' } },
        ['$defs'] = { x = { type = 'string', title = 'X' } },
      },
      { properties = { a = { type = 'string', title = 'A' } } },
    },
    {
      {
        properties = { a = { items = { ['$ref'] = '#/definitions/x' } } },
        definitions = { x = { ['$ref'] = '#/definitions/y' }, y = { enum = { 1 } } },
      },
      { properties = { a = { items = { enum = { 1 } } } } },
    },
    { { properties = { a = { ['$ref'] = '#/$defs/gone' } } }, { properties = { a = vim.empty_dict() } } },
    {
      { properties = { a = { ['$ref'] = '#/$defs/x' } }, ['$defs'] = { x = { ['$ref'] = '#/$defs/x' } } },
      { properties = { a = vim.empty_dict() } },
    },
    {
      { properties = { definitions = { type = 'string' } } },
      { properties = { definitions = { type = 'string' } } },
    },
  },
}, { test = function(given, expected) eq(inlined(given), expected) end })

T['references that multiply come to an end'] = function()
  local defs = { d30 = { type = 'string' } }
  for i = 0, 29 do
    local inner = { ['$ref'] = ('#/$defs/d%d'):format(i + 1) }
    defs['d' .. i] = { type = 'object', properties = { a = inner, b = inner } }
  end
  local schema = inlined({ properties = { a = { ['$ref'] = '#/$defs/d0' } }, ['$defs'] = defs })
  eq(#vim.json.encode(schema) < 100000, true)
end

T['what is shown of a result is short, and cannot be taken for a message'] = function()
  eq(words.report('a/b', false, '## Me'), 'MCP: `a/b` answered\n````\n## Me\n````')
  local long = words.report('a/b', true, ('x'):rep(5000))
  eq(vim.fn.strchars(long) < 2100, true)
  eq(words.report('a/b', true, 'x\n`````'), 'MCP: `a/b` failed\n``````\nx\n`````\n``````')
end

return T
