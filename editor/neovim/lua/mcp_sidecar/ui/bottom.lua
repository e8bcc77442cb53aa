-- Windows at the bottom of the screen, over its whole width: the user may be in a floating or a narrow window.

local M = {}

local api = vim.api

---open shows a buffer at the bottom, in up to half of the screen; where there is no room left, in a tab page.
---@param buffer integer
---@param lines integer that it would fill
---@param enter boolean
---@return integer window
function M.open(buffer, lines, enter)
  local height = math.max(5, math.min(lines, math.floor(vim.o.lines / 2)))
  local ok, window = pcall(api.nvim_open_win, buffer, enter, { split = 'below', win = -1, height = height })
  if ok then return window end
  local before = api.nvim_get_current_tabpage()
  vim.cmd.sbuffer({ buffer, mods = { tab = vim.fn.tabpagenr() } })
  window = api.nvim_get_current_win()
  if not enter then api.nvim_set_current_tabpage(before) end
  return window
end

return M
