-- The tools that a model is offered, and what is said of them.

local of_tool = require('mcp_sidecar.tool')
local utf8 = require('mcp_sidecar.utf8')

local M = {}

---AdapterOptions say which tools, and how they are called.
---@class mcp_sidecar.AdapterOptions: mcp_sidecar.Where
---@field servers? string[] only the tools of these
---@field filter? fun(tool: mcp_sidecar.Tool): boolean? only those it says yes to
---@field call? mcp_sidecar.CallOptions of every call

---tools are those of the session now that are chosen.
---@param session mcp_sidecar.Session
---@param options mcp_sidecar.AdapterOptions
---@return mcp_sidecar.Tool[]
function M.tools(session, options)
  return vim.tbl_filter(function(tool)
    if options.servers and not vim.list_contains(options.servers, tool.server) then return false end
    return not options.filter or options.filter(tool)
  end, session:view().tools)
end

---is_choice: are there tools of the session that are not to be offered?
---@param options mcp_sidecar.AdapterOptions
---@return boolean
function M.is_choice(options) return options.servers ~= nil or options.filter ~= nil end

---description is the tool's own, or else its title.
---@param tool mcp_sidecar.Tool
---@param longest number in characters
---@return string?
function M.description(tool, longest)
  local own = of_tool.definition(tool)
  local title = of_tool.annotations(tool).title
  for _, said in ipairs({ own.description or false, own.title or false, title or false }) do
    if type(said) == 'string' and said:find('%S') then return utf8.cut(utf8.well_formed(said), longest) end
  end
end

return M
