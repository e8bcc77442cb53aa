-- Shows the entry of a project's server in its file.

local M = {}

---is_ordinary: a file can be shown in it.
---@param window integer
---@return boolean
local function is_ordinary(window)
  return vim.api.nvim_win_get_config(window).relative == '' and not vim.wo[window].winfixbuf
end

---leave goes where a file can be shown. The overview is closed for that, as by its own key.
local function leave()
  if vim.bo.filetype == 'mcpoverview' then vim.api.nvim_win_close(0, true) end
  if is_ordinary(0) then return end
  local window = vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(is_ordinary)
  if window then return vim.api.nvim_set_current_win(window) end
  vim.cmd('botright new')
end

---show opens the file with the cursor at the entry.
---@param server mcp_sidecar.ProjectServer
function M.show(server)
  local ok, err = pcall(function()
    leave()
    vim.cmd.drop({ args = { vim.fn.fnameescape(server.path) } })
  end)
  if not ok then return vim.notify('mcp-sidecar: ' .. tostring(err), vim.log.levels.ERROR) end
  if not server.line then return end
  -- The file may have been changed since.
  local line = math.min(server.line, vim.api.nvim_buf_line_count(0))
  vim.api.nvim_win_set_cursor(0, { line, math.max(0, (server.column or 1) - 1) })
  vim.cmd('normal! zvzz')
end

return M
