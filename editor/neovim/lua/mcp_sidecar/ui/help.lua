-- The page of all keys. Pure.
local Page = require('mcp_sidecar.ui.page')
local cells = require('mcp_sidecar.cells')

local M = {}

---@param sections mcp_sidecar.ui.OverviewKeys
---@param width integer cells
---@return mcp_sidecar.ui.Page
function M.render(sections, width)
  local page, column = Page.new(width), 0
  for _, section in ipairs(sections) do
    for _, key in ipairs(section.keys) do
      column = math.max(column, cells.width(table.concat(key.keys, ' ')))
    end
  end
  for _, section in ipairs(sections) do
    page:gap()
    page:add(nil, { { ' ' .. section.title, 'McpHeading' } })
    for _, key in ipairs(section.keys) do
      local names = cells.fill(table.concat(key.keys, ' '), column)
      page:add(nil, { { '   ' }, { names, 'McpKey' }, { '  ' .. key.text } })
    end
  end
  page:gap()
  page:add(nil, { { ' :help mcp-sidecar', 'McpKey' }, { ' says more.', 'McpMuted' } })
  return page
end

return M
