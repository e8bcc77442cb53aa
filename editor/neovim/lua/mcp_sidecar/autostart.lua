-- Starts the sidecar of a project when a file of it is opened, and not at the first command.

local M = {}

---A start for every buffer, once the current event is over: a startup opens many.
local function start()
  vim.schedule(function()
    if not require('mcp_sidecar.config').get().autostart then return end -- setup() may have changed it
    local buffer = vim.api.nvim_get_current_buf()
    if vim.bo[buffer].buftype ~= '' then return end
    require('mcp_sidecar.sessions').current():begin()
  end)
end

---enable starts it now, and for every project that is entered.
function M.enable()
  vim.api.nvim_create_autocmd({ 'BufEnter', 'DirChanged' }, {
    group = vim.api.nvim_create_augroup('mcp_sidecar_autostart', {}),
    callback = start,
  })
  start()
end

return M
