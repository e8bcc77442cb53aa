-- The values of ${input:…} in configuration files, asked from the user. They are remembered by the sidecar for
-- the session, and kept nowhere.

local prompts = require('mcp_sidecar.ui.prompts')

local M = {}

---text_of is what the user is asked.
---@param question mcp_sidecar.InputParams
---@return string
function M.text_of(question)
  local what = question.description or question.id
  return ('%s (%s): '):format(what:gsub('%c+', ' '):gsub(':%s*$', ''), question.server)
end

---@param question mcp_sidecar.InputParams
---@param answer fun(value: string?)
local function show(question, answer)
  local text = M.text_of(question)
  if question.options and #question.options > 0 then
    return vim.ui.select(question.options, { prompt = text, kind = 'mcp_sidecar.input' }, answer)
  end
  if not question.password then return vim.ui.input({ prompt = text, default = question.default }, answer) end
  -- Without a value and with an empty one are the same to inputsecret.
  local ok, value = pcall(vim.fn.inputsecret, text)
  vim.cmd.redraw()
  answer(ok and value ~= '' and value or nil)
end

---ask answers input/request.
---@param question mcp_sidecar.InputParams
---@param reply mcp_sidecar.Reply
---@return fun() withdraw
function M.ask(question, reply)
  return prompts.ask(function(done)
    local ok, err = xpcall(show, debug.traceback, question, function(value)
      done()
      reply(value)
    end)
    if ok then return end
    reply(nil)
    error(err, 0)
  end)
end

return M
