-- The World itself, with the real binary: what the other tests stand on.
local World = require('world')
local eq = MiniTest.expect.equality

local world ---@type mcp_sidecar.test.World
local T = MiniTest.new_set({
  hooks = {
    pre_case = function() world = World.open() end,
    post_case = function() world:close() end,
  },
})

---@param scripts table<string, string>
---@return string[] the tools that `mcp-sidecar list` finds
local function listed(scripts)
  world:user_servers(scripts)
  local done = world:run({ 'list', '--json' })
  eq({ done.code, done.stderr }, { 0, '' })
  local list = vim.json.decode(done.stdout)
  return vim.iter(list.tools):map(function(tool) return tool.name end):totable()
end

T['the sidecar finds the fakes, and the hub sees them come and go'] = function()
  eq(
    listed({ a = 'tool echo', b = 'tool look\ntool listen' }),
    { 'mcp_a_echo', 'mcp_b_listen', 'mcp_b_look' }
  )
  world.hub:saw('a started')
  world.hub:saw('a got tools/list')
  world.hub:empty()
  eq(world.hub:pids(), {})
  eq({ world.hub:count('a gone'), world.hub:count('b got tools/list'), world.hub:count('c') }, { 1, 1, 0 })
end

T['a fake is held until it is released'] = function()
  world:user_servers({ a = 'tool echo\non tools/call echo\n  hold go\n  default' })
  local call = world:start({ 'call', 'a', 'echo', '{"x":1}' })
  world.hub:saw('a holding go')
  eq(call:is_closing(), false)
  eq(#world.hub:pids('a'), 1)
  world.hub:release('a', 'go')
  eq(call:wait().code, 0)
end

T['a release may come before its hold'] = function()
  world.hub:release('a', 'go')
  eq(listed({ a = 'tool echo\non start\n  hold go' }), { 'mcp_a_echo' })
end

T['every process of the world is seen, down to the grandchildren'] = function()
  world:user_servers({ a = 'tool echo\non start\n  grandchild\non tools/call echo\n  hold go\n  default' })
  local call = world:start({ 'call', 'a', 'echo' })
  world.hub:saw('a holding go')
  world.hub:saw('a.child started')
  local pids = vim.iter(world:processes()):map(function(process) return process.pid end):totable()
  for _, pid in ipairs({ call.pid, world.hub:pids('a')[1], world.hub:pids('a.child')[1] }) do
    eq({ pid, vim.list_contains(pids, pid) }, { pid, true })
  end
  world.hub:release('a', 'go')
  call:wait()
  world:empty()
end

T['a child Neovim lives in the world, with the plugin and its options'] = function()
  local child = world:child({ some = { option = "it's" } })
  eq(child.fn.getcwd(), world.project)
  eq(
    child.lua('return vim.g.mcp_sidecar'),
    { binary = vim.env.MCP_SIDECAR_TEST_BINARY, some = { option = "it's" } }
  )
  for name, value in pairs(world:env()) do
    eq({ name, child.env[name] }, { name, value })
  end
  eq(child.lua('return pcall(require, "mcp_sidecar.protocol_gen")'), true)
  child.restart()
  eq({ child.fn.getcwd(), child.env.HOME }, { world.project, world:env().HOME })
  child.lua('vim.defer_fn(function() vim.g.later = "now" end, 1)')
  eq(child.await('return vim.g[...]', 'later'), 'now')
end

T['what a Neovim leaves behind is killed, and told'] = function()
  local child = world:child()
  child.lua('vim.uv.spawn("sleep", { args = { "600" }, detached = true }, function() end)')
  child.stop()
  eq(#world:processes(), 1)
  local patience = require('patience')
  local before = patience.PATIENCE
  patience.PATIENCE = 100
  local ok, why = pcall(world.close, world)
  patience.PATIENCE = before
  eq({ ok, why:match('these processes to end') ~= nil, why:match('sleep 600') }, { false, true, 'sleep 600' })
  world = World.open()
end

return T
