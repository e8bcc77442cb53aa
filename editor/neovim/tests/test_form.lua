local eq = MiniTest.expect.equality
local child = MiniTest.new_child_neovim()

local T = MiniTest.new_set({
  hooks = {
    pre_case = function()
      child.restart({ '-u', 'tests/minit.lua' })
      child.o.columns = 100
      child.lua('user = require("user")')
    end,
    post_once = child.stop,
  },
})

-- Asks for a schema with these answers; returns how it ended, what was asked and what was said.
local function ask(schema, answers)
  child.lua(
    [[
    local schema, answers = ...
    user.plays(answers)
    _G.outcome = nil
    require('mcp_sidecar.ui.form').ask({ label = 'fs/read', schema = vim.json.decode(schema) }, function(outcome)
      assert(_G.outcome == nil, 'it ended twice')
      _G.outcome = outcome
    end)
    ]],
    { schema, answers }
  )
  child.lua('vim.wait(30000, function() return _G.outcome ~= nil or #user.answers == 0 end, 5) user.settle()')
  local outcome = child.lua_get('_G.outcome or false')
  return outcome, child.lua_get('user.asked'), child.lua_get('user.words()')
end

local function properties(list, required)
  local quoted = vim.tbl_map(function(name) return '"' .. name .. '"' end, required or {})
  return ('{"type":"object","required":[%s],"properties":{%s}}'):format(table.concat(quoted, ','), list)
end

T['required arguments are asked for in their order, and numbers go out as typed'] = function()
  local schema = properties(
    '"a":{"type":"string","description":"A file.\\nLong text."},"n":{"type":"integer"}',
    { 'n', 'a' }
  )
  local outcome, asked = ask(schema, { '1234567890123456789', 'x "y"' })
  eq(outcome, { kind = 'done', json = '{"n":1234567890123456789,"a":"x \\"y\\""}' })
  eq(asked, { { prompt = 'n (integer, required): ' }, { prompt = 'a (string, required): A file: ' } })
end

T['a wrong answer says why, and is asked for again with its text'] = function()
  local schema = properties('"n":{"type":"integer","maximum":9,"default":3}', { 'n' })
  local outcome, asked, said = ask(schema, { '12', 'x', '7' })
  eq(outcome.json, '{"n":7}')
  eq(vim.tbl_map(function(one) return one.default end, asked), { '3', '12', 'x' })
  eq(said, { 'mcp-sidecar: n: 12 must be at most 9', 'mcp-sidecar: n: "x" is no number' })
  eq(asked[1].prompt, 'n (integer <= 9, required): ')
  eq(asked[2].prompt, 'n (integer <= 9, required): 12 must be at most 9: ')
end

T['optional arguments that are left empty are left out'] = function()
  local schema = properties('"a":{"type":"string"},"b":{"type":"integer","default":5},"c":{"type":"object"}')
  local outcome, asked = ask(schema, { '', true, '' })
  eq(outcome.json, '{"b":5}')
  eq(asked[1].prompt, 'a (string, optional): ')
  eq(asked[3].default, nil)
  eq(ask(schema, { 'x', '', '{"k": 1.0}' }).json, '{"a":"x","c":{"k":1.0}}')
end

T['<Esc> ends it, wherever'] = function()
  local schema =
    properties('"a":{"type":"string"},"b":{"enum":["x","y"]},"c":{"type":"string"}', { 'a', 'b' })
  eq(ask(schema, { false }), { kind = 'cancelled' })
  eq(ask(schema, { 'x', false }), { kind = 'cancelled' })
  eq(ask(schema, { 'x', 'y', false }), { kind = 'cancelled' })
end

T['choices, booleans and null are selected'] = function()
  local schema = properties(
    '"e":{"enum":["x","y"],"default":"y"},"b":{"type":["boolean","null"]},"o":{"type":"boolean"}',
    { 'e', 'b' }
  )
  local outcome, asked = ask(schema, { 'y', 'null', 'no' })
  eq(outcome.json, '{"e":"y","b":null,"o":false}')
  eq(asked[1].items, { 'x', 'y  (default)' })
  eq(asked[1].kind, 'mcp_sidecar.argument')
  eq(asked[2].items, { 'yes', 'no', 'null' })
  eq(asked[3].items, { '(leave out)', 'yes', 'no' })
  eq(ask(schema, { 'x', 'yes', '(leave out)' }).json, '{"e":"x","b":true}')
end

T['where there is one choice only, nothing is asked'] = function()
  local outcome, asked = ask(properties('"kind":{"const":"file"}', { 'kind' }), {})
  eq(outcome, { kind = 'done', json = '{"kind":"file"}' })
  eq(asked, {})
end

T['several of a list are selected one after the other'] = function()
  local schema =
    properties('"t":{"type":"array","minItems":1,"items":{"enum":["a","b","c"]},"default":["c"]}', { 't' })
  local outcome, asked, said = ask(schema, { '[x] c', 'Done', '[ ] b', '[ ] a', 'Done: b, a' })
  eq(outcome.json, '{"t":["b","a"]}')
  eq(asked[1].items, { 'Done: c', '[ ] a', '[ ] b', '[x] c' })
  eq(said, { 'mcp-sidecar: t: too few: 0 items, at least 1 wanted' })
end

T['an object is typed as JSON, on its skeleton'] = function()
  local schema =
    properties('"o":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}}', { 'o' })
  local outcome, asked, said = ask(schema, { '{"k": }', '{"k": "v"}' })
  eq(asked[1].default, '{"k":""}')
  eq(
    said[1],
    'mcp-sidecar: o: no valid JSON, column 7: a value is missing before this (or there is a comma too many)'
  )
  eq(outcome.json, '{"o":{"k":"v"}}')
end

T['many optional arguments are set from a menu'] = function()
  local list =
    '"a":{"type":"string","description":"An a."},"b":{"type":"integer"},"c":{"type":"object"},"d":{},"e":{"enum":[1,2]}'
  local schema = properties(list .. ',"r":{"type":"string"}', { 'r' })
  local outcome, asked = ask(
    schema,
    { 'q', 'Set b', '5', 'Set a', false, 'Change b', '', 'Set e', '2', 'Set c', true, 'Set a', 'x', 'Call' }
  )
  eq(outcome, { kind = 'done', json = '{"r":"q","a":"x","c":{},"e":2}' })
  eq(asked[2].prompt, 'fs/read: ')
  eq(asked[2].items, {
    'Call fs/read now',
    'Set a (string): An a.',
    'Set b (integer)',
    'Set c (object)',
    'Set d (any)',
    'Set e (choice)',
    'Write all arguments as JSON',
  })
  eq(asked[6].items[3], 'Change b = 5')
  eq(asked[7].default, '5')
  eq(ask(schema, { 'q', 'Set b', '5', 'Write' }), { kind = 'edit', json = '{"r":"q","b":5}' })
  eq(ask(schema, { 'q', false }), { kind = 'cancelled' })
end

T['a schema that says nothing is one question'] = function()
  for _, schema in ipairs({ 'null', 'true', '{}', '{"type":"object","additionalProperties":true}' }) do
    local outcome, asked = ask(schema, { true })
    eq(outcome, { kind = 'done', json = '{}' })
    eq(asked, { { prompt = 'arguments (object, required): ', default = '{}' } })
  end
  local outcome, _, said = ask('{}', { '[1]', '{"a": 10000000000000000001}' })
  eq(outcome.json, '{"a":10000000000000000001}')
  eq(said, { 'mcp-sidecar: arguments: JSON of type object is wanted, this is array' })
end

T['a tool without arguments is not asked about'] = function()
  eq({ ask('{"type":"object"}', {}) }, { { kind = 'done', json = '{}' }, {}, {} })
end

T['a path is completed'] = function()
  local schema = properties(
    '"file_path":{"type":"string"},"dir":{"type":"string"},"profile":{"type":"string"}',
    { 'file_path', 'dir', 'profile' }
  )
  local _, asked = ask(schema, { 'a', 'b', 'c' })
  eq(vim.tbl_map(function(one) return one.completion or '-' end, asked), { 'file', 'dir', '-' })
end

T['a prompt stays one line, whatever a server writes'] = function()
  local long = ('word '):rep(50)
  local schema = properties(('"a\\nb":{"type":"string","description":"%s"}'):format(long), { 'a\\nb' })
  local _, asked = ask(schema, { 'x' })
  eq(asked[1].prompt:find('^a\\nb %(string, required%): word word .*…: $'), 1)
  eq(vim.fn.strdisplaywidth(asked[1].prompt) <= 80, true)
end

T['an interface that calls back twice is heard once'] = function()
  child.lua([[
    vim.ui.input = function(_, done) done('x') done('y') end
    _G.outcomes = {}
    local text = { type = 'string' }
    local schema = { type = 'object', required = { 'a', 'b' }, properties = { a = text, b = text } }
    local function done(outcome) table.insert(outcomes, outcome.json) end
    require('mcp_sidecar.ui.form').ask({ label = 'l', schema = schema }, done)
    vim.wait(30000, function() return #outcomes > 0 end, 5)
    require('user').settle()
  ]])
  eq(child.lua_get('outcomes'), { '{"a":"x","b":"x"}' })
end

-- Waits until a prompt of Neovim is open.
local function wait_for_prompt()
  eq(
    vim.wait(
      30000,
      function() return child.api.nvim_get_mode().blocking or child.api.nvim_get_mode().mode == 'c' end,
      5
    ),
    true
  )
end

T["with Neovim's own prompts"] = function()
  child.lua([[
    local a, e = { type = 'string', default = 'de' }, { enum = { 'x', 'y' } }
    local schema = { type = 'object', required = { 'a', 'e' }, properties = { a = a, e = e } }
    vim.schedule(function()
      require('mcp_sidecar.ui.form').ask({ label = 'l', schema = schema }, function(outcome) _G.outcome = outcome end)
    end)
  ]])
  wait_for_prompt()
  child.api.nvim_input('fault<CR>2<CR>') -- the second prompt reads on where the first one stopped
  eq(vim.wait(30000, function() return not child.api.nvim_get_mode().blocking end, 5), true)
  local wanted = { kind = 'done', json = '{"a":"default","e":"y"}' }
  eq(child.lua('vim.wait(30000, function() return outcome ~= nil end, 5) return outcome'), wanted)
end

return T
