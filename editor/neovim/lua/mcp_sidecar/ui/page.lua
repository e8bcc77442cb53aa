-- A page is a buffer's text while it is made: lines that fit its width, their highlighting, and what each line is
-- about. It is a value; overview.lua puts it on the screen.
local cells = require('mcp_sidecar.cells')

---Item is what a line is about.
---@class mcp_sidecar.ui.Item
---@field id string the same from one page to the next, as long as it is about the same
---@field owner? string id of the item that it is a detail of
---@field kind "session"|"server"|"tool"|"diagnostic"
---@field head? boolean the line that stays when the rest is folded away
---@field server? string
---@field tool? string the server's own name of the tool
---@field label? string "server/tool"
---@field off? boolean the tool is switched off
---@field path? string of the file that it is from
---@field line? integer
---@field column? integer in bytes, from 1
---@field copy? string what is worth copying of it

---Piece of a line: text, and its highlight group.
---@alias mcp_sidecar.ui.Piece { [1]: string, [2]: string? }

---@class mcp_sidecar.ui.Page
---@field width integer cells
---@field lines string[]
---@field marks mcp_sidecar.ui.Mark[]
---@field items table<integer, mcp_sidecar.ui.Item> by line, from 1
local Page = {}
Page.__index = Page

---@param width integer cells
---@return mcp_sidecar.ui.Page
function Page.new(width) return setmetatable({ width = width, lines = {}, marks = {}, items = {} }, Page) end

---An item for a detail of another one. It is from the same place, unless another is given.
---@param of mcp_sidecar.ui.Item
---@param key string unique among the details
---@param copy? string
---@param place? { path: string, line?: integer, column?: integer }
---@return mcp_sidecar.ui.Item
function Page.detail(of, key, copy, place)
  place = place or of
  return {
    id = of.id .. '\0' .. key,
    owner = of.id,
    kind = of.kind,
    server = of.server,
    tool = of.tool,
    label = of.label,
    off = of.off,
    path = place.path,
    line = place.line,
    column = place.column,
    copy = copy or of.copy,
  }
end

---@param pieces mcp_sidecar.ui.Piece[]
---@return integer cells
local function width_of(pieces)
  local sum = 0
  for _, piece in ipairs(pieces) do
    sum = sum + cells.width(cells.visible(piece[1]))
  end
  return sum
end

---Adds a line. What is too long for the page is cut.
---@param item mcp_sidecar.ui.Item?
---@param pieces mcp_sidecar.ui.Piece[]
---@param right? mcp_sidecar.ui.Piece[] what stands at the right end; it comes before the rest if room is short
function Page:add(item, pieces, right)
  local row, text, room, marks = #self.lines, '', self.width, {}
  local reserved = right and math.min(width_of(right) + 1, room) or 0
  local function put(piece, limit)
    local part = cells.line(piece[1], limit)
    if piece[2] then marks[#marks + 1] = { row = row, from = #text, to = #text + #part, group = piece[2] } end
    text, room = text .. part, room - cells.width(part)
  end
  for _, piece in ipairs(pieces) do
    put(piece, room - reserved)
  end
  if right then
    put({ (' '):rep(room - reserved + 1) }, room)
    for _, piece in ipairs(right) do
      put(piece, room)
    end
  end
  text = text:gsub(' +$', '')
  for _, mark in ipairs(marks) do
    mark.to = math.min(mark.to, #text)
    if mark.from < mark.to then table.insert(self.marks, mark) end
  end
  self.lines[row + 1] = text
  self.items[row + 1] = item
end

---Adds a blank line, unless the last one is blank.
function Page:gap()
  if #self.lines > 0 and self.lines[#self.lines] ~= '' then self:add(nil, {}) end
end

---Adds a text in as many lines as it needs, at most `limit`, as details of the item's owner, or of itself if it
---has none.
---@param item mcp_sidecar.ui.Item
---@param text string
---@param look { indent: integer, group?: string, limit?: integer, label?: string, label_width?: integer }
function Page:text(item, text, look)
  local hang = look.indent + (look.label_width or 0)
  local lines, more = cells.wrap(text, self.width - hang - 1, look.limit or 100)
  for n, line in ipairs(lines) do
    local label = cells.fill(n == 1 and look.label or '', look.label_width or 0)
    if more and n == #lines then line = line .. ' …' end
    local given = { id = item.id .. '\0' .. n, owner = item.owner or item.id, head = false }
    self:add(vim.tbl_extend('force', item, given), {
      { (' '):rep(look.indent) },
      { label, label:find('%S') and 'McpMuted' or nil },
      { line, look.group },
    })
  end
end

return Page
