-- Messages to the user, about what they did just now, or have to do. What the sidecar says by itself comes by log.lua.

local guarded = require('mcp_sidecar.guarded')

local M = {}

M.PREFIX = 'mcp-sidecar: '

---at says it at a level. vim.notify may be anybody's: what is being done goes on if it fails.
---@param level integer of vim.log.levels
---@param message string
function M.at(level, message) guarded(vim.notify, M.PREFIX .. message, level) end

---@param message string
function M.info(message) M.at(vim.log.levels.INFO, message) end

---@param message string
function M.warn(message) M.at(vim.log.levels.WARN, message) end

---@param message string
function M.error(message) M.at(vim.log.levels.ERROR, message) end

---failure says why a request failed, but of one that the user has cancelled, or was told of already.
---@param err mcp_sidecar.Error?
function M.failure(err)
  if not err or err.kind == 'cancelled' or err.reported then return end
  local method = err.method and err.method .. ': '
  local named = method and vim.startswith(err.message, method)
  M.error(named and err.message:sub(#method + 1) or err.message) -- who types `:Mcp` knows no methods
end

return M
