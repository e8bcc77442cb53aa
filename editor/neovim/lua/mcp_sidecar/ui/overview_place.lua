-- Where the cursor is on a page, by what it is on: so that it stays there on the next page, whatever came or went
-- above. Pure.
local M = {}

---@class mcp_sidecar.ui.Place
---@field row integer of the cursor, from 1
---@field column integer bytes, from 0
---@field top integer first row in the window
---@field ids string[] what the cursor is on, then what it may be on instead: owners, then what is above

---@param page mcp_sidecar.ui.Page
---@return table<string, integer> row by id
local function index(page)
  local rows = {}
  for row = #page.lines, 1, -1 do
    local item = page.items[row]
    if item then rows[item.id] = row end
  end
  return rows
end

---@param page mcp_sidecar.ui.Page
---@param row integer
---@param column integer
---@param top integer
---@return mcp_sidecar.ui.Place
function M.of(page, row, column, top)
  local rows, ids = index(page), {} ---@type table<string, integer>, string[]
  local item = page.items[row]
  while item do
    ids[#ids + 1] = item.id
    item = item.owner and rows[item.owner] and page.items[rows[item.owner]] or nil
  end
  for above = row - 1, 1, -1 do
    local other = page.items[above]
    if other then ids[#ids + 1] = other.id end
  end
  return { row = row, column = column, top = top, ids = ids }
end

---The first row after (step 1) or before (step -1) a row whose item passes.
---@param page mcp_sidecar.ui.Page
---@param row integer
---@param step 1|-1
---@param passes fun(item: mcp_sidecar.ui.Item): boolean
---@return integer?
function M.next(page, row, step, passes)
  for other = row + step, step > 0 and #page.lines or 1, step do
    local item = page.items[other]
    if item and passes(item) then return other end
  end
end

---Where the cursor and the top of the window belong on another page. The line with the cursor stays where it is on
---the screen, unless all above it can be seen as before.
---@param page mcp_sidecar.ui.Page
---@param place mcp_sidecar.ui.Place
---@param height integer of the window
---@return { row: integer, top: integer }
function M.on(page, place, height)
  local rows, row = index(page), nil
  for _, id in ipairs(place.ids) do
    row = rows[id]
    if row then break end
  end
  -- On a line that is about nothing, such as a blank one, there is only its number.
  row = math.max(1, math.min(row or place.row, #page.lines))
  local top = row - (place.row - place.top)
  if place.top == 1 and row <= height then top = 1 end
  return { row = row, top = math.max(1, top) }
end

return M
