-- What the user has switched off in each project: servers, and tools as "server/tool". It is kept in the state
-- directory, in one file for all projects, which several editors may change.

local json = require('mcp_sidecar.json')

local M = {}

---@return string
function M.path()
  return vim.fs.joinpath(vim.fn.stdpath('state') --[[@as string]], 'mcp_sidecar', 'disabled.json')
end

---@return table<string, string[]> names by root
local function read()
  local file = io.open(M.path(), 'rb')
  if not file then return {} end
  local text = file:read('*a')
  file:close()
  local ok, all = pcall(json.decode, text)
  return ok and type(all) == 'table' and all or {}
end

---get gives what is off in a project, sorted.
---@param root string
---@return string[]
function M.get(root)
  local names = read()[root]
  if type(names) ~= 'table' then return {} end
  names = vim.tbl_filter(function(name) return type(name) == 'string' end, names)
  table.sort(names)
  return names
end

---set replaces what is off in a project. Another editor sees either the old file or the new one.
---@param root string
---@param names string[]
---@return string? why it cannot be kept
function M.set(root, names)
  local all = read() -- again: another editor may have changed what is off in its project
  all[root] = #names > 0 and names or nil
  local path = M.path()
  vim.fn.mkdir(vim.fs.dirname(path), 'p', '0o700')
  local own = ('%s.%d'):format(path, vim.uv.os_getpid())
  local file, why = io.open(own, 'wb')
  if not file then return why end
  local written, failed = file:write(json.object(all), '\n')
  file:close()
  if not written then return failed end
  local renamed, refused = vim.uv.fs_rename(own, path)
  return not renamed and refused or nil
end

return M
