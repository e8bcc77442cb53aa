-- Sessions that start by themselves, and those that do not.
local World = require('world')
local eq = MiniTest.expect.equality

local world ---@type mcp_sidecar.test.World
local T = MiniTest.new_set({
  hooks = World.hooks(function(opened)
    world = opened
    world:user_servers({ a = 'tool echo' })
    world:write('project/.git/HEAD', '')
  end),
})

---phase of a project's session. One that is not known was never asked for.
local function phase(child, root)
  return child.lua(
    [[
    local sessions = package.loaded['mcp_sidecar.sessions']
    local session = sessions and sessions.known(...)
    return session and session:view().phase or 'unknown'
  ]],
    { root or world.project }
  )
end

---runs waits until a project's session does.
local function runs(child, root)
  child.await([[return #require('mcp_sidecar').tools({ root = ... }) == 1]], root or world.project)
end

---settled has everything done that was scheduled by now.
local function settled(child)
  child.lua([[done = false vim.schedule(function() vim.schedule(function() done = true end) end)]])
  child.await('return done')
end

T['without it nothing starts, and no module is loaded'] = function()
  local child = world:child()
  child.cmd('edit file')
  settled(child)
  eq(
    child.lua_get(
      [[vim.tbl_filter(function(name) return name:find('^mcp_sidecar') end, vim.tbl_keys(package.loaded))]]
    ),
    {}
  )
  eq(world.hub:count('a started'), 0)
end

T['it starts with Neovim'] = function()
  local child = world:child({ autostart = true })
  runs(child)
  eq(#world.hub:pids('a'), 1)
end

T['options may be a function'] = function()
  local child = world:child()
  child.lua([[
    local binary = vim.g.mcp_sidecar.binary
    vim.g.loaded_mcp_sidecar = nil
    vim.g.mcp_sidecar = function() return { binary = binary, autostart = true } end
    vim.cmd.runtime('plugin/mcp_sidecar.lua') -- as a plugin manager does that loads late
  ]])
  runs(child)
end

T['each project starts when a file of it is entered, once'] = function()
  world:write('project/one/.git/HEAD', '')
  world:write('project/two/.git/HEAD', '')
  local child = world:child({ autostart = true })
  runs(child)
  child.cmd('edit one/file')
  runs(child, world.project .. '/one')
  for _ = 1, 3 do
    child.cmd('edit two/file | edit one/file | edit other')
  end
  settled(child)
  eq(phase(child, world.project .. '/two'), 'unknown') -- it was passed by
  eq(#world.hub:pids('a'), 2)
  child.cmd('cd two | enew')
  runs(child, world.project .. '/two')
  eq(#world.hub:pids('a'), 3)
end

T['buffers that are no files start nothing'] = function()
  world:write('project/one/.git/HEAD', '')
  local child = world:child({ autostart = true })
  runs(child)
  child.lua([[
    local buffer = vim.api.nvim_create_buf(false, true)
    vim.cmd.lcd('one')
    vim.api.nvim_set_current_buf(buffer)
  ]])
  settled(child)
  eq(phase(child, world.project .. '/one'), 'unknown')
end

T['what the user stopped, or what failed, stays so'] = function()
  local child = world:child({ autostart = true })
  runs(child)
  child.lua([[vim.notify = function() end require('mcp_sidecar').stop(function() stopped = true end)]])
  child.await('return stopped')
  child.cmd('edit one | edit two')
  settled(child)
  eq(phase(child), 'stopped')

  local other = world:child({ autostart = true, binary = '/no/such/program' })
  other.lua([[said = 0 vim.notify = function() said = said + 1 end]])
  other.await([[return require('mcp_sidecar').status().phase == 'failed']])
  local before = other.lua_get('said')
  other.cmd('edit one | edit two')
  settled(other)
  eq({ phase(other), other.lua_get('said') }, { 'failed', before })
end

T['setup turns it on and off'] = function()
  local child = world:child()
  child.lua([[require('mcp_sidecar').setup({ binary = vim.g.mcp_sidecar.binary, autostart = true })]])
  runs(child)
  world:write('project/one/.git/HEAD', '')
  child.lua([[require('mcp_sidecar').setup({ binary = vim.g.mcp_sidecar.binary })]])
  child.cmd('edit one/file')
  settled(child)
  eq(phase(child, world.project .. '/one'), 'unknown')
end

return T
