-- The sidecar's own log: what it says by runtime/log, and what becomes of its process. The last lines are kept
-- for `:Mcp logs`; those that matter are shown.

local config = require('mcp_sidecar.config')
local events = require('mcp_sidecar.events')

local M = {}

---@class mcp_sidecar.LogEntry
---@field root string
---@field time integer seconds since 1970
---@field level mcp_sidecar.LogLevel
---@field message string
---@field server? string

---How many lines are kept of each project.
local KEPT = 500

local LEVELS = {
  debug = vim.log.levels.DEBUG,
  info = vim.log.levels.INFO,
  warning = vim.log.levels.WARN,
  error = vim.log.levels.ERROR,
}

---@type table<string, mcp_sidecar.LogEntry[]>
local kept = {}

---lines are the last of a project, the oldest first.
---@param root string
---@return mcp_sidecar.LogEntry[]
function M.lines(root) return vim.list_slice(kept[root] or {}) end

---add takes a message. It is shown if its level is the user's or above.
---@param root string
---@param level mcp_sidecar.LogLevel
---@param message string
---@param server? string
function M.add(root, level, message, server)
  local entry = { root = root, time = os.time(), level = level, message = message, server = server }
  local lines = kept[root] or {}
  kept[root] = lines
  lines[#lines + 1] = entry
  if #lines > KEPT then table.remove(lines, 1) end
  events.emit('log', entry)
  local number = LEVELS[level] or vim.log.levels.INFO
  if number >= config.get().log_level then
    local about = server and ('mcp-sidecar: %s: '):format(server) or 'mcp-sidecar: '
    vim.notify(about .. message, number)
  end
end

return M
