-- Scratch buffers of the plugin's own, whatever the user's options and buffers are.

local M = {}

---new makes one. If there is another of its name, as in a session of Neovim that was restored, it gets a number, too.
---@param name? string
---@return integer buffer
function M.new(name)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].modifiable = true -- new buffers have what a `:set` elsewhere said
  if not name then return buffer end
  local free, number = name, 1
  while vim.fn.bufexists(free) == 1 do
    number = number + 1
    free = ('%s (%d)'):format(name, number)
  end
  vim.api.nvim_buf_set_name(buffer, free)
  return buffer
end

return M
