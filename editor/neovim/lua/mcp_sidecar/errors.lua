-- The errors of requests. Callers tell them apart by `kind`, people read what `tostring` gives.

local M = {}

local Error = { __tostring = function(err) return err.message end }

---@param kind string
---@param message string
---@param more? table
---@return mcp_sidecar.Error
function M.new(kind, message, more)
  return setmetatable(vim.tbl_extend('force', more or {}, { kind = kind, message = message }), Error)
end

---near adds to a message the names that the sidecar suggests and the message does not have.
---@param message string
---@param data any
---@return string
local function near(message, data)
  if type(data) ~= 'table' then return message end
  local names = {}
  for _, list in ipairs({ 'suggestions', 'candidates' }) do
    for _, name in ipairs(type(data[list]) == 'table' and data[list] or {}) do
      if type(name) == 'string' and not message:find(name, 1, true) then names[#names + 1] = name end
    end
  end
  return #names == 0 and message or ('%s (did you mean %s?)'):format(message, table.concat(names, ', '))
end

---response is the refusal of a request by the sidecar.
---@param method string
---@param err { code: integer, message?: string, data?: any }
---@return mcp_sidecar.Error
function M.response(method, err)
  local message = type(err.message) == 'string' and err.message or ''
  return M.new('response', ('%s: %s'):format(method, near(message, err.data)), {
    code = err.code,
    data = err.data,
    method = method,
  })
end

return M
