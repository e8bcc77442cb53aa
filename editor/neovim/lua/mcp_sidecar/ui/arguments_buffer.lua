-- A buffer in which the user writes the arguments of a call as JSON. Writing it calls. It stays open until its owner
-- closes it, so that nothing typed is lost by a mistake.

local cells = require('mcp_sidecar.cells')
local form_schema = require('mcp_sidecar.ui.form_schema')
local json_text = require('mcp_sidecar.json_text')
local say = require('mcp_sidecar.say')

local M = {}

local api = vim.api

---ArgumentsRequest is what is to be written.
---@class mcp_sidecar.ArgumentsRequest
---@field label string "server/tool"
---@field schema any the inputSchema
---@field json? string valid JSON to begin with; default: a skeleton of the schema
---@field call fun(json: string, buffer: mcp_sidecar.ArgumentsBuffer) gets an object, on one line

---ArgumentsBuffer is the open buffer.
---@class mcp_sidecar.ArgumentsBuffer
---@field buffer integer
---@field busy boolean a call of it runs: its owner says so
local Arguments = {}
Arguments.__index = Arguments

local namespace = api.nvim_create_namespace('mcp_sidecar_arguments')
local counter = 0

---described are the arguments of a schema, a line in pieces for each, as they stand under the text.
---@param schema any
---@return { [1]: string, [2]: string? }[][]
function M.described(schema)
  local form = form_schema.form(schema)
  local lines, column = {}, 0
  if form.whole then return lines end
  for _, field in ipairs(form.fields) do
    column = math.min(24, math.max(column, cells.width(cells.visible(field.name))))
  end
  for _, field in ipairs(form.fields) do
    local name = cells.visible(field.name)
    local line = {
      { '  ' .. name .. (' '):rep(column - cells.width(name)), 'McpArgument' },
      { '  ' .. field.type, 'McpType' },
    }
    if field.required then line[#line + 1] = { ', required', 'McpRequired' } end
    if field.choices and field.type ~= 'boolean' then
      local values = vim.tbl_map(function(choice) return choice.json end, field.choices)
      line[#line + 1] = { ': ' .. cells.cut(table.concat(values, ', '), 60), 'McpType' }
    end
    if field.default_json then
      line[#line + 1] = { ', default ' .. cells.cut(field.default_json, 40), 'McpMuted' }
    end
    if field.description ~= '' then line[#line + 1] = { '  ' .. field.description, 'McpMuted' } end
    lines[#lines + 1] = line
  end
  return lines
end

---close ends it, whatever it holds.
function Arguments:close()
  if api.nvim_buf_is_valid(self.buffer) then api.nvim_buf_delete(self.buffer, { force = true }) end
end

---text is what stands in it.
---@return string
function Arguments:text() return table.concat(api.nvim_buf_get_lines(self.buffer, 0, -1, false), '\n') end

-- Says what is wrong, and puts the cursor there.
local function wrong(self, problem)
  say.error(('line %d, column %d: %s'):format(problem.line, problem.column, problem.message))
  for _, window in ipairs(vim.fn.win_findbuf(self.buffer)) do
    pcall(api.nvim_win_set_cursor, window, { problem.line, problem.column - 1 })
  end
end

local function written(self, request)
  if self.busy then return say.warn('this call still runs') end
  local text = self:text()
  if vim.trim(text) == '' then text = '{}' end
  local problem = json_text.problem(text)
  if problem then return wrong(self, problem) end
  local _, no_object = require('mcp_sidecar.wire').arguments(text)
  if no_object then return say.error(no_object) end
  vim.bo[self.buffer].modified = false
  request.call(json_text.compact(text), self)
end

local function describe(self, request)
  local described = M.described(request.schema)
  if #described == 0 then return end
  table.insert(described, 1, { { '' } })
  api.nvim_buf_set_extmark(
    self.buffer,
    namespace,
    api.nvim_buf_line_count(self.buffer) - 1,
    0,
    { virt_lines = described }
  )
end

local function map_keys(self, request)
  local function call()
    vim.cmd.stopinsert()
    written(self, request)
  end
  vim.keymap.set(
    { 'n', 'i' },
    '<C-s>',
    call,
    { buffer = self.buffer, desc = 'mcp-sidecar: call with these arguments' }
  )
  api.nvim_create_autocmd(
    'BufWriteCmd',
    { buffer = self.buffer, callback = function() written(self, request) end }
  )
end

-- The first place where something is to be written: an empty string, or the first value.
local function first_gap(lines)
  for i, line in ipairs(lines) do
    local column = line:find('""', 1, true)
    if column then return { i, column } end
  end
  for i, line in ipairs(lines) do
    local _, column = line:find('^%s*".-": ')
    if column then return { i, column } end
  end
  return { 1, 0 }
end

---winbar is the header of the window: what is written, and how it is called.
---@param label string
---@return string
function M.winbar(label)
  local keys = '%#McpKey#:w%#McpMuted# or %#McpKey#<C-s>%#McpMuted# calls '
  return ('%%#McpTool# %s %%#McpMuted#arguments%%='):format((label:gsub('%%', '%%%%'))) .. keys
end

---open shows the buffer in a new window.
---@param request mcp_sidecar.ArgumentsRequest
---@return mcp_sidecar.ArgumentsBuffer
function M.open(request)
  require('mcp_sidecar.ui.highlights').define()
  local lines = json_text.pretty(request.json or form_schema.skeleton(request.schema))
  counter = counter + 1
  local buffer =
    require('mcp_sidecar.ui.buffer').new(('mcp://%s/arguments/%d'):format(request.label, counter))
  local self = setmetatable({ buffer = buffer, busy = false }, Arguments)
  -- What stands there first is not undone.
  vim.bo[buffer].undolevels = -1
  api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].undolevels = vim.go.undolevels
  vim.bo[buffer].buftype = 'acwrite'
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].modified = false
  describe(self, request)
  local window = require('mcp_sidecar.ui.bottom').open(buffer, math.max(8, #lines + 6), true)
  -- Plugins for the filetype may map the same keys: so ours come after.
  vim.bo[buffer].filetype = 'json'
  map_keys(self, request)
  vim.wo[window][0].winbar = M.winbar(request.label)
  pcall(api.nvim_win_set_cursor, window, first_gap(lines))
  return self
end

return M
