-- The floating window of the overview: where it is, and how a page comes into it.
local float = require('mcp_sidecar.ui.float')

local M = {}

local namespace = vim.api.nvim_create_namespace('mcp_sidecar_overview')

---@param wanted number? cells, or below 1 a part of what there is
---@param there integer cells
---@param least integer cells of a part
---@return integer cells
local function extent(wanted, there, least)
  wanted = wanted or 0.8
  -- A part of a small screen would be too small to read.
  if wanted < 1 then wanted = math.max(least, there * wanted) end
  return math.floor(wanted)
end

---Where the window is on a screen: in its middle. Pure.
---@param space mcp_sidecar.ui.Space
---@param size { width?: number, height?: number } of the configuration
---@return { width: integer, height: integer, row: integer, col: integer }
function M.layout(space, size)
  return float.centred(space, extent(size.width, space.columns, 80), extent(size.height, space.rows, 24))
end

---@param ui { border: any, width?: number, height?: number }
---@param footer fun(width: integer): string
---@return vim.api.keyset.win_config
local function window_config(ui, footer)
  local layout = M.layout(float.space(ui.border), ui)
  local config = vim.tbl_extend('error', layout, { relative = 'editor', border = ui.border })
  if float.has_frame(ui.border) then
    config.title, config.title_pos = ' MCP ', 'center'
    config.footer, config.footer_pos = footer(layout.width), 'center'
  end
  return config
end

---Makes the buffer of the overview. It is wiped when no window shows it any more.
---@return integer buf
function M.buffer()
  local buf = require('mcp_sidecar.ui.buffer').new()
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = 'mcpoverview'
  return buf
end

---Opens the window and enters it.
---@param buf integer
---@param ui { border: any, width?: number, height?: number }
---@param footer fun(width: integer): string
---@return integer win
function M.open(buf, ui, footer)
  local config = vim.tbl_extend('error', window_config(ui, footer), { style = 'minimal' })
  local win = vim.api.nvim_open_win(buf, true, config)
  float.dress(win, { cursorline = true, wrap = false, foldenable = false, winfixbuf = true })
  return win
end

---Fits the window to a screen that has changed its size.
---@param win integer
---@param ui { border: any, width?: number, height?: number }
---@param footer fun(width: integer): string
function M.resize(win, ui, footer) vim.api.nvim_win_set_config(win, window_config(ui, footer)) end

---Puts a page into a buffer. Only lines from the first to the last that differ are touched, so that marks and the
---screen stay as they are elsewhere.
---@param buf integer
---@param page mcp_sidecar.ui.Page
function M.show(buf, page)
  local old, new = vim.api.nvim_buf_get_lines(buf, 0, -1, false), page.lines
  local first = 0
  while first < #old and first < #new and old[first + 1] == new[first + 1] do
    first = first + 1
  end
  local last = 0
  while last < #old - first and last < #new - first and old[#old - last] == new[#new - last] do
    last = last + 1
  end
  if first + last < math.max(#old, #new) then
    vim.bo[buf].modifiable = true
    local lines = vim.list_slice(new, first + 1, #new - last)
    vim.api.nvim_buf_set_lines(buf, first, #old - last, true, lines)
    vim.bo[buf].modifiable = false
  end
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  require('mcp_sidecar.ui.marks').put(buf, namespace, page.marks)
end

return M
