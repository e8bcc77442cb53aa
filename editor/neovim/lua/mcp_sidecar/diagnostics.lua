-- What is wrong, as the sidecar lists it. Pure.

local M = {}

---repeats says whether a diagnostic is a server's own error over again, which stands in its record.
---@param diagnostic mcp_sidecar.Diagnostic
---@param server mcp_sidecar.Server the one that it is about
---@return boolean
function M.repeats(diagnostic, server)
  local failure = server.error
  if not failure then return false end
  if diagnostic.error == failure.message then return true end
  -- The list may be older than the record. An entry of the host's has this path, too: of it there are warnings.
  return diagnostic.severity == 'error' and vim.startswith(diagnostic.path, 'mcp:')
end

return M
