-- Questions to the user, one after the other. None appears while the user types: what was meant for a text would
-- answer it. They wait for normal mode, and for a moment without a key, since also between <Esc> and the next
-- command Neovim is in normal mode.
--
-- Who shows a question says when it is off the screen. But vim.ui.select and vim.ui.input may be anybody's, and
-- some forget their callback when their window is closed in another way than by their own keys. That must not
-- keep the next question away for ever, nor take an answer away that is still to come:
--
--   - One that is withdrawn is over: nobody wants its answer.
--   - One whose windows are all gone is `dropped` after a while (prompt_window): nothing is left to answer it with.
--   - One that never had a window may be elsewhere on the screen (an IDE around Neovim), or nowhere: nobody can tell.
--     It lets the next one pass, and may be answered all the same.

local guarded = require('mcp_sidecar.guarded')
local prompt_window = require('mcp_sidecar.ui.prompt_window')

local M = {}

---How long no key was pressed when a question comes up.
local PAUSE_MS = 300

---@class mcp_sidecar.Prompt
---@field show fun(done: fun()) shows the question; `done` says that it is off the screen
---@field dropped fun() it went off the screen, and `done` was not called
---@field showing boolean `show` runs; it may run as long as the question is open
---@field window? mcp_sidecar.PromptWindow while it is shown

---Those that wait.
---@type mcp_sidecar.Prompt[]
local queue = {}
---The one that is shown.
---@type mcp_sidecar.Prompt?
local current
---Looks, while one waits, whether there was a pause. Neovim does nothing by itself while it waits for ENTER or a
---mapping reads a key: nor does this.
---@type uv.uv_timer_t?
local timer
---A key was pressed since the last look.
local typed = false
---Something needs the current window: nothing comes up.
local held = false

local keys = vim.api.nvim_create_namespace('mcp_sidecar_prompts')

local function free()
  if held then return false end
  local mode = vim.fn.mode(1)
  return (mode == 'n' or mode == 'nt') and vim.fn.getcmdwintype() == ''
end

---@param prompt mcp_sidecar.Prompt
local function finish(prompt)
  if prompt.window then prompt.window:forget() end
  prompt.window = nil
  if current == prompt then current = nil end
end

---@param prompt mcp_sidecar.Prompt
local function show(prompt)
  current = prompt
  local function gone()
    finish(prompt)
    prompt.dropped()
  end
  prompt.window = prompt_window.watch(gone)
  prompt.showing = true
  local ok, err = xpcall(prompt.show, debug.traceback, function() finish(prompt) end)
  prompt.showing = false
  if prompt.window then prompt.window:look() end
  if ok then return end
  finish(prompt)
  -- That is how Neovim's own list of choices tells Ctrl-C: nothing was chosen.
  if not vim.startswith(tostring(err), 'Keyboard interrupt') then error(err, 0) end
end

local function stop()
  if not timer then return end
  timer:stop()
  timer:close()
  timer = nil
  vim.on_key(nil, keys)
end

local function look()
  if not timer then return end
  if #queue == 0 then return stop() end
  local calm = free() and not typed
  typed = false
  if not calm or current and (current.showing or current.window:is_open()) then return end
  local prompt = table.remove(queue, 1)
  if #queue == 0 then stop() end
  guarded(show, prompt)
end

local function start()
  if timer then return end
  typed = false
  vim.on_key(function(_, key)
    if key and key ~= '' then typed = true end
  end, keys)
  timer = assert(vim.uv.new_timer())
  timer:start(PAUSE_MS, PAUSE_MS, vim.schedule_wrap(look))
end

---hold keeps questions away while a function runs that works in the current window, and waits.
---@param fn fun()
function M.hold(fn)
  held = true
  local ok, err = pcall(fn)
  held = false
  if not ok then error(err, 0) end
end

---ask queues a question, and returns what takes it back: it is not shown any more, or others need not wait for it.
---@param show_it fun(done: fun())
---@param dropped? fun() it was shown, went off the screen, and `done` was not called
---@return fun() withdraw
function M.ask(show_it, dropped)
  local prompt = { show = show_it, dropped = dropped or function() end, showing = false }
  queue[#queue + 1] = prompt
  start()
  return function()
    queue = vim.tbl_filter(function(other) return other ~= prompt end, queue)
    finish(prompt)
  end
end

return M
