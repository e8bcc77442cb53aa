local eq = MiniTest.expect.equality

local child, hooks = require('fresh').neovim({
  lines = 30,
  columns = 100,
  begin = [[
    user = require('user')
    user.plays({})
    schema = {
      type = 'object',
      required = { 'path', 'n' },
      properties = {
        path = { type = 'string', description = 'The file.' },
        n = { type = 'integer', default = 5 },
        mode = { enum = { 'r', 'w' } },
      },
    }
    called = {}
    function open(json)
      arguments = require('mcp_sidecar.ui.arguments_buffer').open({
        label = 'fs/read',
        schema = schema,
        json = json,
        call = function(text) table.insert(called, text) end,
      })
    end
  ]],
})
local T = MiniTest.new_set({ hooks = hooks })

local function lines() return child.api.nvim_buf_get_lines(0, 0, -1, false) end

T['it begins with a skeleton, where something is to be written'] = function()
  child.lua('open()')
  eq(lines(), { '{', '  "path": "",', '  "n": 5', '}' })
  eq(child.api.nvim_win_get_cursor(0), { 2, 11 })
  local is = child.lua_get(
    '{ vim.bo.buftype, vim.bo.bufhidden, vim.bo.filetype, vim.bo.modified, vim.api.nvim_buf_get_name(0) }'
  )
  eq(is, { 'acwrite', 'wipe', 'json', false, 'mcp://fs/read/arguments/1' })
end

T['undo ends at what it began with'] = function()
  child.lua('open()')
  child.type_keys('u')
  eq(#lines(), 4)
  child.type_keys('x', 'u', 'u')
  eq(lines(), { '{', '  "path": "",', '  "n": 5', '}' })
end

T['what the tool takes stands under the text'] = function()
  child.lua('open()')
  local text = {}
  for _, row in ipairs(child.get_screenshot().text) do
    text[#text + 1] = vim.trim(table.concat(row))
  end
  local all = table.concat(text, '\n')
  eq(
    all:find(
      '\n%s*path  string, required  The file%.\n%s*n     integer, required, default 5\n%s*mode  choice: "r", "w"\n'
    ) ~= nil,
    true
  )
end

T['writing calls, with the numbers as they are written'] = function()
  child.lua('open()')
  child.api.nvim_buf_set_lines(0, 0, -1, false, { '{"n": 1234567890123456789,', ' "path": "a b"}' })
  child.cmd('write')
  eq(child.lua_get('called'), { '{"n":1234567890123456789,"path":"a b"}' })
  eq(child.bo.modified, false)
  child.type_keys('i', '<C-s>')
  eq(child.lua_get('#called'), 2)
  eq(child.fn.mode(), 'n')
  child.lua('arguments:close()')
  eq(child.lua_get('vim.api.nvim_buf_is_valid(arguments.buffer)'), false)
  child.lua('arguments:close()')
end

T['a mistake is told, the cursor put there, and the text stays'] = function()
  child.lua('open()')
  child.api.nvim_buf_set_lines(0, 0, -1, false, { '{', '  "path": x', '}' })
  child.cmd('write')
  eq(child.lua_get('called'), {})
  eq(
    child.lua_get('user.words()'),
    { 'mcp-sidecar: line 2, column 11: x is no value: a string is written in double quotes' }
  )
  eq(child.api.nvim_win_get_cursor(0), { 2, 10 })
  eq(child.bo.modified, true)
  child.api.nvim_buf_set_lines(0, 0, -1, false, { '[1]' })
  child.cmd('write')
  eq(
    child.lua_get('user.words()[2]'),
    'mcp-sidecar: the arguments of a call are a JSON object, and these are of type array'
  )
end

T['nothing is an empty object'] = function()
  child.lua('open()')
  child.api.nvim_buf_set_lines(0, 0, -1, false, {})
  child.cmd('write')
  eq(child.lua_get('called'), { '{}' })
end

T['a call that runs is not made twice'] = function()
  child.lua('open() arguments.busy = true')
  child.cmd('write')
  eq(child.lua_get('{ #called, user.words()[1] }'), { 0, 'mcp-sidecar: this call still runs' })
end

T['what is given is laid out, token by token'] = function()
  child.lua([[open('{"z":1.0,"a":[12345678901234567890]}')]])
  eq(lines(), { '{', '  "z": 1.0,', '  "a": [', '    12345678901234567890', '  ]', '}' })
end

T['schemas that say nothing, and names that say odd things, are no obstacle'] = function()
  child.lua('schema = vim.NIL open()')
  eq(lines(), { '{}' })
  child.lua([[schema = { type = 'object', properties = { ['a\nb%'] = { description = 'x\ny' } } } open()]])
  eq(lines(), { '{}' })
end

return T
