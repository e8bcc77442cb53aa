-- The values of ${input:…} in configuration files, asked from the user. They are remembered by the sidecar for
-- the session, and kept nowhere.

local cells = require('mcp_sidecar.cells')
local prompts = require('mcp_sidecar.ui.prompts')
local say = require('mcp_sidecar.say')

local M = {}

---Cells of a description: it may say where to get a value, and be an essay.
local LONGEST = 200

---text_of is what the user is asked.
---@param question mcp_sidecar.InputParams
---@return string
function M.text_of(question)
  local what = vim.trim(question.description or '')
  if what == '' then what = question.id end
  what = what:gsub('%s+', ' '):gsub(':$', '')
  return ('%s (%s): '):format(cells.line(what, LONGEST), cells.line(question.server, LONGEST))
end

---choose asks for one of the options. The default comes first: it is what <CR> takes in most lists.
---@param question mcp_sidecar.InputParams
---@param answer fun(value: string?)
local function choose(question, answer)
  local options = vim.list_extend({}, question.options)
  local default = question.default
  if default and vim.list_contains(options, default) then
    options = vim.tbl_filter(function(option) return option ~= default end, options)
    table.insert(options, 1, default)
  end
  vim.ui.select(options, {
    prompt = M.text_of(question),
    kind = 'mcp_sidecar.input',
    format_item = function(option)
      return cells.visible(option) .. (option == default and '  (default)' or '')
    end,
  }, answer)
end

---@param question mcp_sidecar.InputParams
---@return string? value
local function secret(question)
  local ok, value = pcall(vim.fn.inputsecret, {
    prompt = M.text_of(question),
    default = question.default,
    cancelreturn = vim.NIL,
  })
  vim.cmd.redraw()
  -- Ctrl-C is an error, and <Esc> is NIL.
  if ok and value ~= vim.NIL then return value end
end

---@param question mcp_sidecar.InputParams
---@param answer fun(value: string?)
local function show(question, answer)
  if question.options and #question.options > 0 then return choose(question, answer) end
  if question.password then return answer(secret(question)) end
  vim.ui.input({ prompt = M.text_of(question), default = question.default }, answer)
end

---ask answers input/request.
---@param question mcp_sidecar.InputParams
---@param reply mcp_sidecar.Reply
---@return fun() withdraw
function M.ask(question, reply)
  local settled ---@type "answered"|"withdrawn"|"dropped"?
  local function answer(value)
    if not settled then
      settled = 'answered'
      return reply(value)
    end
    -- Whoever typed a value wants to know what became of it.
    if value == nil or settled == 'answered' then return end
    local text = 'the value for %s came too late%s'
    local again = settled == 'dropped' and (': `:Mcp connect %s` asks again'):format(question.server) or ''
    say.warn(text:format(cells.visible(question.id), again))
  end
  local function no_answer()
    answer(nil)
    settled = 'dropped'
  end
  local withdraw = prompts.ask(function(done)
    local ok, err = xpcall(show, debug.traceback, question, function(value)
      done()
      answer(value)
    end)
    if ok then return end
    answer(nil)
    error(err, 0)
  end, no_answer)
  return function()
    settled = settled or 'withdrawn'
    withdraw()
  end
end

return M
