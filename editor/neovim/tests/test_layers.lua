-- What a module loads when it is loaded itself. What it needs of a layer above it, it requires when it shows something.
local eq = MiniTest.expect.equality
local child = MiniTest.new_child_neovim()
local T = MiniTest.new_set({
  hooks = {
    pre_once = function() child.start({ '-u', 'tests/minit.lua' }) end,
    post_once = child.stop,
  },
})

---loaded are the modules of some directories that the modules of a directory load, each by itself: "by > what".
---@param directory string
---@param of string[] patterns
---@return string[]
local function loaded(directory, of)
  return child.lua(
    [[
      local directory, of = ...
      local found = {}
      for _, path in ipairs(vim.fn.globpath('lua/' .. directory, '*.lua', true, true)) do
        local module = path:gsub('^lua/', ''):gsub('%.lua$', ''):gsub('/init$', ''):gsub('/', '.')
        for name in pairs(package.loaded) do
          if name:find('^mcp_sidecar') then package.loaded[name] = nil end
        end
        require(module)
        for name in pairs(package.loaded) do
          local is_of = vim.iter(of):any(function(pattern) return name:find(pattern) ~= nil end)
          if is_of then found[#found + 1] = module .. ' > ' .. name end
        end
      end
      return found
    ]],
    { directory, of }
  )
end

local UI, ADAPTERS = '^mcp_sidecar%.ui%.', '^mcp_sidecar%.adapters%.'

T['the core loads no window and no adapter'] = function() eq(loaded('mcp_sidecar', { UI, ADAPTERS }), {}) end

T['windows load no adapter and no session, adapters no window'] = function()
  eq(loaded('mcp_sidecar/ui', { ADAPTERS, '^mcp_sidecar%.sessions?$', '^mcp_sidecar%.client$' }), {})
  eq(loaded('mcp_sidecar/adapters', { UI }), {})
end

T['the look finds what is loaded'] = function()
  local found = loaded('mcp_sidecar', { '^mcp_sidecar%.client$' })
  eq(vim.list_contains(found, 'mcp_sidecar.session > mcp_sidecar.client'), true)
end

return T
