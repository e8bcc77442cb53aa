-- What every Neovim of the tests begins with: nothing of the user's, only this plugin and mini.test.
local here = vim.fs.dirname(vim.fs.normalize(vim.uv.fs_realpath(debug.getinfo(1, 'S').source:sub(2))))
local root = vim.fs.dirname(here)
vim.opt.runtimepath =
  { root, assert(vim.env.MINI_TEST, 'MINI_TEST is not set: see tests/run'), vim.env.VIMRUNTIME }
vim.opt.packpath = { vim.env.VIMRUNTIME }
vim.o.swapfile = false
vim.o.shadafile = 'NONE'
package.path = here .. '/?.lua;' .. package.path
vim.cmd.runtime({ 'plugin/mcp_sidecar.lua' })
