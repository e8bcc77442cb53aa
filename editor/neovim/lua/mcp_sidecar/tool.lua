-- What there is to know of a tool. Servers leave out more than they may, and write what is something else: pure.

local M = {}

---@param value any
---@return table
local function object(value) return type(value) == 'table' and value or {} end

---own_name is the server's own name of it.
---@param tool mcp_sidecar.Tool
---@return string
function M.own_name(tool) return tool.label:sub(#tool.server + 2) end

---definition is the server's own, or an empty one.
---@param tool mcp_sidecar.Tool
---@return mcp_sidecar.ToolDefinition
function M.definition(tool) return object(tool.definition) end

---annotations are the hints in its definition.
---@param tool mcp_sidecar.Tool
---@return table
function M.annotations(tool) return object(M.definition(tool).annotations) end

return M
