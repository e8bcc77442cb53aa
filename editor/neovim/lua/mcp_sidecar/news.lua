-- What of a server's records is worth telling the user: that it does not work, once until it works again. A start
-- is tried several times, and each try says the same.

local M = {}

---Phases in which somebody should know why.
local TELLING = { backoff = true, failed = true, suspended = true, invalid = true, ['needs-auth'] = true }

---of gives what is to be told of a record, and whether it has been told from now on.
---@param server mcp_sidecar.Server
---@param told boolean
---@return string? message
---@return boolean told
function M.of(server, told)
  if server.phase == 'ready' or server.phase == 'removed' then return nil, false end
  if told or not server.error or not TELLING[server.phase] then return nil, told end
  return server.error.message, true
end

return M
