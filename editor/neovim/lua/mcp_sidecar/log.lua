-- The sidecar's own log: what it says by runtime/log, and what becomes of its process. The last lines are kept
-- for `:Mcp logs`; those that matter are shown.

local cells = require('mcp_sidecar.cells')
local config = require('mcp_sidecar.config')
local events = require('mcp_sidecar.events')
local say = require('mcp_sidecar.say')

local M = {}

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

---When something about a server was shown last, in milliseconds, by root and name.
---@type table<string, integer>
local told = {}
---A server that has much to say is shown once in this time; the rest is only kept.
local PAUSE_MS = 5000

---@param entry mcp_sidecar.LogEntry
local function is_flood(entry)
  if not entry.server then return false end
  local key = entry.root .. '\0' .. entry.server
  if vim.uv.now() - (told[key] or -PAUSE_MS) < PAUSE_MS then return true end
  told[key] = vim.uv.now()
  return false
end

---show shows a message to the user, if its level is one that he wants to see.
---@param level mcp_sidecar.LogLevel
---@param text string
function M.show(level, text)
  local number = LEVELS[level] or vim.log.levels.INFO
  if number >= config.get().log_level then say.at(number, text) end
end

---one_line is a server's text as one line that Neovim shows without asking to press ENTER.
---@param text string
---@return string
function M.one_line(text)
  local line = cells.plain(text):gsub('%s*[\r\n]+%s*', ' | '):gsub('\t', ' ')
  return cells.line(line, math.max(vim.v.echospace - #say.PREFIX, 40))
end

---add keeps a message, and shows it unless it is quiet.
---@param root string
---@param entry { level: mcp_sidecar.LogLevel, message: string, server?: string }
---@param quiet? boolean
function M.add(root, entry, quiet)
  entry = vim.tbl_extend('force', entry, { root = root, time = os.time() })
  local lines = kept[root] or {}
  kept[root] = lines
  lines[#lines + 1] = entry
  if #lines > KEPT then table.remove(lines, 1) end
  events.emit('log', entry)
  if quiet or is_flood(entry) then return end
  if entry.server then
    M.show(entry.level, M.one_line(('%s: %s'):format(entry.server, entry.message)))
  else
    M.show(entry.level, entry.message)
  end
end

return M
