-- A result in a buffer of its own, with keys to go on from it.

local cells = require('mcp_sidecar.cells')
local say = require('mcp_sidecar.say')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('mcp_sidecar_result')
local counter = 0

---ResultRequest is what is shown, and how to go on from it.
---@class mcp_sidecar.ResultRequest
---@field label string "server/tool"
---@field outcome mcp_sidecar.CallOutcome
---@field again fun(window: integer) calls with the same arguments; its result may take the window
---@field edit fun(window: integer) edits the arguments, and calls
---@field window? integer shows it there, if that window still shows a result
---@field enter? boolean default true

---KEYS of a result, in the order in which they are told; those with a `short` word are above it.
---@type { key: string, text: string, short?: string }[]
M.KEYS = {
  { key = 'r', short = 'again', text = 'call again with the same arguments' },
  { key = 'E', short = 'edit', text = 'edit the arguments, and call again' },
  { key = 'Y', short = 'copy', text = 'copy all of the text (with a register: "+Y)' },
  { key = '<CR>', text = 'open the file or link of the line' },
  { key = 'gx', text = 'the same, outside of Neovim' },
  { key = 's', text = 'save the file of the line elsewhere' },
  { key = 'q', short = 'close', text = 'close' },
  { key = 'g?', short = 'keys', text = 'these keys' },
}

local function escaped(text) return (text:gsub('%%', '%%%%')) end

---winbar is a page's header as an option: which tool, how long, and the keys.
---@param pieces { [1]: string, [2]: string? }[]
---@return string
function M.winbar(pieces)
  local words = {}
  for _, piece in ipairs(pieces) do
    words[#words + 1] = ('%%#%s#%s'):format(piece[2] or 'McpMuted', escaped(piece[1]))
  end
  local hints = {}
  for _, key in ipairs(M.KEYS) do
    if key.short then hints[#hints + 1] = ('%%#McpKey#%s%%#McpMuted# %s'):format(key.key, key.short) end
  end
  return table.concat(words) .. '%#McpMuted#%=%<' .. table.concat(hints, '  ') .. ' '
end

-- Registers hold NUL as a line break inside a line, as buffers do.
local function copy(page)
  if #page.text == 0 then return say.warn('there is no text to copy') end
  local lines = vim.tbl_map(function(line) return (line:gsub('%z', '\n')) end, page.text)
  local register = vim.v.register
  vim.fn.setreg(register, lines, 'V')
  local count = require('mcp_sidecar.words').counted(#lines, 'line')
  say.info(register == '"' and count .. ' copied' or ('%s copied into "%s'):format(count, register))
end

local function target_here(page) return page.targets[api.nvim_win_get_cursor(0)[1]] end

local function open_target(target)
  local what = target.path or target.uri
  -- Whatever opens it must not take it for a flag.
  if not what:find('^/') and not what:find('^%a[%w+.-]*:') then
    return say.warn('this is no URI: ' .. cells.visible(what))
  end
  local _, problem = vim.ui.open(what)
  if problem then say.error(problem) end
end

-- The file of a line that Neovim can show by itself: not one of the bytes that came with the result.
local function text_file(target)
  if target.attachment then return nil end
  local path = target.path
  if target.uri and target.uri:find('^file://') then
    local ok, name = pcall(vim.uri_to_fname, target.uri)
    path = ok and name or nil
  end
  return path and vim.fn.filereadable(path) == 1 and path or nil
end

local function open_here(page, key)
  local target = target_here(page)
  local word = vim.fn.expand('<cfile>')
  if not target and word:find('^https?://') then target = { uri = word } end
  if not target then return api.nvim_feedkeys(vim.keycode(key), 'n', false) end
  local file = key == '<CR>' and text_file(target)
  if file then return vim.cmd.split(vim.fn.fnameescape(file)) end
  open_target(target)
end

local function export(attachment, path)
  path = vim.fs.normalize(path)
  if vim.fn.isdirectory(path) == 1 then path = path .. '/' .. vim.fs.basename(attachment.path) end
  local function write()
    local problem = require('mcp_sidecar.ui.attachments').export(attachment, path)
    if problem then return say.error(problem) end
    say.info('saved as ' .. path)
  end
  if not vim.uv.fs_stat(path) then return write() end
  local prompt = ('%s is there already'):format(path)
  vim.ui.select(
    { 'Replace it', 'Leave it' },
    { prompt = prompt, kind = 'mcp_sidecar.confirm' },
    function(_, index)
      if index == 1 then write() end
    end
  )
end

local function save_here(page)
  local target = target_here(page)
  if not (target and target.attachment) then return say.warn('there is no file in this line') end
  local name = vim.fs.basename(target.attachment.path)
  local proposed = vim.fn.getcwd() .. '/' .. name
  vim.ui.input({ prompt = 'Save as: ', default = proposed, completion = 'file' }, function(path)
    if path and vim.trim(path) ~= '' then export(target.attachment, path) end
  end)
end

local function show_keys()
  local lines, width = {}, 0
  for i, key in ipairs(M.KEYS) do
    lines[i] = (' %-5s %s '):format(key.key, key.text)
    width = math.max(width, #lines[i])
  end
  local buffer = require('mcp_sidecar.ui.buffer').new()
  api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].modifiable = false
  for i in ipairs(lines) do
    api.nvim_buf_set_extmark(buffer, namespace, i - 1, 0, { end_col = 6, hl_group = 'McpKey' })
  end
  local window = api.nvim_open_win(buffer, true, {
    relative = 'cursor',
    row = 1,
    col = 0,
    width = width,
    height = #lines,
    style = 'minimal',
    border = require('mcp_sidecar.config').get().ui.border,
    title = ' Keys ',
  })
  require('mcp_sidecar.ui.float').dress(window, {})
  local function close()
    if api.nvim_win_is_valid(window) then api.nvim_win_close(window, true) end
  end
  for _, key in ipairs({ 'q', '<Esc>', 'g?', '<CR>' }) do
    vim.keymap.set('n', key, close, { buffer = buffer, nowait = true })
  end
  api.nvim_create_autocmd(
    'WinLeave',
    { buffer = buffer, once = true, callback = function() vim.schedule(close) end }
  )
end

local function close(buffer)
  local window = api.nvim_get_current_win()
  -- The last window cannot be closed.
  if not pcall(api.nvim_win_close, window, true) then api.nvim_buf_delete(buffer, { force = true }) end
end

local function map_keys(buffer, page, request)
  local function map(key, action, about)
    vim.keymap.set('n', key, action, { buffer = buffer, nowait = true, desc = 'mcp-sidecar: ' .. about })
  end
  local actions = {
    r = function() request.again(api.nvim_get_current_win()) end,
    E = function() request.edit(api.nvim_get_current_win()) end,
    Y = function() copy(page) end,
    ['<CR>'] = function() open_here(page, '<CR>') end,
    gx = function() open_here(page, 'gx') end,
    s = function() save_here(page) end,
    q = function() close(buffer) end,
    ['g?'] = show_keys,
  }
  for _, key in ipairs(M.KEYS) do
    map(key.key, actions[key.key], key.text)
  end
end

local function new_buffer(page, label)
  counter = counter + 1
  local buffer = require('mcp_sidecar.ui.buffer').new(('mcp://%s/%d'):format(label, counter))
  vim.bo[buffer].undolevels = -1
  api.nvim_buf_set_lines(buffer, 0, -1, false, page.lines)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  require('mcp_sidecar.ui.marks').put(buffer, namespace, page.marks)
  return buffer
end

-- A window that still shows a result, of this tab page or another, and may show another one.
local function is_result(window)
  return window ~= nil
    and api.nvim_win_is_valid(window)
    and vim.b[api.nvim_win_get_buf(window)].mcp_sidecar_result == true
    and not vim.wo[window].winfixbuf
end

local function show(buffer, page, request)
  local enter = request.enter ~= false
  if is_result(request.window) then
    api.nvim_win_set_buf(request.window, buffer)
    if enter then api.nvim_set_current_win(request.window) end
    return request.window
  end
  return require('mcp_sidecar.ui.bottom').open(buffer, #page.lines + 1, enter)
end

local function dress(window, page, request)
  local header = require('mcp_sidecar.ui.result_lines').header(request.label, request.outcome)
  local options = vim.wo[window][0]
  options.winbar = M.winbar(header)
  options.wrap = not page.big
  options.linebreak = page.filetype == '' or page.filetype == 'markdown'
  options.spell = false
  options.list = false
end

---open shows a result.
---@param request mcp_sidecar.ResultRequest
---@return integer buffer
---@return integer window
function M.open(request)
  require('mcp_sidecar.ui.highlights').define()
  local attachments = require('mcp_sidecar.ui.attachments')
  local found = attachments.collect(request.outcome.result)
  for _, attachment in ipairs(found) do
    attachments.save(attachment)
  end
  local page = require('mcp_sidecar.ui.result_lines').render(request.outcome, found)
  local buffer = new_buffer(page, request.label)
  vim.b[buffer].mcp_sidecar_result = true
  local window = show(buffer, page, request)
  -- Setting a filetype runs plugins, which may map the keys of ours: so ours come after.
  if page.filetype ~= '' then vim.bo[buffer].filetype = page.filetype end
  map_keys(buffer, page, request)
  dress(window, page, request)
  return buffer, window
end

return M
