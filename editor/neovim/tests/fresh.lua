-- Neovims of their own for tests of what users see and type, without a sidecar: begun anew before each case. Their time
-- stands still until `child.advance(ms)`: see clock.lua.
--
--   local child, hooks = require('fresh').neovim({ lines = 24, columns = 80, begin = [[ Lua ]] })
--   local T = MiniTest.new_set({ hooks = hooks })
local Clock = require('clock')

local M = {}

---neovim is MiniTest's child with `advance`, and the hooks of the set whose cases use it.
---@param each { lines?: integer, columns?: integer, begin: string } the screen, and the code that runs first
---@return table child
---@return table hooks
function M.neovim(each)
  local child = MiniTest.new_child_neovim()
  local clock ---@type mcp_sidecar.test.Clock
  function child.advance(ms) clock:advance(ms) end
  local function begin()
    child.restart({ '-u', 'tests/minit.lua' })
    clock = Clock.install_in(child)
    child.o.lines, child.o.columns = each.lines or 24, each.columns or 80
    child.lua(each.begin)
  end
  return child, { pre_case = begin, post_once = child.stop }
end

return M
