-- The cases that the clients of all languages share (agent/cases, where the README says what is in them), as
-- Lua knows them: without the order of members.
local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)))

local M = {}

---vim.json refuses halves of characters, so none reaches the plugin as one.
local function without_halves(text)
  return (text:gsub('\\ud83d\\ude00', '😀'):gsub('\\u[dD][89a-fA-F]%x%x', '\\ufffd'))
end

---@param name string
---@param options? table of vim.json.decode
---@return table[]
function M.read(name, options)
  local file = assert(io.open(vim.fs.joinpath(here, '../../../agent/cases', name)))
  local text = file:read('*a')
  file:close()
  return vim.json.decode(without_halves(text), options or {})
end

---as_json is a value as text in which equal values are equal: an empty object is no empty list, as in JSON.
---@param value any
---@return string
function M.as_json(value) return require('mcp_sidecar.json').encode(value) end

return M
