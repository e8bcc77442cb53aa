-- Highlighting of lines, as a value until it is put into a buffer.

local M = {}

---Mark is highlighting: row from 0, columns in bytes from 0, the end excluded.
---@alias mcp_sidecar.ui.Mark { row: integer, from: integer, to: integer, group: string }

---put highlights lines of a buffer.
---@param buf integer
---@param namespace integer
---@param marks mcp_sidecar.ui.Mark[]
---@param first? integer the row of the buffer, from 0, that is the first of the marks
function M.put(buf, namespace, marks, first)
  for _, mark in ipairs(marks) do
    local where = { end_col = mark.to, hl_group = mark.group }
    vim.api.nvim_buf_set_extmark(buf, namespace, (first or 0) + mark.row, mark.from, where)
  end
end

return M
