-- What runs, in a small window that is never entered: one line for each call made by hand, the newest last. It comes
-- when a call has run for a while, and goes with the last one; so do its timer and the key that cancels.

local cells = require('mcp_sidecar.cells')

local M = {}

local api = vim.api

local APPEAR_MS, TICK_MS = 150, 100
local FRAMES = { '⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏' }

---ProgressOptions say what runs.
---@class mcp_sidecar.ProgressOptions
---@field label string "server/tool"
---@field cancel? fun() abandons it; its owner calls `finish` when it has ended
---@field note? fun(): string? what it waits for, asked for at every tick as long as no progress was told

---Running is one call that runs. Its owner tells of it by `update`, and of its end by `finish`.
---@class mcp_sidecar.Running
---@field label string
---@field began integer ns, as vim.uv.hrtime()
---@field value? mcp_sidecar.ProgressValue
---@field cancel? fun()
---@field note? fun(): string?
---@field cancelling boolean
---@field shown boolean it has run for long enough to be shown
local Running = {}
Running.__index = Running

---State of the window: all of it is there while calls run, and nothing after.
---@class mcp_sidecar.ProgressState
---@field calls mcp_sidecar.Running[] in the order in which they began
---@field frame integer
---@field timer? uv.uv_timer_t
---@field key? mcp_sidecar.BorrowedKey
---@field buffer? integer
---@field window? integer
local state = { calls = {}, frame = 0 }

-- Texts of servers may be long and coloured; what is shown is cut again, to the screen.
local function one_line(text) return cells.line(cells.plain(vim.trim(text:sub(1, 2000))), 200) end

local function amount(number)
  if type(number) ~= 'number' then return nil end
  return (('%.6g'):format(number))
end

---told is a progress in words: "3/10 message". Servers send what they like.
---@param value? mcp_sidecar.ProgressValue
---@return string
function M.told(value)
  if type(value) ~= 'table' then return '' end
  local done, total = amount(value.progress), amount(value.total)
  local words = {}
  if done and total then
    words[1] = done .. '/' .. total
  elseif done and done ~= '0' then
    words[1] = done
  end
  if type(value.message) == 'string' then words[#words + 1] = one_line(value.message) end
  return table.concat(words, ' ')
end

---line is what is shown of one call, in pieces with their highlight groups.
---@param call { label: string, seconds: integer, frame: string, told: string, cancelling: boolean, key?: string }
---@param width integer cells that it may have
---@return { [1]: string, [2]: string? }[]
function M.line(call, width)
  local pieces = { { ' ' .. call.frame .. ' ', 'McpProgress' }, { cells.cut(call.label, 40), 'McpTool' } }
  pieces[#pieces + 1] = { (' %d s'):format(call.seconds), 'McpTime' }
  local hint = call.cancelling and { { '  cancelling', 'McpMuted' } }
    or call.key and { { '  ' .. call.key, 'McpKey' }, { ' cancels', 'McpMuted' } }
    or {}
  local used = 1
  for _, list in ipairs({ pieces, hint }) do
    for _, piece in ipairs(list) do
      used = used + cells.width(piece[1])
    end
  end
  local told = cells.cut(call.told, width - used - 2)
  if told ~= '' then pieces[#pieces + 1] = { '  ' .. told } end
  vim.list_extend(pieces, hint)
  pieces[#pieces + 1] = { ' ' }
  return pieces
end

-- Closes a window and its buffer: later, while the command-line window forbids it.
local function discard(window, buffer)
  local ok = pcall(function()
    if window and api.nvim_win_is_valid(window) then api.nvim_win_close(window, true) end
    if buffer and api.nvim_buf_is_valid(buffer) then api.nvim_buf_delete(buffer, { force = true }) end
  end)
  if ok then return end
  api.nvim_create_autocmd('CmdwinLeave', {
    once = true,
    desc = 'mcp-sidecar: close the window of calls that run',
    callback = function()
      vim.schedule(function() discard(window, buffer) end)
    end,
  })
end

local function close_window()
  discard(state.window)
  state.window = nil
end

local function placed(width, height)
  local tabline = vim.o.showtabline == 2 or (vim.o.showtabline == 1 and #api.nvim_list_tabpages() > 1)
  return {
    relative = 'editor',
    anchor = 'NE',
    row = tabline and 1 or 0,
    col = vim.o.columns,
    width = width,
    height = height,
  }
end

local function open_window(place)
  local options = { style = 'minimal', focusable = false, noautocmd = true, zindex = 90 }
  -- Not everywhere may a window be opened: the command-line window has none beside it.
  local ok, window = pcall(api.nvim_open_win, state.buffer, false, vim.tbl_extend('force', place, options))
  state.window = ok and window or nil
  if ok then vim.wo[window].winhighlight = 'NormalFloat:McpNormal' end
end

local function show_window(width, height)
  local place = placed(math.max(width, 1), height)
  local valid = state.window and api.nvim_win_is_valid(state.window)
  -- A float belongs to one tab page; this one follows the user.
  if valid and api.nvim_win_get_tabpage(state.window) ~= api.nvim_get_current_tabpage() then
    close_window()
    valid = false
  end
  if valid then
    pcall(api.nvim_win_set_config, state.window, place)
  else
    open_window(place)
  end
end

local namespace = api.nvim_create_namespace('mcp_sidecar_progress')

local function buffer()
  if not (state.buffer and api.nvim_buf_is_valid(state.buffer)) then
    require('mcp_sidecar.ui.highlights').define()
    state.buffer = require('mcp_sidecar.ui.buffer').new()
    vim.bo[state.buffer].bufhidden = 'hide'
  end
  return state.buffer
end

local function newest_to_cancel()
  for i = #state.calls, 1, -1 do
    if state.calls[i].cancel and not state.calls[i].cancelling then return state.calls[i] end
  end
end

local function told_of(call)
  local told = M.told(call.value)
  if told ~= '' or not call.note then return told end
  local ok, note = pcall(call.note)
  return ok and type(note) == 'string' and one_line(note) or ''
end

-- The lines of all calls that are shown, each in pieces.
local function lines_now()
  local lines = {}
  local next_victim = state.key and newest_to_cancel()
  for _, call in ipairs(state.calls) do
    local age = (vim.uv.hrtime() - call.began) / 1e6
    call.shown = call.shown or age >= APPEAR_MS
    if call.shown then
      lines[#lines + 1] = M.line({
        label = call.label,
        seconds = math.floor(age / 1000),
        frame = FRAMES[state.frame % #FRAMES + 1],
        told = told_of(call),
        cancelling = call.cancelling,
        key = call == next_victim and state.key.key or nil,
      }, math.max(20, math.min(vim.o.columns - 4, 100)))
    end
  end
  return lines
end

local function draw()
  local lines = lines_now()
  if #lines == 0 then return close_window() end
  local texts, width = {}, 0
  for i, pieces in ipairs(lines) do
    texts[i] = table.concat(vim.tbl_map(function(piece) return piece[1] end, pieces))
    width = math.max(width, cells.width(texts[i]))
  end
  local target = buffer()
  api.nvim_buf_set_lines(target, 0, -1, false, texts)
  api.nvim_buf_clear_namespace(target, namespace, 0, -1)
  for row, pieces in ipairs(lines) do
    local column = 0
    for _, piece in ipairs(pieces) do
      if piece[2] then
        api.nvim_buf_set_extmark(
          target,
          namespace,
          row - 1,
          column,
          { end_col = column + #piece[1], hl_group = piece[2] }
        )
      end
      column = column + #piece[1]
    end
  end
  show_window(width, #lines)
end

local function end_all()
  if state.timer then
    state.timer:stop()
    state.timer:close()
    state.timer = nil
  end
  if state.key then
    state.key:give_back()
    state.key = nil
  end
  discard(state.window, state.buffer)
  state.window, state.buffer = nil, nil
end

local function begin_all()
  state.frame = 0
  local key = require('mcp_sidecar.config').get().ui.cancel_key
  if key ~= '' then state.key = require('mcp_sidecar.ui.cancel_key').borrow(key, M.cancel_newest) end
  state.timer = assert(vim.uv.new_timer())
  state.timer:start(
    APPEAR_MS,
    TICK_MS,
    vim.schedule_wrap(function()
      if not state.timer then return end
      state.frame = state.frame + 1
      draw()
    end)
  )
end

---begin shows that something runs, soon.
---@param options mcp_sidecar.ProgressOptions
---@return mcp_sidecar.Running
function M.begin(options)
  local call = setmetatable({
    label = cells.visible(options.label),
    began = vim.uv.hrtime(),
    cancel = options.cancel,
    note = options.note,
    cancelling = false,
    shown = false,
  }, Running)
  state.calls[#state.calls + 1] = call
  if #state.calls == 1 then begin_all() end
  return call
end

---update tells how far it is. The next tick shows it.
---@param value mcp_sidecar.ProgressValue
function Running:update(value) self.value = value end

---finish ends it. Once more does nothing.
function Running:finish()
  for i, call in ipairs(state.calls) do
    if call == self then
      table.remove(state.calls, i)
      if #state.calls == 0 then return end_all() end
      return draw()
    end
  end
end

---cancel_newest abandons the newest call that was not abandoned yet.
function M.cancel_newest()
  local call = newest_to_cancel()
  if not call then return end
  call.cancelling = true
  call.cancel()
end

---running is how many calls run.
---@return integer
function M.running() return #state.calls end

return M
