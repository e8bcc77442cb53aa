-- The chats of codecompanion that are open: of which project each is, and the tools that came to its groups
-- after it was given them.

local M = {}

---@param chat table
---@param group string
---@param names string[] the tools of the group that the chat was given
---@return boolean
local function in_use(chat, group, names)
  local id = ('<group>%s</group>'):format(group)
  local listed = vim.iter(chat.context_items or {}):any(function(item) return item.id == id end)
  return listed or vim.iter(names):any(function(name) return chat.tool_registry.in_use[name] end)
end

---complete gives a chat the tools that its groups have by now, and the groups that every chat is to have. Tools
---that are gone are taken out by codecompanion, at the next message of the user.
---
---It uses chat.tool_registry, which codecompanion's own commands use, but its documentation only mentions; a
---version that has another one keeps the tools that were there when the group was added.
---@param chat table
---@param groups table<string, mcp_sidecar.ToolGroup> that there are now
---@param defaults string[] groups and tools that every chat has
function M.complete(chat, groups, defaults)
  local registry = chat.tool_registry
  for _, name in ipairs(defaults) do
    if groups[name] and not registry.groups[name] then registry:add_group(name) end
  end
  for name, group in pairs(groups) do
    local given = registry.groups[name]
    if given and in_use(chat, name, given) then
      for _, tool in ipairs(group.tools) do
        if not registry.in_use[tool] and registry:add_single_tool(tool, { visible = false }) then
          given[#given + 1] = tool
        end
      end
    end
  end
end

return M
