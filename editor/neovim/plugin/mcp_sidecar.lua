-- Loaded at startup, so it only says what there is: no module is required before its first use.
if vim.g.loaded_mcp_sidecar then return end
vim.g.loaded_mcp_sidecar = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify('mcp-sidecar needs Neovim 0.10 or newer', vim.log.levels.ERROR)
  return
end

vim.api.nvim_create_user_command(
  'Mcp',
  function(command) require('mcp_sidecar.command').run(command.args) end,
  {
    nargs = '*',
    desc = 'MCP servers and tools',
    complete = function(lead, line, at) return require('mcp_sidecar.command').complete(lead, line:sub(1, at)) end,
  }
)

vim.keymap.set('n', '<Plug>(mcp-sidecar)', '<Cmd>Mcp<CR>', { desc = 'MCP: servers and tools' })
vim.keymap.set('n', '<Plug>(mcp-sidecar-tools)', '<Cmd>Mcp tools<CR>', { desc = 'MCP: call a tool' })
vim.keymap.set('n', '<Plug>(mcp-sidecar-reload)', '<Cmd>Mcp reload<CR>', { desc = 'MCP: reload' })

local options = vim.g.mcp_sidecar
if type(options) == 'function' or (type(options) == 'table' and options.autostart) then
  local function enable()
    if require('mcp_sidecar.config').get().autostart then require('mcp_sidecar.autostart').enable() end
  end
  if vim.v.vim_did_enter == 1 then
    vim.schedule(enable)
  else
    vim.api.nvim_create_autocmd('VimEnter', { once = true, callback = vim.schedule_wrap(enable) })
  end
end
