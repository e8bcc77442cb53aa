-- A schema without references: each has in its place what it refers to. Codecompanion's adapters pass on the
-- type, the properties and the required ones of a tool's schema, and leave out the definitions beside them, so
-- that references into those would lead nowhere.

local tree = require('mcp_sidecar.adapters.schema_tree')

local M = {}

---How many references are followed in all. Definitions that use each other multiply.
local MOST = 200

---inlined is the schema with what its references lead to in their place. A reference to what it is in, of which
---there is no end, allows everything there.
---@param root mcp_sidecar.JsonSchema
---@return mcp_sidecar.JsonSchema
function M.inlined(root)
  local left = MOST
  local within = {} ---@type table<table, true>

  local function change(schema)
    if schema['$ref'] == nil then return schema end
    local bare = tree.without(schema, '$ref')
    local target = tree.follow(schema['$ref'], root)
    if not target or within[target] or left == 0 then return bare end
    left = left - 1
    within[target] = true
    local found = tree.map(target, change)
    within[target] = nil
    return tree.with(found, bare)
  end
  return tree.map(tree.without(root, '$defs', 'definitions'), change)
end

return M
