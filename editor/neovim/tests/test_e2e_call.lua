-- Calling tools by hand with the real sidecar and scripted servers.
local World = require('world')
local eq = MiniTest.expect.equality

local world ---@type mcp_sidecar.test.World
local T = MiniTest.new_set({ hooks = World.hooks(function(opened) world = opened end) })

-- A Neovim whose user answers so, with one server of this script.
local function child_with(script, answers)
  world:user_servers({ a = script })
  local child = world:child()
  child.lua('user = require("user") user.plays(...)', { answers })
  return child
end

local TEXT = [[
  return vim.api.nvim_buf_get_name(0):find('^mcp://a/') and vim.api.nvim_buf_get_lines(0, 0, -1, false)
]]

T['what is typed reaches the server digit by digit, and comes back so'] = function()
  local schema =
    '{"type":"object","required":["n","s"],"properties":{"s":{"type":"string"},"n":{"type":"integer"}}}'
  local script = ('tool get {"name":"get","inputSchema":%s}\n'):format(schema)
    .. 'on tools/call get\n  result {"content":[],"structuredContent":$arguments}'
  local child = child_with(script, { 'a  get', '1234567890123456789', 'é "x"' })
  child.cmd('Mcp tools')
  eq(child.await(TEXT), { '{', '  "n": 1234567890123456789,', '  "s": "é \\"x\\""', '}' })
  eq(child.bo.filetype, 'json')
end

T['tools of a server that still starts are waited for'] = function()
  local child = child_with('tool get\non start\n  hold go', { 'a  get', true })
  child.cmd('Mcp tools')
  child.await([[
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
      if lines[1]:find('waiting for a', 1, true) then return true end
    end
  ]])
  eq(child.lua_get('#user.asked'), 0)
  world.hub:release('a', 'go')
  child.await(TEXT)
  eq(child.lua_get('user.asked[1].items'), { 'a  get  — get' })
end

T['the key cancels the call, and the server is told'] = function()
  local script =
    'tool get {"name":"get","inputSchema":{"type":"object"}}\non tools/call get\n  hold for-ever\n  default'
  local child = child_with(script, {})
  child.cmd('Mcp call mcp_a_get')
  world.hub:saw('a holding for-ever')
  child.type_keys('<C-c>')
  child.await('return vim.list_contains(user.words(), "mcp-sidecar: a/get was cancelled")')
  world.hub:saw('a got notifications/cancelled')
  eq(child.fn.maparg('<C-c>', 'n'), '')
end

T['a server that breaks is a result, with what it wrote last'] = function()
  local script =
    'tool get {"name":"get","inputSchema":{"type":"object"}}\non tools/call get\n  stderr boom\n  crash 3'
  local child = child_with(script, {})
  child.cmd('Mcp call mcp_a_get {}')
  local lines = child.await(TEXT)
  eq(lines[1]:match('^ERROR from a/get %(%a+%)$') ~= nil, true)
  eq(table.concat(lines, '\n'):find('boom', 1, true) ~= nil, true)
end

T['a tool that is not there is told with names that are near'] = function()
  local child = child_with('tool get', {})
  child.cmd('Mcp call mcp_a_got')
  child.await('return user.words()[1] and user.words()[1]:find("mcp_a_get", 1, true) and true')
end

T['a picture is kept in the cache until Neovim ends'] = function()
  local gif = 'GIF89a\2\0\3\0'
  local script = 'tool get {"name":"get","inputSchema":{"type":"object"}}\non tools/call get\n  result '
    .. ('{"content":[{"type":"image","mimeType":"image/gif","data":"%s"}]}'):format(vim.base64.encode(gif))
  local child = child_with(script, {})
  child.cmd('Mcp call mcp_a_get')
  local path = child.await(TEXT)[1]:match('^image  image/gif  2x3  10 B  (.*)$')
  eq(vim.startswith(path, world.dir .. '/cache/'), true)
  local file = assert(io.open(path, 'rb'))
  eq(file:read('*a'), gif)
  file:close()
  child.stop()
  eq(vim.uv.fs_stat(path), nil)
end

return T
