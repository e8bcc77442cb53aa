-- Which groups of tools codecompanion has: one of all, and one of each server.

local M = {}

---@class mcp_sidecar.ToolGroup
---@field name string
---@field description string
---@field prompt string what stands in a message for the group's name
---@field tools string[]

---server_part is what of a server's name is in that of its group, as in the names of its tools.
---@param server string
---@return string
local function server_part(server)
  local part = server:gsub('[^%w-]+', '_'):gsub('^_+', ''):gsub('_+$', '')
  return part == '' and 'server' or part
end

---unique takes a name that nothing has: `name`, or it with a number.
---@param name string
---@param taken fun(name: string): boolean
---@param own table<string, any> that were taken here
---@return string
local function unique(name, taken, own)
  local result, n = name, 2
  while own[result] or taken(result) do
    result, n = ('%s_%d'):format(name, n), n + 1
  end
  own[result] = true
  return result
end

---plan gives the groups of tools, sorted by name; none is empty.
---@param tools mcp_sidecar.Tool[] sorted by name
---@param options { group: string|false, server_groups: boolean }
---@param taken fun(name: string): boolean is this the name of another's group or of a tool?
---@return mcp_sidecar.ToolGroup[]
function M.plan(tools, options, taken)
  local names, by_server = {}, {} ---@type string[], table<string, string[]>
  for _, tool in ipairs(tools) do
    names[#names + 1] = tool.name
    by_server[tool.server] = by_server[tool.server] or {}
    table.insert(by_server[tool.server], tool.name)
  end
  local groups, own = {}, {}
  if options.group and #names > 0 then
    groups[1] = {
      name = unique(options.group, taken, own),
      description = 'All MCP tools of the project',
      prompt = "I'm giving you access to the MCP tools",
      tools = names,
    }
  end
  local servers = options.server_groups and vim.tbl_keys(by_server) or {}
  table.sort(servers)
  for _, server in ipairs(servers) do
    groups[#groups + 1] = {
      name = unique(('%s_%s'):format(options.group or 'mcp', server_part(server)), taken, own),
      description = ('The tools of the MCP server %s'):format(server),
      prompt = ("I'm giving you access to the tools of the MCP server %s"):format(server),
      tools = by_server[server],
    }
  end
  table.sort(groups, function(a, b) return a.name < b.name end)
  return groups
end

return M
