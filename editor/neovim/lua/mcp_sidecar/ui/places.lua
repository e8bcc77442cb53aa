-- Places in files, as people read them. Pure.
local M = {}

---@param path string
---@param directory string?
---@return string? rest without the separator; nil if the path is not inside
local function inside(path, directory)
  if not directory or directory == '' then return nil end
  directory = directory:gsub('(.)[/\\]+$', '%1')
  if path:sub(1, #directory) ~= directory then return nil end
  local rest = path:sub(#directory + 1)
  return rest:match('^[/\\](.+)$') or (rest == '' and '' or nil)
end

---A path, with ~ for the home directory.
---@param path string
---@param home string?
---@return string
function M.tilde(path, home)
  local rest = inside(path, home)
  if not rest then return path end
  return rest == '' and '~' or '~/' .. rest
end

---A path as seen from a project: relative inside of it, with ~ elsewhere; and the line, if it is known.
---@param place { path: string, line?: integer }
---@param root string?
---@param home string?
---@return string
function M.short(place, root, home)
  local rest = inside(place.path, root)
  local path = rest and rest ~= '' and rest or M.tilde(place.path, home)
  return place.line and ('%s:%d'):format(path, place.line) or path
end

---Whether a path names a file, and not an object of the host's wishes or a server.
---@param path string?
---@return boolean
function M.is_file(path) return path ~= nil and (path:find('^[/\\]') or path:find('^%a:[/\\]')) ~= nil end

return M
