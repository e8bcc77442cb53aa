-- Questions to the user, one after the other. None appears while the user types: what was meant for the text
-- would answer it. They wait for normal mode.

local M = {}

---@class mcp_sidecar.Prompt
---@field show fun(done: fun()) shows the question; `done` says that it is off the screen
---@field withdrawn boolean

---@type mcp_sidecar.Prompt[]
local queue = {}
---The one that is shown.
---@type mcp_sidecar.Prompt?
local current
local waits_for_mode = false

local function free() return vim.fn.mode(1) == 'n' and vim.fn.getcmdwintype() == '' end

local function next_one()
  if current then return end
  while queue[1] and queue[1].withdrawn do
    table.remove(queue, 1)
  end
  if not queue[1] then return end
  if not free() then
    if waits_for_mode then return end
    waits_for_mode = true
    vim.api.nvim_create_autocmd({ 'ModeChanged', 'CmdwinLeave' }, {
      once = true,
      callback = vim.schedule_wrap(function()
        waits_for_mode = false
        next_one()
      end),
    })
    return
  end
  local prompt = table.remove(queue, 1)
  current = prompt
  local done = false
  local function finish()
    if done then return end
    done = true
    current = nil
    vim.schedule(next_one)
  end
  require('mcp_sidecar.connection').guarded(function()
    local ok, err = xpcall(prompt.show, debug.traceback, finish)
    if ok then return end
    finish()
    -- That is how Neovim's own list of choices tells Ctrl-C: nothing was chosen.
    if not vim.startswith(tostring(err), 'Keyboard interrupt') then error(err, 0) end
  end)
end

---ask queues a question, and returns what takes it out if it is not shown yet.
---@param show fun(done: fun())
---@return fun() withdraw
function M.ask(show)
  local prompt = { show = show, withdrawn = false }
  queue[#queue + 1] = prompt
  vim.schedule(next_one)
  return function() prompt.withdrawn = true end
end

return M
