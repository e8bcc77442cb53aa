-- The extension "mcp_sidecar" of codecompanion.nvim, where that plugin looks for it.
-- See |mcp-sidecar-codecompanion|.

local M = {}

---@param options? mcp_sidecar.CodeCompanionOptions
function M.setup(options) require('mcp_sidecar.adapters.codecompanion').setup(options) end

M.exports = {
  ---groups are the names of those that hold MCP tools now, sorted.
  ---@return string[]
  groups = function() return require('mcp_sidecar.adapters.codecompanion').groups() end,
}

return M
