-- Whether a question is still on the screen, of which one only knows that windows came up with it: those that had
-- the focus until it went back to a window that had been there before. A window that the user opens later is none
-- of them, and one that the user leaves for a while (to copy a value) stays one. A question that has no window by
-- then gets none: it is shown elsewhere.

local M = {}

---Those who show a window have this time until the first, between two, and to call back after the last.
local GONE_MS = 1000

---@class mcp_sidecar.PromptWindow
---@field private before table<integer, true> the windows that were there
---@field private own table<integer, true>
---@field private left boolean the focus has gone back: no more windows are its own
---@field private listener? integer its autocommand, until it is forgotten
local Window = {}
Window.__index = Window

---watch begins before the question is shown. `gone` is called once, unless it is forgotten by then.
---@param gone fun()
---@return mcp_sidecar.PromptWindow
function M.watch(gone)
  local self = setmetatable({ before = {}, own = {}, left = false }, Window)
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    self.before[window] = true
  end
  local function check()
    if self.listener and self:is_gone() then gone() end
  end
  self.listener = vim.api.nvim_create_autocmd({ 'WinEnter', 'WinClosed' }, {
    callback = function()
      self:look()
      vim.defer_fn(check, GONE_MS)
    end,
  })
  vim.defer_fn(function()
    if next(self.own) then return end
    self.left = true
    self:forget() -- there will be nothing to see, and it may stay open for ever
  end, GONE_MS)
  return self
end

---look takes the window that has the focus.
function Window:look()
  local window = vim.api.nvim_get_current_win()
  if not self.before[window] then
    if not self.left then self.own[window] = true end
  elseif next(self.own) then
    self.left = true
  end
end

---@return boolean
function Window:is_open() return vim.iter(vim.tbl_keys(self.own)):any(vim.api.nvim_win_is_valid) end

---@private
---@return boolean
function Window:is_gone() return next(self.own) ~= nil and not self:is_open() end

function Window:forget()
  if self.listener then vim.api.nvim_del_autocmd(self.listener) end
  self.listener = nil
end

return M
