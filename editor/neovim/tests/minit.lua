-- What every Neovim of the tests begins with: nothing of the user's, only this plugin and mini.test.
local here = vim.fs.dirname(vim.fs.normalize(vim.uv.fs_realpath(debug.getinfo(1, 'S').source:sub(2))))
local root = vim.fs.dirname(here)
local mini = assert(vim.env.MINI_TEST, 'MINI_TEST is not set: start the tests with tests/run')
-- Neovim's own parsers, without which it shows no Markdown.
local parsers = vim.tbl_filter(
  function(path) return path:find('/lib/nvim$') or path:find('/lib64/nvim$') end,
  vim.opt.runtimepath:get()
)
vim.opt.runtimepath = vim.list_extend({ root, mini, vim.env.VIMRUNTIME }, parsers)
vim.opt.packpath = { vim.env.VIMRUNTIME }
vim.o.swapfile = false
vim.o.shadafile = 'NONE'
package.path = here .. '/?.lua;' .. package.path
vim.cmd.runtime({ 'plugin/mcp_sidecar.lua' })
