-- What the user has switched off in each project: servers, and tools as "server/tool". It is kept in the state
-- directory, in one file for all projects, which several editors may change.

local json = require('mcp_sidecar.json')

local M = {}

---@return string
function M.path()
  return vim.fs.joinpath(vim.fn.stdpath('state') --[[@as string]], 'mcp_sidecar', 'disabled.json')
end

---@return table<string, string[]>? names by root
---@return string? why it cannot be read
local function read()
  local file, missing, code = io.open(M.path(), 'rb')
  if not file then
    local ENOENT = 2
    if code == ENOENT then return {} end
    return nil, missing
  end
  local text, failed = file:read('*a')
  file:close()
  if not text then return nil, ('%s: %s'):format(M.path(), failed) end
  local ok, all = pcall(json.decode, text)
  if ok and type(all) == 'table' then return all end
  return nil, ('%s is not the JSON that is written there: repair or remove it'):format(M.path())
end

---@param text string
---@return string? why it cannot be written
local function write(text)
  local path = M.path()
  local made, refused = pcall(vim.fn.mkdir, vim.fs.dirname(path), 'p', '0o700')
  if not made then return tostring(refused) end
  -- Another editor sees either the old file or the new one.
  local own = ('%s.%d'):format(path, vim.uv.os_getpid())
  local file, why = io.open(own, 'wb')
  if not file then return why end
  local written, failed = file:write(text, '\n')
  local closed, unsaved = file:close()
  if not (written and closed) then
    os.remove(own)
    return failed or unsaved
  end
  local renamed, unmoved = vim.uv.fs_rename(own, path)
  if renamed then return nil end
  os.remove(own)
  return unmoved
end

---@param all table<string, string[]>
---@param root string
---@return string[] names sorted
local function of(all, root)
  local names = type(all[root]) == 'table' and all[root] or {}
  names = vim.tbl_filter(function(name) return type(name) == 'string' end, names)
  table.sort(names)
  return names
end

---get gives what is off in a project, sorted.
---@param root string
---@return string[]
---@return string? why it is not known
function M.get(root)
  local all, why = read()
  return of(all or {}, root), why
end

---set switches one off or on in a project, and keeps it. What another editor has switched there meanwhile stays.
---@param root string
---@param name string
---@param off boolean
---@return string? why it cannot be kept
function M.set(root, name, off)
  local all, why = read()
  if not all then return why end
  local names = vim.tbl_filter(function(other) return other ~= name end, of(all, root))
  if off then names[#names + 1] = name end
  table.sort(names)
  all[root] = #names > 0 and names or nil
  return write(json.object(all))
end

return M
