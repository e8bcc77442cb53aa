-- The tools that a model is offered, and what is said of them.

local texts = require('mcp_sidecar.adapters.well_formed')

local M = {}

---OfferOptions choose tools.
---@class mcp_sidecar.OfferOptions
---@field servers? string[] only the tools of these
---@field filter? fun(tool: mcp_sidecar.Tool): boolean? only those it says yes to
---@field call? mcp_sidecar.CallOptions of every call

---tools are those of the session now that are chosen.
---@param session mcp_sidecar.Session
---@param options mcp_sidecar.OfferOptions
---@return mcp_sidecar.Tool[]
function M.tools(session, options)
  return vim.tbl_filter(function(tool)
    if options.servers and not vim.list_contains(options.servers, tool.server) then return false end
    return not options.filter or options.filter(tool)
  end, session:view().tools)
end

---is_choice: are there tools of the session that are not to be offered?
---@param options mcp_sidecar.OfferOptions
---@return boolean
function M.is_choice(options) return options.servers ~= nil or options.filter ~= nil end

---definition is the server's own, or an empty one.
---@param tool mcp_sidecar.Tool
---@return table
function M.definition(tool) return type(tool.definition) == 'table' and tool.definition or {} end

---description is the tool's own, or else its title.
---@param tool mcp_sidecar.Tool
---@param longest number in characters
---@return string?
function M.description(tool, longest)
  local own = M.definition(tool)
  local annotations = type(own.annotations) == 'table' and own.annotations or {}
  for _, said in ipairs({ own.description or false, own.title or false, annotations.title or false }) do
    if type(said) == 'string' and said:find('%S') then return texts.cut(texts.well_formed(said), longest) end
  end
end

return M
