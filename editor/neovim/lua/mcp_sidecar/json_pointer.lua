-- References of JSON Schema within their own document: JSON pointers in the fragment of a URI (RFC 6901, section 6).

local M = {}

---names are those that a reference goes through; nil for one that leads elsewhere, or by an anchor.
---@param reference any
---@return string[]?
function M.names(reference)
  if type(reference) ~= 'string' or not (reference == '#' or vim.startswith(reference, '#/')) then
    return nil
  end
  local path = reference:sub(2):gsub('%%(%x%x)', function(code) return string.char(tonumber(code, 16)) end)
  local names = vim.split(path, '/', { plain = true })
  table.remove(names, 1)
  return vim.tbl_map(function(name) return (name:gsub('~1', '/'):gsub('~0', '~')) end, names)
end

---find is what a reference leads to, or nil.
---@param reference any
---@param root any the document
---@return any
function M.find(reference, root)
  local names = M.names(reference)
  if not names then return nil end
  local at = root
  for _, name in ipairs(names) do
    if type(at) ~= 'table' then return nil end
    local member = at[name]
    if member == nil and name:match('^%d+$') then member = at[tonumber(name) + 1] end
    at = member
  end
  return at
end

return M
