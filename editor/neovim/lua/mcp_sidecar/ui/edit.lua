-- Shows a place in a file, such as a server's entry, in a window for files.

local M = {}

---is_ordinary: a file can be shown in it.
---@param window integer
---@return boolean
local function is_ordinary(window)
  return vim.api.nvim_win_get_config(window).relative == '' and not vim.wo[window].winfixbuf
end

---leave goes where a file can be shown. The overview is closed for that, as by its own key.
local function leave()
  require('mcp_sidecar.ui.overview').leave()
  if is_ordinary(0) then return end
  local window = vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(is_ordinary)
  if window then return vim.api.nvim_set_current_win(window) end
  vim.cmd('botright new')
end

---show opens the file with the cursor at the place.
---@param place { path: string, line?: integer, column?: integer } counted from 1, the column in bytes
function M.show(place)
  local ok, err = pcall(function()
    leave()
    vim.cmd.drop({ args = { vim.fn.fnameescape(place.path) } })
  end)
  if not ok then return require('mcp_sidecar.say').error(tostring(err)) end
  if not place.line then return end
  -- The file may have been changed since.
  local line = math.max(1, math.min(place.line, vim.api.nvim_buf_line_count(0)))
  vim.api.nvim_win_set_cursor(0, { line, math.max(0, (place.column or 1) - 1) })
  vim.cmd('normal! zvzz')
end

return M
