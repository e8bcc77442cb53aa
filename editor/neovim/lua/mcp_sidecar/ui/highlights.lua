-- All highlight groups of the plugin. Each is a link with default=true, so a colorscheme or the user's own
-- `:highlight` wins, and each looks like something that every colorscheme has.
local M = {}

---Links of all groups, by name. Read it, do not change it.
---@type table<string, string>
M.links = {
  -- windows
  McpNormal = 'NormalFloat',
  McpBorder = 'FloatBorder',
  McpTitle = 'FloatTitle',
  McpFooter = 'McpMuted',
  McpCursorLine = 'CursorLine',
  -- words
  McpHeading = 'Title',
  McpRoot = 'Directory',
  McpMuted = 'Comment',
  McpKey = 'Special',
  McpHint = 'DiagnosticHint',
  McpError = 'DiagnosticError',
  McpWarning = 'DiagnosticWarn',
  McpPath = 'Directory',
  McpCount = 'Number',
  McpTime = 'Comment',
  McpProgress = 'DiagnosticInfo',
  -- servers, by what their phase means to the user
  McpServer = 'Identifier',
  McpReady = 'DiagnosticOk',
  McpBusy = 'DiagnosticInfo',
  McpRetry = 'DiagnosticWarn',
  McpFailed = 'DiagnosticError',
  McpAsk = 'DiagnosticWarn',
  McpWaiting = 'DiagnosticWarn',
  McpStopped = 'Comment',
  McpDisabled = 'Comment',
  -- tools
  McpTool = 'Function',
  McpToolLive = 'DiagnosticOk',
  McpToolDeferred = 'DiagnosticInfo',
  McpToolOff = 'Comment',
  McpReadOnly = 'DiagnosticOk',
  McpDestructive = 'DiagnosticWarn',
  McpArgument = 'Identifier',
  McpRequired = 'DiagnosticError',
  McpType = 'Type',
  -- logs
  McpLogStderr = 'Comment',
  McpLogDebug = 'Comment',
  McpLogInfo = 'DiagnosticInfo',
  McpLogWarning = 'DiagnosticWarn',
  McpLogError = 'DiagnosticError',
  McpLogNoise = 'DiagnosticWarn',
}

local function link()
  for name, target in pairs(M.links) do
    vim.api.nvim_set_hl(0, name, { link = target, default = true })
  end
end

---Defines the groups and sees to it that they are there after `:colorscheme`, which clears them. What shows
---something calls it first; calling it again costs little.
function M.define()
  link()
  local group = vim.api.nvim_create_augroup('mcp_sidecar_highlights', { clear = true })
  vim.api.nvim_create_autocmd(
    'ColorScheme',
    { group = group, callback = link, desc = 'mcp-sidecar: highlight groups' }
  )
end

return M
