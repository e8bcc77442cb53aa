-- One key of normal mode, borrowed while calls run and given back as it was. A mapping of a buffer's own would hide
-- ours there, so those are borrowed too, as buffers are entered.

local M = {}

local api = vim.api

local DESCRIPTION = 'mcp-sidecar: cancel the newest call'

---@class mcp_sidecar.BorrowedKey
---@field key string
---@field callback fun()
---@field was? table the user's global mapping, as maparg() has it
---@field buffers table<integer, table> the buffers' own mappings
---@field group integer
local Borrowed = {}
Borrowed.__index = Borrowed

-- The mapping that counts in the current buffer: its own if it has one. nvim_get_keymap() would tell both apart, but
-- in Neovim 0.10 it leaves out the second encoding of a key, without which mapset() restores <C-c> in part only.
local function mapping(key)
  local found = vim.fn.maparg(key, 'n', false, true)
  return next(found) and found or nil
end

-- Takes the current buffer's own mapping of the key away, if it has one.
local function take_own(key)
  local found = mapping(key)
  if not (found and found.buffer == 1) then return nil end
  vim.keymap.del('n', key, { buffer = 0 })
  return found
end

---@private
function Borrowed:map_own(buffer, was)
  self.buffers[buffer] = was
  vim.keymap.set('n', self.key, self.callback, { buffer = buffer, nowait = true, desc = DESCRIPTION })
end

---@private
function Borrowed:give_back_own(buffer, was)
  local now = mapping(self.key)
  if not (now and now.buffer == 1 and now.callback == self.callback) then return end
  vim.keymap.del('n', self.key, { buffer = buffer })
  vim.fn.mapset(was)
end

---give_back restores every mapping that the key had, unless somebody has mapped it anew meanwhile.
function Borrowed:give_back()
  api.nvim_del_augroup_by_id(self.group)
  for buffer, was in pairs(self.buffers) do
    if api.nvim_buf_is_valid(buffer) then
      api.nvim_buf_call(buffer, function() self:give_back_own(buffer, was) end)
    end
  end
  local own = take_own(self.key)
  local now = mapping(self.key)
  if now and now.callback == self.callback then
    vim.keymap.del('n', self.key)
    if self.was then vim.fn.mapset(self.was) end
  end
  if own then vim.fn.mapset(own) end
end

---borrow maps a key of normal mode until it is given back.
---@param key string as in a mapping: "<C-c>"
---@param pressed fun()
---@return mcp_sidecar.BorrowedKey
function M.borrow(key, pressed)
  -- A function of its own tells our mapping from every other.
  local self = setmetatable({ key = key, callback = function() pressed() end, buffers = {} }, Borrowed)
  local own = take_own(key)
  self.was = mapping(key)
  vim.keymap.set('n', key, self.callback, { nowait = true, desc = DESCRIPTION })
  if own then self:map_own(api.nvim_get_current_buf(), own) end
  self.group = api.nvim_create_augroup('mcp_sidecar_cancel_key', { clear = true })
  api.nvim_create_autocmd('BufEnter', {
    group = self.group,
    desc = 'mcp-sidecar: the key that cancels',
    callback = function(event)
      if self.buffers[event.buf] then return end
      local found = take_own(key)
      if found then self:map_own(event.buf, found) end
    end,
  })
  return self
end

return M
