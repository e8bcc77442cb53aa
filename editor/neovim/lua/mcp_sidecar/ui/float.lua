-- What the floating windows have in common.

local M = {}

local HIGHLIGHTS = {
  'NormalFloat:McpNormal',
  'FloatBorder:McpBorder',
  'FloatTitle:McpTitle',
  'FloatFooter:McpFooter',
  'CursorLine:McpCursorLine',
}

---has_frame: does a border have one, on which a title and a help line find room?
---@param border any of nvim_open_win
---@return boolean
function M.has_frame(border) return border ~= nil and border ~= 'none' and border ~= '' end

---dress sets the window's options, and has it look like the others.
---@param win integer
---@param options table<string, any>
function M.dress(win, options)
  options = vim.tbl_extend('error', options, { winhighlight = table.concat(HIGHLIGHTS, ',') })
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = 'local', win = win })
  end
end

return M
