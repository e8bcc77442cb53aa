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

---Space is what there is for a window in the middle of the screen.
---@class mcp_sidecar.ui.Space
---@field columns integer of the screen
---@field rows integer of the screen, without the command line
---@field frame integer cells that the border takes on both sides together

---space is what there is now.
---@param border any
---@return mcp_sidecar.ui.Space
function M.space(border)
  local frame = M.has_frame(border) and 2 or 0
  return { columns = vim.o.columns, rows = vim.o.lines - vim.o.cmdheight, frame = frame }
end

---room is what a window can have inside its frame, with something of the screen left around it. Pure.
---@param space mcp_sidecar.ui.Space
---@return integer columns
---@return integer rows
function M.room(space)
  return math.max(1, space.columns - space.frame - 2), math.max(1, space.rows - space.frame - 1)
end

---centred is where a window is that would have so many columns and rows: as far as there is room. Pure.
---@param space mcp_sidecar.ui.Space
---@param width integer
---@param height integer
---@return { width: integer, height: integer, row: integer, col: integer }
function M.centred(space, width, height)
  local columns, rows = M.room(space)
  width, height = math.max(1, math.min(width, columns)), math.max(1, math.min(height, rows))
  return {
    width = width,
    height = height,
    row = math.max(0, math.floor((space.rows - height - space.frame) / 2)),
    col = math.max(0, math.floor((space.columns - width - space.frame) / 2)),
  }
end

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
